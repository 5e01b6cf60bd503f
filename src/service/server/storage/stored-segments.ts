import type { Sha256 } from '../../../kernel/digest.ts';
import { isIntact, type SegmentStore } from '../../sessions/segments/segment-cache.ts';
import { errorMessage } from '../log.ts';
import type { ObjectStorage } from '../ports.ts';
import type { ServiceContext } from '../service-context.ts';

/** Minimum milliseconds between two updates of the last use. */
const TOUCH_MS = 3_600_000;

interface StoredSegmentsOptions extends Pick<ServiceContext, 'database' | 'log' | 'now'> {
  readonly storage: ObjectStorage;
}

/**
 * Stores finished segments in the storage of the service, where all workers find them; the database has their size and
 * last use. Segments are verified when read. Failures are logged and count as missing, so that the render goes on.
 */
export function createStoredSegments({ database, storage, log, now }: StoredSegmentsOptions): SegmentStore {
  const at = (ms = 0): string => new Date(now() - ms).toISOString();
  const unlessFailed = async <T>(work: Promise<T>, otherwise: T): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      log.warn({ error: errorMessage(error) }, 'a stored segment cannot be read or written; rendering goes on');
      return otherwise;
    }
  };
  const read = async (key: Sha256): Promise<Uint8Array | null> => {
    const bytes = await storage.read(objectOf(key));
    if (bytes === null) return null;
    if (!isIntact(bytes)) {
      log.warn({ segment: key }, 'a stored segment is damaged and is rendered again');
      return null;
    }
    await database.query(
      'update reelform.segments set used_at = $2::timestamptz where key = $1 and used_at < $3::timestamptz',
      [key, at(), at(TOUCH_MS)],
    );
    return bytes;
  };
  const write = async (key: Sha256, bytes: Uint8Array): Promise<void> => {
    // Recorded first, so that the sweeper finds every object.
    await database.query(
      `insert into reelform.segments (key, bytes, used_at) values ($1, $2, $3::timestamptz)
        on conflict (key) do update set bytes = excluded.bytes, used_at = excluded.used_at`,
      [key, bytes.length, at()],
    );
    await storage.put(objectOf(key), bytes);
  };
  return {
    get: (key) => unlessFailed(read(key), null),
    has: (key) =>
      unlessFailed(
        storage.stat(objectOf(key)).then((found) => found !== null),
        false,
      ),
    put: (key, bytes) => unlessFailed(write(key, bytes), undefined),
  };
}

/** Retention of stored segments. */
export interface SegmentRetention {
  /** Maximum milliseconds since the last use. */
  readonly afterMs: number;
  /** Maximum total bytes of all tenants. */
  readonly maxBytes: number;
}

/** Maximum segments per sweep. */
const BATCH = 5_000;

/** Removes segments that were not used for too long, and the least recently used ones beyond a size. @returns their number */
export async function sweepSegments(
  { database, storage }: Pick<StoredSegmentsOptions, 'database' | 'storage'>,
  { afterMs, maxBytes }: SegmentRetention,
  nowMs: number,
): Promise<number> {
  const old = await database.query<{ key: Sha256; used_at: string }>(
    `select key, used_at::text as used_at from (
        select key, used_at, sum(bytes) over (order by used_at desc, key) as total from reelform.segments
      ) as ranked
      where used_at <= $1::timestamptz or total > $2 order by used_at limit ${BATCH}`,
    [new Date(nowMs - afterMs).toISOString(), maxBytes],
  );
  let removed = 0;
  for (const { key, used_at: usedAt } of old) {
    // A segment that is used meanwhile stays.
    const gone = await database.query(
      'delete from reelform.segments where key = $1 and used_at = $2::timestamptz returning key',
      [key, usedAt],
    );
    if (gone.length === 0) continue;
    await storage.remove(folderOf(key));
    removed += 1;
  }
  return removed;
}

function objectOf(key: Sha256): string {
  return `${folderOf(key)}segment`;
}

function folderOf(key: Sha256): string {
  return `segments/${key}/`;
}
