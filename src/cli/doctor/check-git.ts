import { historyGap } from '../../git/lock-history.ts';
import { runGit, tryGit } from '../../git/run-git.ts';
import { LOCK_FILE } from '../../project/repository-layout.ts';
import type { DoctorCheck } from '../../report/terminal/doctor-text.ts';

/** What is not to be committed. */
const IGNORED = ['renders/', '.reelform/'] as const;

/** How git stands to the repository: nothing here has to be, all of it helps. @param root absolute */
export async function checkGit(root: string): Promise<DoctorCheck[]> {
  const version = (await tryGit(root, ['--version']))?.replace(/^git version /, '').trim();
  const skipped = (message: string, hint: string): DoctorCheck[] => [{ name: 'Git', status: 'warning', message, hint }];
  if (version === undefined) {
    return skipped(
      'there is no git on this machine',
      'Install git: former renderings, --changed-since and merges need it',
    );
  }
  const inside = await tryGit(root, ['rev-parse', '--is-inside-work-tree']);
  const gap = await historyGap(root);
  if (inside?.trim() !== 'true') {
    const why = gap?.message ?? 'this is no repository of it, or a broken one';
    return skipped(`${version}; ${why}`, gap?.hint ?? 'Run git init, or git status to see why');
  }
  return [
    gap === null
      ? await checkState(root, version)
      : { name: 'Git', status: 'warning', message: `${version}; ${gap.message}`, hint: gap.hint },
    await checkMergeDriver(root),
    await checkIgnored(root),
    await checkTracked(root),
  ];
}

async function checkState(root: string, version: string): Promise<DoctorCheck> {
  const unmerged = await tryGit(root, ['ls-files', '--unmerged', '--', LOCK_FILE]);
  if (unmerged === null || unmerged === '') return { name: 'Git', status: 'ok', message: version };
  const message = `${version}; the lockfile is in a merge that is not done`;
  return { name: 'Git', status: 'warning', message, hint: 'Run reelform lock merge, then git add the lockfile' };
}

async function checkMergeDriver(root: string): Promise<DoctorCheck> {
  const name = 'Merge driver';
  const attribute = await tryGit(root, ['check-attr', '-z', 'merge', '--', LOCK_FILE]);
  const driver = await tryGit(root, ['config', '--get', 'merge.reelform.driver']);
  if (attribute?.split('\0')[2] === 'reelform' && driver !== null) return { name, status: 'ok', message: 'installed' };
  const message = 'git merges the lockfile line by line';
  return { name, status: 'warning', message, hint: 'Run reelform lock merge --install once in each clone' };
}

async function checkIgnored(root: string): Promise<DoctorCheck> {
  const name = 'Ignored files';
  const told = await runGit(root, ['check-ignore', ...IGNORED.map((folder) => `${folder}x`)]).catch(() => '');
  const missing = IGNORED.filter((folder) => !told.includes(`${folder}x`));
  if (missing.length === 0) return { name, status: 'ok', message: IGNORED.join(', ') };
  const message = `git does not ignore ${missing.join(' and ')}`;
  return { name, status: 'warning', message, hint: `Write into .gitignore, a line each: ${missing.join(' ')}` };
}

async function checkTracked(root: string): Promise<DoctorCheck> {
  const name = 'Lockfile in git';
  const ignored = await tryGit(root, ['check-ignore', '--no-index', LOCK_FILE]);
  if (ignored === null || ignored.trim() === '') return { name, status: 'ok', message: 'it is not ignored' };
  const hint = `Take ${LOCK_FILE} out of .gitignore, and commit it: it is what keeps videos from being rendered again`;
  return { name, status: 'error', message: 'git ignores the lockfile', hint };
}
