import { emptyLock, type Lock } from '../lock/lock.ts';
import { parseLock } from '../lock/parse-lock.ts';
import { fetchAlone } from './fetch-alone.ts';
import { gitName, runGit, tryGit } from './run-git.ts';

/**
 * The lockfile as the remote's default branch has it: what is in there lasts, whatever becomes of a pull request. EDGE. An
 * empty one when there is none or it cannot be read: then nothing is known to last.
 *
 * @throws ReelformError `git_failed` when the remote cannot be asked
 */
export async function defaultBranchLock(root: string, remote: string, lockFile: string): Promise<Lock> {
  const told = await runGit(root, ['ls-remote', '--symref', '--', gitName(remote), 'HEAD']);
  const ref = /^ref: (\S+)\tHEAD$/m.exec(told)?.[1];
  const commit = /^([0-9a-f]{40,64})\tHEAD$/m.exec(told)?.[1];
  if (ref === undefined || commit === undefined) return emptyLock;
  if ((await tryGit(root, ['cat-file', '-e', `${commit}^{commit}`])) === null) {
    // A shallow repository would get all of the branch's history otherwise; a whole one would become shallow by this.
    const isShallow = (await runGit(root, ['rev-parse', '--is-shallow-repository'])).trim() === 'true';
    await fetchAlone(root, [...(isShallow ? ['--depth=1'] : []), '--', remote, ref]);
  }
  const prefix = (await runGit(root, ['rev-parse', '--show-prefix'])).trimEnd();
  const text = await tryGit(root, ['cat-file', 'blob', `${commit}:${prefix}${lockFile}`]);
  const lock = text === null ? null : parseLock(text, lockFile);
  return lock?.ok === true ? lock.value : emptyLock;
}
