import { chmod, mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { platform } from 'node:process';
import { ReelformError } from '../diagnostic.ts';
import { nullIfMissing } from '../file-system-error.ts';
import type { Log } from './telemetry/log.ts';

/** What the group and others may do. */
const NOT_OWNER = 0o077;
const DATABASE = 'database';

/**
 * Makes the folders of a data folder, and takes the rights of other users away from it and from them. EDGE. A folder may have
 * been made by an older version, by hand, or by a container. A data folder that belongs to another user, as a volume of
 * Kubernetes does, stays as it is: what is in it is private.
 *
 * @param names of folders below it, made if need be
 * @throws ReelformError `data_exposed`: a folder with content can be read by other users, and cannot be changed
 */
export async function openDataFolder(directory: string, names: readonly string[], log: Log): Promise<void> {
  for (const name of names) await mkdir(join(directory, name), { recursive: true, mode: 0o700 });
  if (!(await makePrivate(directory, log))) {
    log.warn(
      { directory },
      'other users can list the data folder, which cannot be changed; the folders in it are private',
    );
  }
  for (const name of [...names, DATABASE]) {
    const path = join(directory, name);
    if (await makePrivate(path, log)) continue;
    throw new ReelformError(
      'data_exposed',
      `Other users of the machine can open ${path}, and its rights cannot be changed`,
      {
        hint: 'Give it to the user of the service with mode 0700, or choose another data folder',
      },
    );
  }
}

/** @returns false where other users keep rights; true for a folder that is not there, and where rights have no meaning */
async function makePrivate(path: string, log: Log): Promise<boolean> {
  if (platform === 'win32') return true;
  const before = await rightsOf(path);
  if ((before & NOT_OWNER) === 0) return true;
  // Some file systems refuse this, and others take no notice of it.
  await chmod(path, before & ~NOT_OWNER).catch(() => undefined);
  if (((await rightsOf(path)) & NOT_OWNER) !== 0) return false;
  log.warn({ path, was: before.toString(8) }, 'other users could open this folder; now its owner alone can');
  return true;
}

async function rightsOf(path: string): Promise<number> {
  return ((await nullIfMissing(stat(path)))?.mode ?? 0) & 0o777;
}
