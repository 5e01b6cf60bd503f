import { isRecord } from '../../json.ts';
import { readJson } from '../forge-client.ts';
import { ForgeError } from '../forge-error.ts';
import { type GitHub, textOf } from './github.ts';

/** What became of a commit. */
export type CommitOutcome =
  | { readonly kind: 'committed'; readonly oid: string; readonly url: string }
  /** The branch is elsewhere, or may be since no answer came: read it again. */
  | { readonly kind: 'moved' }
  /** Rules of the repository want a pull request, or the token has no right to this branch. */
  | { readonly kind: 'protected'; readonly why: string };

export const COMMIT_MUTATION = `mutation ($input: CreateCommitOnBranchInput!) {
  createCommitOnBranch(input: $input) { commit { oid url } }
}`;

const PROTECTED = /protected branch|branch is protected|rule violation|through a pull request/i;

/**
 * Commits files onto a branch, if its tip is what is expected: compare and swap, signed by GitHub, without a work tree.
 *
 * @param additions by path, whole; texts are UTF-8
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
    message: { headline: commit.headline, ...(commit.body === undefined ? {} : { body: commit.body }) },
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
    const made = isRecord(createCommitOnBranch) ? createCommitOnBranch.commit : null;
    return { kind: 'committed', oid: textOf(made, 'oid'), url: textOf(made, 'url') };
  } catch (error) {
    if (!(error instanceof ForgeError)) throw error;
    const isConflict = error.status === 409 || error.types.includes('STALE_DATA');
    if (error.isUnclear || isConflict) return { kind: 'moved' };
    if (isProtection(error)) return { kind: 'protected', why: error.message };
    throw error;
  }
}

/** Whether rules of the repository were what refused it. */
export function isProtection({ types, message }: ForgeError): boolean {
  return types.includes('BRANCH_PROTECTION_RULE_VIOLATION') || PROTECTED.test(message);
}

/** The commit that a branch is at; null where there is no such branch. */
export async function branchHead(github: GitHub, branch: string): Promise<string | null> {
  const path = `${github.root}/git/ref/heads/${refPath(branch)}`;
  const answer = await orNull(github.rest.send('GET', path));
  if (answer === null) return null;
  const value = readJson(answer, `GET ${path}`, 'GitHub');
  return textOf(isRecord(value) ? value.object : null, 'sha');
}

/**
 * A file at a commit or a branch, as it is; null where there is none. Up to 100 MB.
 *
 * @param ref a commit is read as it is; what a branch gives may be a minute old
 */
export async function readFileAt(github: GitHub, path: string, ref: string): Promise<string | null> {
  const name = path.split('/').map(encodeURIComponent).join('/');
  const query = `ref=${encodeURIComponent(ref)}`;
  const answer = await orNull(github.rest.send('GET', `${github.root}/contents/${name}?${query}`));
  if (answer === null) return null;
  const value = readJson(answer, `GET ${name}`, 'GitHub');
  if (isRecord(value) && value.encoding === 'base64') return Buffer.from(textOf(value, 'content'), 'base64').toString();
  // Above 1 MB there is no content in the description: the blob has it.
  const blob = readJson(
    await github.rest.send('GET', `${github.root}/git/blobs/${textOf(value, 'sha')}`),
    'GET blob',
    'GitHub',
  );
  return Buffer.from(textOf(blob, 'content'), 'base64').toString();
}

async function orNull<T>(action: Promise<T>): Promise<T | null> {
  try {
    return await action;
  } catch (error) {
    if (error instanceof ForgeError && error.status === 404) return null;
    throw error;
  }
}

function refPath(branch: string): string {
  return branch.split('/').map(encodeURIComponent).join('/');
}
