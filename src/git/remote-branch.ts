import { runGit } from './run-git.ts';

/** By root, the last fetch that was asked for. */
const underWay = new Map<string, Promise<unknown>>();

/**
 * Fetches into no branch of ours, after whatever is being fetched into this repository: in a shallow one, git fails where
 * another fetch is at work. EDGE.
 *
 * @param args what follows: options, `--`, the remote, a ref
 * @throws ReelformError `git_failed`
 */
export async function fetchAlone(root: string, args: readonly string[]): Promise<void> {
  const quietly = ['--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules', '--refmap='];
  const fetched = (underWay.get(root) ?? Promise.resolve()).then(() => runGit(root, ['fetch', ...quietly, ...args]));
  const settled = fetched.catch(() => undefined);
  underWay.set(root, settled);
  await fetched.finally(() => {
    if (underWay.get(root) === settled) underWay.delete(root);
  });
}
