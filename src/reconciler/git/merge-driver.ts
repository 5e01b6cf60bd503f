import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nullIfMissing } from '../../kernel/file-system-error.ts';
import { runGit, tryGit } from './run-git.ts';

/**
 * Returns the command that git runs at the top of its work tree to merge a lockfile. `--no`: npx must not install
 * anything during a merge.
 *
 * @param prefix the lockfile's folder below the top, with a trailing `/`
 */
function driverCommand(prefix: string): string {
  const where = prefix === '' ? '' : ` --prefix './${prefix.replaceAll("'", "'\\''")}'`;
  return `npx --no${where} reelform lock merge %O %A %B`;
}

/** Result for a setting. `keptValue`: a different value that existed and was kept. */
type Installed = 'done' | 'already' | { readonly keptValue: string };

/**
 * Registers the merge driver for a lockfile: a line in `.gitattributes`, to be committed, and a setting of this clone.
 * Keeps existing values.
 *
 * @param root folder of the lockfile, absolute
 * @throws ReelformError `git_failed` outside a repository
 */
export async function installMergeDriver(
  root: string,
  file: string,
  write: (path: string, text: string) => Promise<void>,
): Promise<{ readonly attributes: Installed; readonly driver: Installed }> {
  const printed = await runGit(root, ['check-attr', '-z', 'merge', '--', file]);
  const attribute = printed.split('\0')[2] ?? 'unspecified';
  const driver = (await tryGit(root, ['config', '--get', 'merge.reelform.driver']))?.trimEnd() ?? null;
  if (attribute === 'unspecified') await addLine(join(root, '.gitattributes'), `${file} merge=reelform`, write);
  if (driver === null) {
    await runGit(root, ['config', '--local', 'merge.reelform.name', 'Reelform lockfile, entry by entry']);
    const prefix = (await runGit(root, ['rev-parse', '--show-prefix'])).replace(/\n$/, '');
    await runGit(root, ['config', '--local', 'merge.reelform.driver', driverCommand(prefix)]);
  }
  return {
    attributes: attribute === 'unspecified' ? 'done' : attribute === 'reelform' ? 'already' : { keptValue: attribute },
    driver: driver === null ? 'done' : / lock merge %O %A %B$/.test(driver) ? 'already' : { keptValue: driver },
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
 * Merges three files by line into the first, as git does without a driver, with conflict markers where necessary.
 * Leaves the first file unchanged when git fails.
 *
 * @param root base of the paths, absolute
 */
export async function mergeLines(root: string, [base, ours, theirs]: readonly [string, string, string]): Promise<void> {
  const labels = ['ours', 'base', 'theirs'].flatMap((label) => ['-L', label]);
  // The exit status is the number of conflicts.
  await tryGit(root, ['merge-file', ...labels, '--', ours, base, theirs]);
}

/** The three versions of an unmerged file; null for a side without the file. */
interface UnmergedVersions {
  readonly base: string | null;
  readonly ours: string | null;
  readonly theirs: string | null;
}

/**
 * Returns the three versions of an unmerged file from the index. Returns null if it is not unmerged, or outside of a
 * repository.
 *
 * @param root absolute
 * @param file relative to the root
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
