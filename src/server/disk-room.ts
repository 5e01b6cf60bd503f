import { rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pid } from 'node:process';
import { type ServiceError, serviceError } from '../service/service-error.ts';

const FULL = 'The disk of the service is full';

/** Codes of errors that pass once the operator makes room → what clients and the log are told. */
export const FULL_DISK: Readonly<Record<string, string>> = {
  ENOSPC: FULL,
  EDQUOT: FULL,
  EROFS: 'The disk of the service is read-only',
  // PostgreSQL: disk_full, and read_only_sql_transaction, to which some hosts switch when a disk is full.
  '53100': FULL,
  '25006': 'The database is read-only',
};

/** Whether the files of the service can be written. */
export interface DiskRoom {
  /**
   * Runs work that writes files. What a full disk refuses is an outage (`isOutage`): to be done later.
   *
   * @param sizeBytes of the file, where one is written
   */
  guard<T>(work: () => Promise<T>, sizeBytes?: number): Promise<T>;
  hasRoom(): Promise<boolean>;
  /** @throws ServiceError 503 `unavailable` without room, before work is done whose result could not be kept */
  require(): Promise<void>;
}

const PROBE = new Uint8Array(65_536);
const FRESH_MS = 2_000;
/** After a write was refused, work of that size is tried again so much later at the latest. */
const REFUSED_MS = 30_000;

/** Watches the disk of a folder: by its refusals, and by writing a small file when it is asked. EDGE. */
export function createDiskRoom(directory: string): DiskRoom {
  let refused: { readonly at: number; readonly sizeBytes: number } | null = null;
  let known: { readonly at: number; readonly answer: Promise<boolean> } | null = null;

  const isRefused = async (): Promise<boolean> => {
    if (refused === null || performance.now() - refused.at > REFUSED_MS) return false;
    const { bavail, bsize } = await statfs(directory);
    return bavail * bsize < refused.sizeBytes;
  };
  const look = async (): Promise<boolean> => {
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
    if (known === null || performance.now() - known.at > FRESH_MS) known = { at: performance.now(), answer: look() };
    return known.answer;
  };
  return {
    async guard(work, sizeBytes = Number.POSITIVE_INFINITY) {
      try {
        return await work();
      } catch (error) {
        const outage = fullDisk(error);
        if (outage === null) throw error;
        refused = { at: performance.now(), sizeBytes };
        known = null;
        throw outage;
      }
    },
    hasRoom,
    async require() {
      if (!(await hasRoom())) throw serviceError('unavailable', 'The disk of the service cannot be written');
    },
  };
}

/** The outage that an error of a full disk is, null for every other error. */
export function fullDisk(error: unknown): ServiceError | null {
  const code = (error as { code?: unknown } | null)?.code;
  const reason = typeof code === 'string' ? FULL_DISK[code] : undefined;
  return reason === undefined ? null : serviceError('unavailable', reason);
}
