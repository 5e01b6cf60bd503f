import { defined } from '../../../kernel/defined.ts';
import { isRecord } from '../../../kernel/json.ts';
import { ForgeError, parseAnswer } from '../forge-client.ts';
import { type GitHub, requestJson, textField } from './github.ts';

type CommitOutcome =
  | { readonly kind: 'committed'; readonly oid: string; readonly url: string }
  /** The branch has moved, or may have because there was no answer: read it again. */
  | { readonly kind: 'moved' }
  /** The repository requires a pull request, or the token may not write to the branch. */
  | { readonly kind: 'protected'; readonly why: string };

export const COMMIT_MUTATION = `mutation ($input: CreateCommitOnBranchInput!) {
  createCommitOnBranch(input: $input) { commit { oid url } }
}`;

const PROTECTED = /protected branch|branch is protected|rule violation|through a pull request/i;

/**
 * Commits files to a branch if its tip is the expected commit: a compare-and-swap, signed by GitHub, without a work tree.
 *
 * @param additions complete files by path; texts are UTF-8
 */
export async function commitOnBranch(
  github: GitHub,
  commit: {
    readonly branch: string;
    readonly expectedHead: string;
    readonly headline: string;
    readonly body?: string;
    readonly additions: Readonly<Record<string, string>>;
    readonly deletions?: readonly string[];
  },
): Promise<CommitOutcome> {
  const input = {
    branch: { repositoryNameWithOwner: github.repository, branchName: commit.branch },
    expectedHeadOid: commit.expectedHead,
    message: { headline: commit.headline, ...defined({ body: commit.body }) },
    fileChanges: {
      additions: Object.entries(commit.additions).map(([path, text]) => ({
        path,
        contents: Buffer.from(text).toString('base64'),
      })),
      deletions: (commit.deletions ?? []).map((path) => ({ path })),
    },
  };
  try {
    const { createCommitOnBranch } = await github.graphql(COMMIT_MUTATION, { input }, 'once');
    const created = isRecord(createCommitOnBranch) ? createCommitOnBranch.commit : null;
    return { kind: 'committed', oid: textField(created, 'oid'), url: textField(created, 'url') };
  } catch (error) {
    if (!(error instanceof ForgeError)) throw error;
    const isConflict = error.status === 409 || error.types.includes('STALE_DATA');
    if (error.isUnclear || isConflict) return { kind: 'moved' };
    if (isProtection(error)) return { kind: 'protected', why: error.message };
    throw error;
  }
}

/** Checks whether a rule of the repository caused the refusal. */
function isProtection({ types, message }: ForgeError): boolean {
  return types.includes('BRANCH_PROTECTION_RULE_VIOLATION') || PROTECTED.test(message);
}

/** Returns the commit of a branch; null when there is no such branch. */
export async function branchHead(github: GitHub, branch: string): Promise<string | null> {
  const path = `${github.root}/git/ref/heads/${branch.split('/').map(encodeURIComponent).join('/')}`;
  const answer = await orNull(github.rest.send('GET', path));
  if (answer === null) return null;
  const value = parseAnswer(answer, `GET ${path}`, 'GitHub');
  return textField(isRecord(value) ? value.object : null, 'sha');
}

/**
 * Returns a file at a commit or a branch; null when it does not exist. Up to 100 MB.
 *
 * @param ref a branch may be up to a minute old, a commit is exact
 */
export async function readFileAt(github: GitHub, path: string, ref: string): Promise<string | null> {
  const name = path.split('/').map(encodeURIComponent).join('/');
  const query = `ref=${encodeURIComponent(ref)}`;
  const answer = await orNull(github.rest.send('GET', `${github.root}/contents/${name}?${query}`));
  if (answer === null) return null;
  const value = parseAnswer(answer, `GET ${name}`, 'GitHub');
  if (isRecord(value) && value.encoding === 'base64')
    return Buffer.from(textField(value, 'content'), 'base64').toString();
  // Answers omit the content of files above 1 MB, so the blob is read.
  const blob = await requestJson(github, 'GET', `${github.root}/git/blobs/${textField(value, 'sha')}`);
  return Buffer.from(textField(blob, 'content'), 'base64').toString();
}

