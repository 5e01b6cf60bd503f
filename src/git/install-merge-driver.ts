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
