import type { Sha256 } from '../../kernel/digest.ts';
import { type Repetition, repeat } from '../../kernel/repeat.ts';
import type { SessionStore, TenantId } from '../sessions/ports.ts';
import { expiredDraft } from '../sessions/render-session.ts';
import type { Sources } from '../sessions/sources/sources.ts';
import { sweepChunkFiles } from './distributed-render/distributed-render-table.ts';
import { errorMessage, type Log } from './log.ts';
import type { ObjectStorage } from './ports.ts';
import type { ServiceContext } from './service-context.ts';
import { retentionOf } from './settings/retention.ts';
import type { Settings } from './settings/settings-table.ts';
import { type SegmentRetention, sweepSegments } from './storage/stored-segments.ts';
import type { Database } from './store/database.ts';
import { lockRendering } from './store/session-table.ts';

const FOLDER = 'renderings/';
/** Minimum age of unused renderings, so that a rendering that is being written is kept. */
const UNUSED_MS = 3_600_000;
/** Retention of webhook messages and their deliveries. */
const WEBHOOK_MS = 30 * 86_400_000;
const BATCH = 500;
/** Size limit of the cache of fetched sources. */
const FETCHED_MAX_BYTES = 10_000_000_000;

interface SweepOptions extends Pick<ServiceContext, 'database' | 'now'> {
  /** Contains `renderings/<digest>/…`. */
  readonly storage: ObjectStorage;
  readonly sources: Pick<Sources, 'prune'>;
  /** Drafts never expire when absent. */
  readonly drafts?: DraftExpiry;
  /** Segments are kept when absent. */
  readonly segments?: SegmentRetention;
}

/**
 * Expires abandoned drafts and removes outdated data:
 * - sessions past `expires_at` without pending deliveries, expired Idempotency-Keys and expired issued tokens
 * - webhook messages after 30 days
 * - renderings older than an hour that no rendered or running session references
 * - remains of distributed renders after a day
 * - segments beyond their retention, except those that are used meanwhile
 * - the least recently used fetched sources beyond 10 GB
 *
 * Tokens that an operator created and uploads are kept. Several processes may sweep at once, and while sessions are
 * rendered.
 *
 * @returns how many of each; a webhook message counts with its deliveries
 */
export async function sweep({ database, storage, sources, drafts, segments: retention, now }: SweepOptions) {
  /** @returns the number of removed rows */
  const remove = async (rowsUntil: string, atMs: number): Promise<number> => {
    const statement = `delete from reelform.${rowsUntil} <= $1::timestamptz returning 1`;
    return (await database.query(statement, [new Date(atMs).toISOString()])).length;
  };
  const expired = drafts === undefined ? 0 : await expireDrafts(database, drafts, now());
  const sessions = await remove('sessions where open_uploads = 0 and expires_at', now());
  const claims = await remove('claims where expires_at', now());
  await remove('tokens where parent_id is not null and expires_at', now());
  const messages = await remove('webhook_messages where created_at', now() - WEBHOOK_MS);
  const old = (await storage.list(FOLDER))
    .filter(({ name, modifiedAt }) => /^[0-9a-f]{64}$/.test(name) && modifiedAt <= now() - UNUSED_MS)
    .map(({ name }) => name as Sha256);
  let renderings = 0;
  for (let start = 0; start < old.length; start += BATCH) {
    const unused = await database.query<{ scene: Sha256 }>(
      `select scene from unnest($1::text[]) as old (scene) where not exists (${REFERENCE})`,
      [old.slice(start, start + BATCH)],
    );
    for (const { scene } of unused) {
      if (await removeRendering({ database, storage }, scene)) renderings++;
    }
  }
  await sweepChunkFiles({ database, storage, now });
  const segments = retention === undefined ? 0 : await sweepSegments({ database, storage }, retention, now());
  await sources.prune(FETCHED_MAX_BYTES);
  return { drafts: expired, sessions, claims, messages, renderings, segments };
}

/** A failed session does not reference its input. */
const REFERENCE = `select 1 from reelform.sessions
  where sessions.scene = old.scene and status in ('preview_rendering', 'preview_rendered')`;

/** Checks again under the lock, because a session may have referenced the input in the meantime. */
function removeRendering(
  { database, storage }: Pick<SweepOptions, 'database' | 'storage'>,
  digest: Sha256,
): Promise<boolean> {
  return database.transaction(async (tx) => {
    await lockRendering(tx, digest, 'exclusive');
    const used = await tx.query(`select 1 from (select $1::text as scene) as old where exists (${REFERENCE})`, [
      digest,
    ]);
    if (used.length > 0) return false;
    await storage.remove(`${FOLDER}${digest}/`);
    return true;
  });
}

/** Sweeps at once and then every `everyMs`. Logs a failed sweep and continues. */
export function createSweeper({ everyMs, log, ...options }: SweepOptions & { everyMs: number; log: Log }): Repetition {
  const sweeper = repeat(everyMs, async () => {
    try {
      const swept = await sweep(options);
      if (Object.values(swept).some((count) => count > 0)) log.info({ ...swept }, 'removed expired data');
    } catch (error) {
      log.error({ error: errorMessage(error) }, 'removal of expired data failed');
    }
  });
  void sweeper.now();
  return sweeper;
}

const SWEEP_EVERY_MS = 600_000;

interface SweeperOptions extends ServiceContext, Pick<SweepOptions, 'storage' | 'sources'> {
  readonly settings: Settings;
  readonly store: Pick<SessionStore, 'change'>;
}

/** Starts the periodic sweep of a service with the retention times of its settings. */
export function startSweeper({ settings, database, storage, sources, store, log, now }: SweeperOptions): Repetition {
  const { sessionMs, draftMs, segmentMs, segmentBytes } = retentionOf(settings);
  return createSweeper({
    database,
    storage,
    sources,
    drafts: { store, afterMs: draftMs, retentionMs: sessionMs },
    segments: { afterMs: segmentMs, maxBytes: segmentBytes },
    everyMs: SWEEP_EVERY_MS,
    log,
    now,
  });
}

/** Maximum number of drafts per sweep. */
const DRAFT_BATCH = 500;

interface DraftExpiry {
  readonly store: Pick<SessionStore, 'change'>;
  /** Maximum time that a draft may stay unchanged. */
  readonly afterMs: number;
  /** Retention of ended sessions; null for unlimited. */
  readonly retentionMs: number | null;
}

/** Ends drafts that have not changed for too long. @returns their number */
async function expireDrafts(
  database: Database,
  { store, afterMs, retentionMs }: DraftExpiry,
  nowMs: number,
): Promise<number> {
  const before = new Date(nowMs - afterMs).toISOString();
  const drafts = await database.query<{ tenant: TenantId; id: string }>(
    `select tenant, id from reelform.sessions
      where status = 'draft' and created_at <= $1::timestamptz and session ->> 'updated_at' <= $2
      order by created_at limit ${DRAFT_BATCH}`,
    [before, before],
  );
  for (const { tenant, id } of drafts) {
    await store.change(tenant, id, null, (session) => {
      // The draft may have been changed or started in the meantime.
      const isAbandoned = session.status === 'draft' && session.updated_at <= before;
      return isAbandoned ? expiredDraft(session, { nowMs, retentionMs }) : session;
    });
  }
  return drafts.length;
}
