import type { ChunkFiles, ChunkKey, SessionAttempt } from '../../session/segments/chunk-ports.ts';
import type { ObjectStorage } from '../ports.ts';
import type { Database } from '../store/database.ts';

/** Prefix of the folders for distributed renders, one per attempt. */
export const CHUNKS_FOLDER = 'parts/';

/**
 * Stores the intermediate files of a distributed render: `parts/<session>.<attempt>/scene` and `…/<chunk>`. One folder
 * per attempt, so that they are removed together.
 */
export function createChunkFiles(storage: ObjectStorage): ChunkFiles {
  const pathOf = ({ chunk, ...of }: ChunkKey): string => `${folderOf(of)}${chunk}`;
  return {
    putScene: (of, bytes) => storage.put(`${folderOf(of)}scene`, bytes),
    readScene: (of) => storage.read(`${folderOf(of)}scene`),
    putChunk: (key, bytes) => storage.put(pathOf(key), bytes),
    readChunk: (key) => storage.read(pathOf(key)),
    remove: (of) => storage.remove(folderOf(of)),
  };
}

function folderOf({ session, attempt }: SessionAttempt): string {
  return `${CHUNKS_FOLDER}${session}.${attempt}/`;
}

/** Parses the name of an attempt's folder. Returns null for other folders. */
export function attemptOf(folder: string): SessionAttempt | null {
  const match = /^(rs_[\w-]+)\.(\d+)$/.exec(folder);
  return match === null ? null : { session: match[1]!, attempt: Number(match[2]) };
}

/** Longer than any session is rendered. */
const LEFT_MS = 86_400_000;

interface SweepChunksOptions {
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
export async function sweepChunkFiles({ database, storage, now }: SweepChunksOptions): Promise<number> {
  await database.query(
    `delete from reelform.session_splits p using reelform.sessions s
      where s.id = p.session_id and (s.status <> 'preview_rendering' or s.attempt <> p.attempt)`,
  );
  const old = (await storage.list(CHUNKS_FOLDER)).filter(({ modifiedAt }) => modifiedAt <= now() - LEFT_MS);
  let removed = 0;
  for (const { name } of old) {
    const of = attemptOf(name);
    if (of === null) continue;
    const atWork = await database.query(
      'select 1 from reelform.session_splits where session_id = $1 and attempt = $2',
      [of.session, of.attempt],
    );
    if (atWork.length > 0) continue;
    await storage.remove(`${CHUNKS_FOLDER}${name}/`);
    removed++;
  }
  return removed;
}
