import { chmod, mkdir, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pid, platform } from 'node:process';
import { type ServiceError, serviceError } from '../../contract/service-error.ts';
import { ReelformError } from '../../kernel/diagnostic.ts';
import { nullIfMissing } from '../../kernel/file-system-error.ts';
import type { Log } from './log.ts';

/** Permission bits of the group and of other users. */
const NOT_OWNER = 0o077;
const DATABASE = 'database';

/**
 * Creates the folders of a data folder and removes the permissions of other users. The folder may have been created by
 * an older version, by hand or by a container. A data folder that belongs to another user, for example a Kubernetes
 * volume, stays unchanged: only its subfolders become private.
 *
 * @param names of subfolders, created if missing
 * @throws ReelformError `data_exposed`: other users can read a folder and its permissions cannot be changed
 */
export async function openDataFolder(directory: string, names: readonly string[], log: Log): Promise<void> {
  for (const name of names) await mkdir(join(directory, name), { recursive: true, mode: 0o700 });
  if (!(await makePrivate(directory, log))) {
    log.warn(
      { directory },
      'other users can list the data folder, and its permissions cannot be changed; the folders in it are private',
    );
  }
  for (const name of [...names, DATABASE]) {
    const path = join(directory, name);
    if (await makePrivate(path, log)) continue;
    throw new ReelformError(
      'data_exposed',
      `Other users of this machine can open ${path}, and its permissions cannot be changed`,
      {
        hint: 'Make the service user its owner, with mode 0700, or choose another data folder',
      },
    );
  }
}

/**
 * @returns false when other users keep permissions; true for a missing folder and on systems without permission bits
 */
async function makePrivate(path: string, log: Log): Promise<boolean> {
  if (platform === 'win32') return true;
  const before = await rightsOf(path);
  if ((before & NOT_OWNER) === 0) return true;
  // Some file systems refuse chmod and other file systems ignore it, so the result is checked below.
  await chmod(path, before & ~NOT_OWNER).catch(() => undefined);
  if (((await rightsOf(path)) & NOT_OWNER) !== 0) return false;
  log.warn({ path, was: before.toString(8) }, 'other users could open this folder; now only its owner can');
  return true;
}

async function rightsOf(path: string): Promise<number> {
  return ((await nullIfMissing(stat(path)))?.mode ?? 0) & 0o777;
}

const FULL = 'The disk of the service is full';

/** Error codes that disappear once the operator makes room → the message for clients and the log. */
export const DISK_ERRORS: Readonly<Record<string, string>> = {
  ENOSPC: FULL,
  EDQUOT: FULL,
  EROFS: 'The disk of the service is read-only',
  // PostgreSQL: disk_full, and read_only_sql_transaction, which some hosts return when a disk is full.
  '53100': FULL,
  '25006': 'The database is read-only',
};

/** Detects whether the service can write its files. */
export type DiskSpace = ReturnType<typeof watchDiskSpace>;

const PROBE = new Uint8Array(65_536);
const FRESH_MS = 2_000;
/** Maximum time after a refused write before a write of that size is tried again. */
const REFUSED_MS = 30_000;

/** Monitors the disk of a folder: remembers refused writes and probes with a small file on demand. */
export function watchDiskSpace(directory: string) {
  let refused: { readonly at: number; readonly sizeBytes: number } | null = null;
  let known: { readonly at: number; readonly answer: Promise<boolean> } | null = null;

  const isRefused = async (): Promise<boolean> => {
    if (refused === null || performance.now() - refused.at > REFUSED_MS) return false;
    const { bavail, bsize } = await statfs(directory);
    return bavail * bsize < refused.sizeBytes;
  };
  const probe = async (): Promise<boolean> => {
    const path = join(directory, `.room-${pid}`);
    try {
      await writeFile(path, PROBE, { mode: 0o600 });
      return !(await isRefused());
    } catch {
      return false;
    } finally {
      await rm(path, { force: true }).catch(() => undefined);
    }
  };
  const hasRoom = (): Promise<boolean> => {
    if (known === null || performance.now() - known.at > FRESH_MS) known = { at: performance.now(), answer: probe() };
    return known.answer;
  };
  return {
    /**
     * Runs `work`, which writes files, and converts a full disk into an outage (`isOutage`) that is retried later.
     *
     * @param sizeBytes size of the file, if a single file is written
     */
    async guard<T>(work: () => Promise<T>, sizeBytes = Number.POSITIVE_INFINITY): Promise<T> {
      try {
        return await work();
      } catch (error) {
        const outage = diskOutage(error);
        if (outage === null) throw error;
        refused = { at: performance.now(), sizeBytes };
        known = null;
        throw outage;
      }
    },
    hasRoom,
    /**
     * @throws ServiceError 503 `unavailable` without free space, before starting work whose result could not be stored
     */
    async require(): Promise<void> {
      if (!(await hasRoom())) throw serviceError('unavailable', 'The service cannot write to its disk');
    },
  };
}

/** Converts the error of a full disk into an outage. Returns null for every other error. */
export function diskOutage(error: unknown): ServiceError | null {
  const code = (error as { code?: unknown } | null)?.code;
  const reason = typeof code === 'string' ? DISK_ERRORS[code] : undefined;
  return reason === undefined ? null : serviceError('unavailable', reason);
}
