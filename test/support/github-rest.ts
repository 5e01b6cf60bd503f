import type { Asked, GitHubState, Reply, SeenComment, SeenIssue } from './github-server.ts';

type Handle = (asked: Asked, ids: readonly string[]) => Omit<Reply, 'route'>;

const NOT_FOUND = { status: 404, body: { message: 'Not Found' } };
const FORBIDDEN = { status: 403, body: { message: 'Resource not accessible by integration' } };
const MAX_BODY_LENGTH = 65_536;

/** Handles one request to the REST interface. @param dry returns only the route, without effect */
export function answerRest(state: GitHubState, asked: Asked, dry: boolean): Reply {
  const root = `/repos/${state.repository}/`;
  const { pathname } = asked.url;
  const path = pathname.startsWith(root) ? pathname.slice(root.length) : pathname;
  for (const [route, handle] of Object.entries(routesOf(state))) {
    const [method = '', pattern = ''] = route.split(' ');
    const shape = pattern
      .replaceAll(/[.*]/g, '\\$&')
      .replaceAll('{path}', '(.+)')
      .replaceAll(/\{\w+\}/g, '([^/]+)');
    const match = new RegExp(`^${shape}$`).exec(path);
    if (match === null || method !== asked.method) continue;
    if (dry) return { route, status: 200 };
    if (asked.user.rights === 'none') return { route, ...NOT_FOUND };
    if (method !== 'GET' && asked.user.rights !== 'write') return { route, ...FORBIDDEN };
    return { route, ...handle(asked, match.slice(1).map(decodeURIComponent)) };
  }
  return { route: `${asked.method} ${pathname}`, ...NOT_FOUND };
}

