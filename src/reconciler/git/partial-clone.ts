import { runGit, tryGit } from './run-git.ts';

/** Time that a remote may take to send the objects, in milliseconds. */
const FETCH_MS = 600_000;

/**
 * Fetches objects that a partial clone has left out, in one request instead of a request for each object.
 *
 * @param root absolute
 * @returns the objects that are still missing, because the remote did not send them
 * @throws ReelformError `git_failed`
 * @see https://git-scm.com/docs/partial-clone
 */
export async function fetchMissing(root: string, oids: ReadonlySet<string>): Promise<ReadonlySet<string>> {
  const settings = await tryGit(root, ['config', '--get-regexp', String.raw`^remote\..*\.promisor$`]);
  const remote = /^remote\.(.*)\.promisor true$/m.exec(settings ?? '')?.[1];
  if (remote === undefined) return new Set();
  const missing = await withoutLocal(root, oids);
  if (missing.size === 0) return missing;
  // The command that git itself runs for a missing object.
  const options = ['--no-tags', '--no-write-fetch-head', '--recurse-submodules=no', '--filter=blob:none', '--stdin'];
  const fetched = await tryGit(root, ['-c', 'fetch.negotiationAlgorithm=noop', 'fetch', remote, ...options], {
    input: [...missing, ''].join('\n'),
    timeoutMs: FETCH_MS,
  });
  return fetched === null ? withoutLocal(root, missing) : new Set();
}

async function withoutLocal(root: string, oids: ReadonlySet<string>): Promise<Set<string>> {
  // Asking for a single object would fetch it.
  const all = ['cat-file', '--batch-check=%(objectname)', '--batch-all-objects', '--unordered'];
  const missing = new Set(oids);
  for (const oid of (await runGit(root, all, { timeoutMs: Infinity })).split('\n')) missing.delete(oid);
  return missing;
}