async function orNull<T>(action: Promise<T>): Promise<T | null> {
  try {
    return await action;
  } catch (error) {
    if (error instanceof ForgeError && error.status === 404) return null;
    throw error;
  }
}

export const REPOSITORY_QUERY = `query ($owner: String!, $name: String!) {
  repository(owner: $owner, name: $name) { id }
}`;

export const SWAP_MUTATION = `mutation ($input: UpdateRefsInput!) {
  updateRefs(input: $input) { clientMutationId }
}`;

/** GitHub's object id for a missing branch. */
const NOWHERE = '0'.repeat(40);

/**
 * Resets one of our branches to a single commit on top of another, if the branch is at the expected commit, or missing
 * if it was. REST has no such compare-and-swap: `PATCH git/refs` accepts only descendants, or overwrites the
 * branch unconditionally.
 *
 * @param commit.onto the parent
 * @param commit.seen expected commit of the branch; null when it is missing
 * @param commit.additions complete files by path
 */
export async function putOnto(
  github: GitHub,
  commit: {
    readonly branch: string;
    readonly onto: string;
    readonly seen: string | null;
    readonly headline: string;
    readonly body: string;
    readonly additions: Readonly<Record<string, string>>;
  },
): Promise<CommitOutcome> {
  const { branch, seen } = commit;
  const { oid, url } = await createCommit(github, commit);
  const [owner, name] = github.repository.split('/');
  try {
    const { repository } = await github.graphql(REPOSITORY_QUERY, { owner, name }, 'safe');
    const update = { name: `refs/heads/${branch}`, beforeOid: seen ?? NOWHERE, afterOid: oid, force: true };
    // Safe to repeat: a second identical swap is refused, and then the branch shows the result.
    const input = { repositoryId: textField(repository, 'id'), refUpdates: [update] };
    await github.graphql(SWAP_MUTATION, { input }, 'safe');
    return { kind: 'committed', oid, url };
  } catch (error) {
    if (!(error instanceof ForgeError)) throw error;
    const head = await branchHead(github, branch);
    if (head === oid) return { kind: 'committed', oid, url };
    if (head !== seen || error.isUnclear || isStale(error)) return { kind: 'moved' };
    if (isProtection(error)) return { kind: 'protected', why: error.message };
    throw error;
  }
}

/** Also true when our read of the branch was stale. */
function isStale({ types, message }: ForgeError): boolean {
  return types.includes('STALE_DATA') || /expected .* to (?:point|be)|is at [0-9a-f]{40} but expected/i.test(message);
}

/** Creates a commit without a branch. GitHub signs those of apps and jobs if they name no author. */
async function createCommit(
  github: GitHub,
  commit: Parameters<typeof putOnto>[1],
): Promise<{ readonly oid: string; readonly url: string }> {
  // Safe to repeat: GitHub deletes unreferenced objects.
  const post = (path: string, body: object): Promise<unknown> =>
    requestJson(github, 'POST', `${github.root}/git/${path}`, { body, repeatability: 'safe' });
  const parent = await requestJson(github, 'GET', `${github.root}/git/commits/${commit.onto}`);
  const entries = Object.entries(commit.additions);
  const tree = await post('trees', {
    base_tree: textField(isRecord(parent) ? parent.tree : null, 'sha'),
    tree: entries.map(([path, content]) => ({ path, mode: '100644', type: 'blob', content })),
  });
  const created = await post('commits', {
    message: `${commit.headline}\n\n${commit.body}`,
    tree: textField(tree, 'sha'),
    parents: [commit.onto],
  });
  return { oid: textField(created, 'sha'), url: textField(created, 'html_url') };
}

/** Returns the first parent of a commit; null when there is none. */
export async function firstParent(github: GitHub, sha: string): Promise<string | null> {
  const value = await requestJson(github, 'GET', `${github.root}/git/commits/${sha}`);
  const parents = isRecord(value) && Array.isArray(value.parents) ? value.parents : [];
  return parents.length === 0 ? null : textField(parents[0], 'sha');
}