function routesOf(state: GitHubState): Readonly<Record<string, Handle>> {
  const { comments, issues, checkRuns, git } = state;
  const issueOf = (number: string | undefined): SeenIssue | undefined =>
    issues.find((one) => one.number === Number(number));
  const tooLong = (body: unknown): ReturnType<Handle> | null =>
    typeof body === 'string' && body.length > MAX_BODY_LENGTH
      ? invalid({ code: 'unprocessable', field: 'data', message: 'Body is too long (maximum is 65536 characters)' })
      : null;
  const changeIssue = (issue: SeenIssue | undefined, { body }: Asked): issue is SeenIssue => {
    if (issue === undefined) return false;
    for (const field of ['title', 'body', 'state'] as const) {
      if (typeof body[field] === 'string') Object.assign(issue, { [field]: body[field] });
    }
    return true;
  };

  return {
    'GET issues/{n}/comments': (asked, [number]) => {
      if (issueOf(number) === undefined) return NOT_FOUND;
      const found = comments.filter((one) => one.number === Number(number));
      return page(
        state,
        asked,
        found.map((one) => commentJson(state, one)),
      );
    },
    'POST issues/{n}/comments': ({ body, user }, [number]) => {
      if (issueOf(number) === undefined) return NOT_FOUND;
      const refused = tooLong(body.body);
      if (refused !== null) return refused;
      const made = {
        id: state.nextId(),
        number: Number(number),
        user: user.login,
        body: String(body.body),
        isMinimized: false,
      };
      comments.push(made);
      return { status: 201, body: commentJson(state, made) };
    },
    'PATCH issues/comments/{id}': ({ body }, [id]) => {
      const comment = comments.find((one) => one.id === Number(id));
      if (comment === undefined) return NOT_FOUND;
      const refused = tooLong(body.body);
      if (refused !== null) return refused;
      comment.body = String(body.body);
      return { status: 200, body: commentJson(state, comment) };
    },
    'DELETE issues/comments/{id}': (_, [id]) => {
      const at = comments.findIndex((one) => one.id === Number(id));
      if (at < 0) return NOT_FOUND;
      comments.splice(at, 1);
      return { status: 204 };
    },
    'GET issues': (asked) => {
      const wanted = asked.url.searchParams;
      const found = issues.filter((one) => {
        const isState = ['all', one.state].includes(wanted.get('state') ?? 'open');
        const isCreator = [null, one.user].includes(wanted.get('creator'));
        const labels = (wanted.get('labels') ?? '').split(',').filter((label) => label !== '');
        return isState && isCreator && labels.every((label) => one.labels.includes(label));
      });
      return page(
        state,
        asked,
        found.toReversed().map((one) => issueJson(state, one)),
      );
    },
    'POST issues': ({ body, user }) => {
      const refused = tooLong(body.body);
      if (refused !== null) return refused;
      const issue: SeenIssue = {
        number: Math.max(0, ...issues.map((one) => one.number)) + 1,
        user: user.login,
        title: String(body.title),
        body: String(body.body ?? ''),
        state: 'open',
        labels: (body.labels as string[] | undefined) ?? [],
      };
      issues.push(issue);
      return { status: 201, body: issueJson(state, issue) };
    },
    'GET issues/{n}': (_, [number]) => {
      const issue = issueOf(number);
      return issue === undefined ? NOT_FOUND : { status: 200, body: issueJson(state, issue) };
    },
    'PATCH issues/{n}': (asked, [number]) => {
      const issue = issueOf(number);
      return changeIssue(issue, asked) ? { status: 200, body: issueJson(state, issue) } : NOT_FOUND;
    },
    'GET /search/issues': (asked) => {
      const query = asked.url.searchParams.get('q') ?? '';
      const words = [...query.matchAll(/"([^"]+)"/g)].map((match) => match[1]!);
      const found = issues.filter(
        (one) =>
          (query.includes('is:pr') ? one.pull !== undefined : !query.includes('is:issue') || one.pull === undefined) &&
          (!/\b(?:is|state):open\b/.test(query) || one.state === 'open') &&
          words.every((word) => one.title.includes(word) || one.body.includes(word)),
      );
      const items = found.map((one) => issueJson(state, one));
      return { status: 200, body: { total_count: items.length, incomplete_results: false, items } };
    },
    'GET pulls': (asked) => {
      const wanted = asked.url.searchParams;
      const found = issues.filter(({ pull, state: is }) => {
        if (pull === undefined || !['all', is].includes(wanted.get('state') ?? 'open')) return false;
        const isHead = [null, `${pull.headOwner}:${pull.headBranch}`].includes(wanted.get('head'));
        return isHead && [null, pull.base].includes(wanted.get('base'));
      });
      return page(
        state,
        asked,
        found.toReversed().map((one) => pullJson(state, one)),
      );
    },
    'POST pulls': ({ body, user }) => {
      const [owner = ''] = state.repository.split('/');
      const named = String(body.head).split(':');
      const [headOwner, headBranch] = named.length === 2 ? [named[0]!, named[1]!] : [owner, named[0]!];
      const base = String(body.base);
      const isThere = issues.some(
        ({ pull, state: is }) => is === 'open' && pull?.headBranch === headBranch && pull.headOwner === headOwner,
      );
      const full = `${headOwner}:${headBranch}`;
      if (isThere) return invalid({ code: 'custom', message: `A pull request already exists for ${full}.` });
      const head = git?.head(headBranch) ?? null;
      if (head === null) return invalid({ code: 'invalid', field: 'head' });
      if (git?.isAncestor(head, base)) {
        return invalid({ code: 'custom', message: `No commits between ${base} and ${headBranch}` });
      }
      const pull = { headOwner, headBranch, base };
      const number = Math.max(0, ...issues.map((one) => one.number)) + 1;
      const made = {
        number,
        user: user.login,
        title: String(body.title),
        body: String(body.body ?? ''),
        labels: [],
        pull,
      };
      const issue: SeenIssue = { ...made, state: 'open' };
      issues.push(issue);
      return { status: 201, body: pullJson(state, issue) };
    },
    'GET pulls/{n}': (_, [number]) => {
      const issue = issueOf(number);
      return issue?.pull === undefined ? NOT_FOUND : { status: 200, body: pullJson(state, issue) };
    },
    'PATCH pulls/{n}': (asked, [number]) => {
      const issue = issueOf(number);
      if (issue?.pull === undefined || !changeIssue(issue, asked)) return NOT_FOUND;
      return { status: 200, body: pullJson(state, issue) };
    },
    'GET commits/{sha}/pulls': (asked, [sha]) => {
      const found = issues.filter(({ pull }) => pull !== undefined && sha === pull.mergedAs);
      return page(
        state,
        asked,
        found.map((one) => pullJson(state, one)),
      );
    },
    'GET commits/{sha}/check-runs': (asked, [sha]) => {
      const name = asked.url.searchParams.get('check_name');
      const found = checkRuns.filter((run) => run.headSha === sha && [null, run.fields.name].includes(name));
      const reply = page(
        state,
        asked,
        found.map(({ id, fields }) => ({ id, ...fields })),
      );
      return { ...reply, body: { total_count: found.length, check_runs: reply.body } };
    },
    'POST check-runs': ({ body }) => {
      const refused = checkOutput(body);
      if (refused !== null) return refused;
      const run = {
        id: state.nextId(),
        headSha: String(body.head_sha),
        fields: body,
        annotations: annotationsOf(body),
      };
      checkRuns.push(run);
      return { status: 201, body: { id: run.id, ...body } };
    },
    'PATCH check-runs/{id}': ({ body }, [id]) => {
      const run = checkRuns.find((one) => one.id === Number(id));
      if (run === undefined) return NOT_FOUND;
      const refused = checkOutput(body);
      if (refused !== null) return refused;
      run.annotations.push(...annotationsOf(body));
      run.fields = { ...run.fields, ...body };
      return { status: 200, body: { id: run.id, ...run.fields } };
    },
    'GET git/ref/heads/{path}': (_, [branch = '']) => {
      const sha = git?.head(branch) ?? null;
      return sha === null
        ? NOT_FOUND
        : { status: 200, body: { ref: `refs/heads/${branch}`, object: { type: 'commit', sha } } };
    },
    'POST git/refs': ({ body }) => {
      const branch = String(body.ref).replace('refs/heads/', '');
      if (git?.head(branch) !== null) return { status: 422, body: { message: 'Reference already exists' } };
      if (git.commitOf(String(body.sha)) === null) return { status: 422, body: { message: 'Object does not exist' } };
      git.setBranch(branch, String(body.sha));
      return { status: 201, body: { ref: body.ref, object: { type: 'commit', sha: body.sha } } };
    },
    'PATCH git/refs/heads/{path}': ({ body }, [branch = '']) => {
      const head = git?.head(branch) ?? null;
      const sha = String(body.sha);
      if (git === null || head === null) return { status: 422, body: { message: 'Reference does not exist' } };
      if (state.protectedBranches.has(branch))
        return { status: 422, body: { message: 'Cannot update this protected ref.' } };
      if (body.force !== true && !git.isAncestor(head, sha)) {
        return { status: 422, body: { message: 'Update is not a fast forward' } };
      }
      git.setBranch(branch, sha);
      return { status: 200, body: { ref: `refs/heads/${branch}`, object: { type: 'commit', sha } } };
    },
    'DELETE git/refs/heads/{path}': (_, [branch = '']) => {
      if (git?.head(branch) == null) return { status: 422, body: { message: 'Reference does not exist' } };
      git.deleteBranch(branch);
      return { status: 204 };
    },
    'GET git/commits/{sha}': (_, [sha = '']) => {
      if (git?.commitOf(sha) == null) return NOT_FOUND;
      const { tree, parents } = git.look(sha);
      return { status: 200, body: { sha, tree: { sha: tree }, parents: parents.map((parent) => ({ sha: parent })) } };
    },
    'POST git/trees': ({ body }) => {
      const files = body.tree as { path: string; content: string }[];
      return { status: 201, body: { sha: git!.makeTree(String(body.base_tree), files) } };
    },
    'POST git/commits': ({ body, user }) => {
      const sha = git!.makeCommit(String(body.tree), body.parents as string[], String(body.message), user.login);
      return { status: 201, body: { sha, html_url: `https://github.com/${state.repository}/commit/${sha}` } };
    },
    'GET branches/{path}': (_, [branch = '']) => {
      const sha = git?.head(branch) ?? null;
      const isProtected = state.protectedBranches.has(branch);
      return sha === null
        ? NOT_FOUND
        : { status: 200, body: { name: branch, commit: { sha }, protected: isProtected } };
    },
    'GET contents/{path}': ({ url }, [path = '']) => {
      const commit = git?.commitOf(url.searchParams.get('ref') ?? 'main') ?? null;
      const blob = commit === null ? null : git!.blobAt(commit, path);
      if (blob === null) return NOT_FOUND;
      const isSmall = blob.bytes.length <= 2 ** 20;
      const content = isSmall ? blob.bytes.toString('base64').replaceAll(/.{60}/g, '$&\n') : '';
      const encoding = isSmall ? 'base64' : 'none';
      return { status: 200, body: { type: 'file', path, sha: blob.sha, size: blob.bytes.length, encoding, content } };
    },
    'GET git/blobs/{sha}': (_, [sha = '']) => {
      const bytes = git!.blob(sha);
      return { status: 200, body: { sha, size: bytes.length, encoding: 'base64', content: bytes.toString('base64') } };
    },
  };
}

