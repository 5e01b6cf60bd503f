import type { PartFiles, PartKey, SessionAttempt } from '../../session/segments/split-ports.ts';
import type { ObjectStorage } from '../ports.ts';
import type { Database } from '../store/database.ts';

/** Prefix of the folders for distributed renders, one per attempt. */
export const PARTS_FOLDER = 'parts/';

/**
 * Stores the intermediate files of a distributed render: `parts/<session>.<attempt>/scene` and `…/<part>`. One folder
 * per attempt, so that they are removed together.
 */
export function createPartFiles(storage: ObjectStorage): PartFiles {
  const ofPart = ({ part, ...of }: PartKey): string => `${folderOf(of)}${part}`;
  return {
    putScene: (of, bytes) => storage.put(`${folderOf(of)}scene`, bytes),
    readScene: (of) => storage.read(`${folderOf(of)}scene`),
    putPart: (key, bytes) => storage.put(ofPart(key), bytes),
    readPart: (key) => storage.read(ofPart(key)),
    remove: (of) => storage.remove(folderOf(of)),
  };
}

function folderOf({ session, attempt }: SessionAttempt): string {
  return `${PARTS_FOLDER}${session}.${attempt}/`;
}

/** Parses the name of an attempt's folder. Returns null for other folders. */
export function attemptOf(folder: string): SessionAttempt | null {
  const match = /^(rs_[\w-]+)\.(\d+)$/.exec(folder);
  return match === null ? null : { session: match[1]!, attempt: Number(match[2]) };
}

/** Longer than any session is rendered. */
const LEFT_MS = 86_400_000;

interface SweepPartsOptions {
  readonly database: Database;
  readonly storage: ObjectStorage;
  /** Milliseconds since the epoch. */
  now(): number;
}

/**
 * Removes the remains of distributed renders whose process was killed: files older than a day, and rows of attempts
 * that are no longer running.
 *
 * @returns the number of removed folders
 */
export async function sweepPartFiles({ database, storage, now }: SweepPartsOptions): Promise<number> {
  await database.query(
    `delete from reelform.session_splits p using reelform.sessions s
      where s.id = p.session_id and (s.status <> 'preview_rendering' or s.attempt <> p.attempt)`,
  );
  const old = (await storage.list(PARTS_FOLDER)).filter(({ modifiedAt }) => modifiedAt <= now() - LEFT_MS);
  let removed = 0;
  for (const { name } of old) {
    const of = attemptOf(name);
    if (of === null) continue;
    const atWork = await database.query(
      'select 1 from reelform.session_splits where session_id = $1 and attempt = $2',
      [of.session, of.attempt],
    );
    if (atWork.length > 0) continue;
    await storage.remove(`${PARTS_FOLDER}${name}/`);
    removed++;
  }
  return removed;
}
