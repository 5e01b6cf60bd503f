import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nullIfMissing } from '../file-system-error.ts';
import { runGit, tryGit } from './run-git.ts';

/**
 * What git runs, at the top of its work tree, to merge a lockfile. `--no`: npx never installs anything in the middle of a
 * merge.
 *
 * @param prefix the lockfile's folder below the top, with `/` at its end
 */
function driverCommand(prefix: string): string {
  const where = prefix === '' ? '' : ` --prefix './${prefix.replaceAll("'", "'\\''")}'`;
  return `npx --no${where} reelform lock merge %O %A %B`;
}

/** What came of one of the two settings; `other`: something else is set there, and was left. */
export type Installed = 'done' | 'already' | { readonly other: string };

/**
 * Lets git merge a lockfile with its driver: the line of `.gitattributes`, to be committed, and the setting of this clone.
 * EDGE. What is set already stays, whatever it is.
 *
 * @param root the folder of the lockfile, absolute
 * @throws ReelformError `git_failed` outside a repository
 */
export async function installMergeDriver(
  root: string,
  file: string,
  write: (path: string, text: string) => Promise<void>,
): Promise<{ readonly attributes: Installed; readonly driver: Installed }> {
  const told = await runGit(root, ['check-attr', '-z', 'merge', '--', file]);
  const attribute = told.split('\0')[2] ?? 'unspecified';
  const driver = (await tryGit(root, ['config', '--get', 'merge.reelform.driver']))?.trimEnd() ?? null;
  if (attribute === 'unspecified') await addLine(join(root, '.gitattributes'), `${file} merge=reelform`, write);
  if (driver === null) {
    await runGit(root, ['config', '--local', 'merge.reelform.name', 'Reelform lockfile, entry by entry']);
    const prefix = (await runGit(root, ['rev-parse', '--show-prefix'])).replace(/\n$/, '');
    await runGit(root, ['config', '--local', 'merge.reelform.driver', driverCommand(prefix)]);
  }
  return {
    attributes: attribute === 'unspecified' ? 'done' : attribute === 'reelform' ? 'already' : { other: attribute },
    driver: driver === null ? 'done' : / lock merge %O %A %B$/.test(driver) ? 'already' : { other: driver },
  };
}

async function addLine(
  path: string,
  line: string,
  write: (path: string, text: string) => Promise<void>,
): Promise<void> {
  const text = (await nullIfMissing(readFile(path, 'utf8'))) ?? '';
  const end = text.includes('\r\n') ? '\r\n' : '\n';
  const separator = text === '' || text.endsWith('\n') ? '' : end;
  await write(path, `${text}${separator}${line}${end}`);
}

/**
 * Merges three files line by line into the first, as git would without a driver: with conflict markers where it has to.
 * EDGE. The first file stays as it is when git can do nothing with them.
 *
 * @param root what the paths are relative to, absolute
 */
export async function mergeLines(root: string, [base, ours, theirs]: readonly [string, string, string]): Promise<void> {
  const labels = ['ours', 'base', 'theirs'].flatMap((label) => ['-L', label]);
  // Its exit status is the number of conflicts.
  await tryGit(root, ['merge-file', ...labels, '--', ours, base, theirs]);
}

/** What git has of a file that it could not merge; null where a side has no such file. */
interface UnmergedVersions {
  readonly base: string | null;
  readonly ours: string | null;
  readonly theirs: string | null;
}

/**
 * The three versions of a file that stands unmerged in the index. EDGE. Null when it does not, or nothing here is git's.
 *
 * @param root absolute
 * @param file relative to it
 */
export async function unmergedVersions(root: string, file: string): Promise<UnmergedVersions | null> {
  const listed = await tryGit(root, ['ls-files', '--unmerged', '-z', '--', `:(literal)${file}`]);
  if (listed === null || listed === '') return null;
  const blobs = new Map<string, string>();
  for (const [, blob = '', stage = ''] of listed.matchAll(/(?:^|\0)\d+ ([0-9a-f]+) ([123])\t/g)) {
    blobs.set(stage, await runGit(root, ['cat-file', 'blob', blob]));
  }
  return { base: blobs.get('1') ?? null, ours: blobs.get('2') ?? null, theirs: blobs.get('3') ?? null };
}
