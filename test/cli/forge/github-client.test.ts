import { inspect } from 'node:util';
import { buildASTSchema, parse, validate } from 'graphql';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  branchHead,
  COMMIT_MUTATION,
  commitOnBranch,
  putOnto,
  REPOSITORY_QUERY,
  readFileAt,
  SWAP_MUTATION,
} from '../../../src/cli/forge/github/commits.ts';
import { type GitHub, openGitHub, VIEWER_QUERY, viewerLogin } from '../../../src/cli/forge/github/github.ts';
import { createIssue, findIssues, updateIssue } from '../../../src/cli/forge/github/issues.ts';
import {
  createComment,
  createPull,
  deleteComment,
  listComments,
  MINIMIZE_MUTATION,
  pullsOfCommit,
  pullsOfHead,
  updateComment,
  updatePull,
} from '../../../src/cli/forge/github/pulls.ts';
import { cloneOf, newRemote } from '../../support/git-repository.ts';
import { type GitHubServer, startGitHub } from '../../support/github-server.ts';
import { startServer } from '../../support/http-server.ts';

const TOKEN = 'ghs_0canary0';
const USERS = {
  [TOKEN]: { login: 'github-actions[bot]', rights: 'write' },
  reader: { login: 'github-actions[bot]', rights: 'read' },
} as const;

interface Opened {
  readonly server: GitHubServer;
  readonly github: GitHub;
  /** Requested waits in milliseconds, in order. */
  readonly waits: number[];
}

async function open(options: Partial<Parameters<typeof startGitHub>[0]> = {}, token = TOKEN): Promise<Opened> {
  const server = await startGitHub({ users: USERS, ...options });
  onTestFinished(() => server.close());
  const waits: number[] = [];
  const clock = { now: () => 1_000_000, wait: async (ms: number) => void waits.push(ms), random: () => 1 };
  return { server, github: openGitHub(server, token, clock), waits };
}

