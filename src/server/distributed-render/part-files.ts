import type { PartFiles, PartKey, SessionAttempt } from '../../session/segments/split-ports.ts';
import type { ObjectStorage } from '../ports.ts';
import type { Database } from '../store/database.ts';

/** Below it a folder for each attempt at a session that is rendered in parts. */
export const PARTS_FOLDER = 'parts/';

/** `parts/<session>.<attempt>/scene` and `…/<part>`: what an attempt leaves lies together, and goes together. */
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

/** Whose folder it is; null for one that is none of ours. */
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
 * Removes what sessions that were rendered in parts have left because a process was killed: files older than a day, and
 * rows, of attempts that are not at work any more.
 *
 * @returns folders
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