function invalid(error: object): ReturnType<Handle> {
  return { status: 422, body: { message: 'Validation Failed', errors: [error] } };
}

function checkOutput({ output }: Asked['body']): ReturnType<Handle> | null {
  const { summary, annotations } = (output ?? {}) as { summary?: string; annotations?: unknown[] };
  if ((summary ?? '').length > 65_535) return invalid({ message: 'Only 65535 characters are allowed' });
  if ((annotations ?? []).length > 50) return invalid({ message: 'No more than 50 items are allowed' });
  return null;
}

function annotationsOf({ output }: Asked['body']): Record<string, unknown>[] {
  return [...((output as { annotations?: Record<string, unknown>[] } | undefined)?.annotations ?? [])];
}

/** Returns one page of a list, and links to the others. */
function page(state: GitHubState, { url }: Asked, items: readonly unknown[]): Omit<Reply, 'route'> {
  const size = Math.min(100, Number(url.searchParams.get('per_page') ?? 30));
  const number = Number(url.searchParams.get('page') ?? 1);
  const last = Math.max(1, Math.ceil(items.length / size));
  const linkTo = (to: number, rel: string): string => {
    const target = new URL(url.pathname + url.search, state.url());
    target.searchParams.set('page', String(to));
    return `<${target.href}>; rel="${rel}"`;
  };
  const links = [
    ...(number > 1 ? [linkTo(number - 1, 'prev'), linkTo(1, 'first')] : []),
    ...(number < last ? [linkTo(number + 1, 'next'), linkTo(last, 'last')] : []),
  ];
  const body = items.slice((number - 1) * size, number * size);
  return { status: 200, body, ...(links.length > 0 ? { headers: { link: links.join(', ') } } : {}) };
}