describe('openGitHub()', () => {
  it('lists comments across all pages', async () => {
    const { server, github } = await open();
    const { number } = server.open({});
    for (let i = 0; i < 205; i++) server.comment(number, 'someone', `No. ${i}`);
    const found = await listComments(github, number);
    expect(found.map(({ body }) => body)).toEqual(Array.from({ length: 205 }, (_, i) => `No. ${i}`));
    expect(server.count('GET issues/{n}/comments')).toBe(3);
  });

  it('waits for rate limits that end soon and for temporary server failures', async () => {
    const { server, github, waits } = await open();
    const { number } = server.open({});
    server.force(
      'POST issues/{n}/comments',
      { kind: 'answer', status: 429, headers: { 'retry-after': '3' } },
      { kind: 'answer', status: 403, headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1010' } },
      { kind: 'answer', status: 403, body: { message: 'You have exceeded a secondary rate limit' } },
    );
    const { id } = await createComment(github, number, 'Hello');
    expect(waits).toEqual([3000, 10_000, 60_000]);
    server.force('PATCH issues/comments/{id}', { kind: 'answer', status: 502 }, { kind: 'cut' });
    await updateComment(github, id, 'Hello again');
    expect(server.comments).toMatchObject([{ body: 'Hello again' }]);
    await deleteComment(github, id);
    expect(server.comments).toEqual([]);
  });

  it('does not wait for a long rate limit or a missing permission', async () => {
    const { server, github, waits } = await open();
    const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '4600' };
    server.force('GraphQL viewer', { kind: 'answer', status: 403, headers });
    await expect(viewerLogin(github)).rejects.toMatchObject({ code: 'forge_limited' });
    const { github: reader, server: other } = await open({}, 'reader');
    const { number } = other.open({});
    const refused = createComment(reader, number, 'Hello');
    await expect(refused).rejects.toMatchObject({ code: 'forge_refused', status: 403, isUnclear: false });
    expect(waits).toEqual([]);
  });

  it.each([
    ['cut after it was done', { kind: 'cut', afterDoing: true }],
    ['lost behind a gateway', { kind: 'answer', status: 504, afterDoing: true }],
  ] as const)('posts once if the answer was %s, and reports the outcome as unclear', async (_, fault) => {
    const { server, github } = await open();
    const { number } = server.open({});
    server.force('POST issues/{n}/comments', fault);
    await expect(createComment(github, number, 'Hello')).rejects.toMatchObject({ isUnclear: true });
    expect(server.comments).toHaveLength(1);
  });

  it('never reveals the token', async () => {
    const { server, github } = await open();
    server.force('GET git/ref/heads/{path}', { kind: 'answer', status: 401, body: { message: `Bad ${TOKEN}` } });
    const error: Error = await branchHead(github, 'main').then(
      () => expect.unreachable(),
      (thrown: Error) => thrown,
    );
    expect(inspect([error, github], { depth: 9, showHidden: true }) + error.stack).not.toContain('canary');
    for (const apiUrl of ['http://api.example.com', 'ftp://localhost', 'nonsense']) {
      expect(() => openGitHub({ ...server, apiUrl }, TOKEN, null!)).toThrow('unencrypted');
    }
    expect(() => openGitHub(server, `${TOKEN}\n2`, null!)).toThrow(
      /^(?!.*canary).*The token for GitHub contains invalid characters/s,
    );
  });

  it('follows the redirect of a renamed repository, but not to another host', async () => {
    const elsewhere = await startServer((_, response) => response.end('{}'));
    onTestFinished(() => elsewhere.close());
    const { server, github } = await open();
    const { number } = server.open({});
    const moved = `${server.apiUrl}${github.root}/issues/${number}/comments`;
    const route = 'POST issues/{n}/comments';
    server.force(route, { kind: 'answer', status: 307, headers: { location: moved } });
    await createComment(github, number, 'Hello');
    expect(server.comments).toHaveLength(1);
    server.force(route, { kind: 'answer', status: 307, headers: { location: elsewhere.url } });
    await expect(createComment(github, number, 'Hello')).rejects.toMatchObject({ code: 'forge_answer_invalid' });
    expect(elsewhere.requests).toEqual([]);
  });

  it('reports an unreachable server', async () => {
    const { server, github, waits } = await open();
    await server.close();
    await expect(viewerLogin(github)).rejects.toMatchObject({ code: 'forge_unreachable', isUnclear: false });
    expect(waits).toHaveLength(4);
  });
});

describe('commitOnBranch()', () => {
  it('commits onto the expected tip and reports a tip that moved or is protected', async () => {
    const remote = await newRemote();
    const clone = await cloneOf(remote);
    const first = await clone.commit({ 'reelform.lock.json': '{}\n', 'a.txt': 'a' });
    await clone.git('push', '--quiet', 'origin', 'HEAD:main');
    const { server, github } = await open({ remote });
    const commit = {
      branch: 'main',
      expectedHead: first,
      headline: 'Lock',
      additions: { 'reelform.lock.json': 'é\n' },
    };

    const done = await commitOnBranch(github, { ...commit, body: 'Rendered-By: reelform' });
    expect(done).toMatchObject({ kind: 'committed', oid: await branchHead(github, 'main') });
    expect(await remote.git('show', '--format=%an%n%B', '--name-only', 'main')).toBe(
      'github-actions[bot]\nLock\n\nRendered-By: reelform\n\n\nreelform.lock.json',
    );
    expect(await readFileAt(github, 'reelform.lock.json', 'main')).toBe('é\n');
    expect(await readFileAt(github, 'none.json', 'main')).toBeNull();

    expect(await commitOnBranch(github, commit)).toEqual({ kind: 'moved' });
    const head = (await branchHead(github, 'main'))!;
    for (const rules of ['classic', 'ruleset'] as const) {
      server.protectedBranches.set('main', rules);
      expect(await commitOnBranch(github, { ...commit, expectedHead: head })).toMatchObject({ kind: 'protected' });
    }
    server.protectedBranches.clear();
    server.force('GraphQL createCommitOnBranch', { kind: 'cut', afterDoing: true });
    expect(await commitOnBranch(github, { ...commit, expectedHead: head })).toEqual({ kind: 'moved' });
    server.force('GraphQL createCommitOnBranch', { kind: 'answer', status: 409 });
    expect(await commitOnBranch(github, { ...commit, expectedHead: head })).toEqual({ kind: 'moved' });
    const ours = { ...commit, branch: 'reelform/lock', body: 'Body', onto: first, seen: null };
    const put = await putOnto(github, ours);
    expect(put).toMatchObject({ kind: 'committed', oid: await branchHead(github, 'reelform/lock') });
    // A writer that has not seen this commit.
    expect(await putOnto(github, { ...ours, headline: 'Theirs' })).toEqual({ kind: 'moved' });
    const { oid } = put as { oid: string };
    const again = { ...ours, onto: head, seen: oid, additions: { 'reelform.lock.json': '[]\n' } };
    for (const fault of [{ kind: 'cut' }, { kind: 'answer', status: 502 }] as const) {
      server.force('GraphQL updateRefs', { ...fault, afterDoing: true });
      const seen = await branchHead(github, 'reelform/lock');
      expect(await putOnto(github, { ...again, seen })).toMatchObject({ kind: 'committed' });
    }
    expect(await remote.git('rev-list', '--parents', '-1', 'reelform/lock')).toContain(` ${head}`);
    expect(await remote.git('show', 'reelform/lock:a.txt')).toBe('a');
    server.protectedBranches.set('reelform/lock', 'ruleset');
    const seen = await branchHead(github, 'reelform/lock');
    const other = { ...again, seen, headline: 'Other' };
    expect(await putOnto(github, other)).toMatchObject({ kind: 'protected' });
    server.force('POST git/trees', { kind: 'answer', status: 403 });
    await expect(putOnto(github, again)).rejects.toMatchObject({ code: 'forge_refused', status: 403 });
    server.protectedBranches.clear();
    const pull = { title: 'Lock', body: 'Body', head: 'reelform/lock', base: 'main' };
    const { number } = await createPull(github, pull);
    await expect(createPull(github, pull)).rejects.toMatchObject({ status: 422 });
    await updatePull(github, number, { body: 'Other' });
    expect(await pullsOfHead(github, 'acme:reelform/lock')).toMatchObject([{ number, body: 'Other', isOpen: true }]);
  });
});

describe('issues and pull requests', () => {
  it('are found by their author and the start of their body', async () => {
    const { server, github } = await open();
    server.open({ body: '<!-- m -->', user: 'someone' });
    const { number } = await createIssue(github, { title: 'Failed', body: '<!-- m -->\nMore', labels: ['reelform'] });
    const issue = { author: await viewerLogin(github), marker: '<!-- m -->' };
    expect(await findIssues(github, issue)).toMatchObject([{ number, isOpen: true }]);
    await updateIssue(github, number, { state: 'closed' });
    expect(await findIssues(github, issue)).toMatchObject([{ number, isOpen: false }]);
    const merged = 'f'.repeat(40);
    server.open({
      number: 9,
      pull: { headOwner: 'acme', headBranch: 'b', headSha: 'a', base: 'main', mergedAs: merged },
    });
    expect(await pullsOfCommit(github, merged)).toMatchObject([{ number: 9, isMerged: true }]);
  });
});

describe('GraphQL operations', () => {
  it("are valid against GitHub's schema", async () => {
    const { schema } = await import('@octokit/graphql-schema');
    const known = buildASTSchema(parse(schema.idl, { noLocation: true }), { assumeValidSDL: true });
    for (const text of [VIEWER_QUERY, COMMIT_MUTATION, MINIMIZE_MUTATION, REPOSITORY_QUERY, SWAP_MUTATION])
      expect(validate(known, parse(text))).toEqual([]);
  });
});