function commentJson({ repository }: GitHubState, { id, number, user, body }: SeenComment): object {
  const url = `https://github.com/${repository}/pull/${number}#issuecomment-${id}`;
  return { id, node_id: `IC_${id}`, user: { login: user }, body, html_url: url };
}

function issueJson({ repository }: GitHubState, { pull, user, labels, ...issue }: SeenIssue): object {
  return {
    ...issue,
    user: { login: user },
    labels: labels.map((name) => ({ name })),
    html_url: `https://github.com/${repository}/issues/${issue.number}`,
    ...(pull === undefined ? {} : { pull_request: {} }),
  };
}

function pullJson(state: GitHubState, { pull, user, labels, ...issue }: SeenIssue): object {
  const { headOwner, headBranch, base, mergedAs } = pull!;
  const none = '0'.repeat(40);
  return {
    ...issue,
    user: { login: user },
    html_url: `https://github.com/${state.repository}/pull/${issue.number}`,
    merged_at: mergedAs === undefined ? null : '2026-01-01T00:00:00Z',
    merge_commit_sha: mergedAs ?? null,
    head: {
      label: `${headOwner}:${headBranch}`,
      ref: headBranch,
      sha: pull!.headSha ?? state.git?.head(headBranch) ?? none,
    },
    base: { ref: base, sha: state.git?.head(base) ?? none },
  };
}
