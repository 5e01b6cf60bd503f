import type { Sha256 } from '../digest.ts';
import type { SessionStore, TenantId } from '../session/ports.ts';
import { expiredDraft } from '../session/render-session.ts';
import type { Sources } from '../session/sources/sources.ts';
import { sweepPartFiles } from './distributed-render/part-files.ts';
import type { ObjectStorage } from './ports.ts';
import type { Database } from './store/database.ts';
import { lockScene } from './store/session-table.ts';
import { errorMessage, type Log } from './telemetry/log.ts';

const FOLDER = 'renderings/';
/** A rendering is older than what is just being made of it. */
const UNUSED_MS = 3_600_000;
/** Of what webhooks told, and what came of it. */
const WEBHOOK_MS = 30 * 86_400_000;
const BATCH = 500;
/** Of what was fetched from URLs. */
const FETCHED_MAX_BYTES = 10_000_000_000;

export interface SweepOptions {
  readonly database: Database;
  /** Holds `renderings/<scene>/…`. */
  readonly storage: ObjectStorage;
  readonly sources: Pick<Sources, 'prune'>;
  /** Absent: drafts stay for good. */
  readonly drafts?: DraftExpiry;
  /** Milliseconds since the epoch. */
  now(): number;
}

export interface Swept {
  /** Drafts that ended. */
  readonly drafts: number;
  readonly sessions: number;
  readonly claims: number;
  /** Messages of webhooks, with their deliveries. */
  readonly messages: number;
  readonly renderings: number;
}

/**
 * Ends drafts that were left unfinished, and removes what has had its time: sessions past `expires_at` of which nothing is being delivered, expired Idempotency-Keys, messages of webhooks after 30 days,
 * renderings older than an hour that no session refers to, rendered or at work, what renders in parts have left after a day,
 * issued tokens that have expired, and of what was fetched from URLs the part beyond 10 GB that was used longest ago. Tokens that an
 * operator created and uploads are kept for ever.
 * Several processes may sweep at once, and while sessions are being rendered.
 */
export async function sweep({ database, storage, sources, drafts, now }: SweepOptions): Promise<Swept> {
  const at = new Date(now()).toISOString();
  const expired = drafts === undefined ? 0 : await expireDrafts(database, drafts, now());
  const sessions = await database.query(
    'delete from reelform.sessions where expires_at <= $1::timestamptz and open_uploads = 0 returning id',
    [at],
  );
  const claims = await database.query('delete from reelform.claims where expires_at <= $1::timestamptz returning key', [
    at,
  ]);
  await database.query('delete from reelform.tokens where parent_id is not null and expires_at <= $1::timestamptz', [
    at,
  ]);
  const messages = await database.query(
    'delete from reelform.webhook_messages where created_at <= $1::timestamptz returning id',
    [new Date(now() - WEBHOOK_MS).toISOString()],
  );
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
  await sweepPartFiles({ database, storage, now });
  await sources.prune(FETCHED_MAX_BYTES);
  return {
    drafts: expired,
    sessions: sessions.length,
    claims: claims.length,
    messages: messages.length,
    renderings,
  };
}

/** A session that failed refers to nothing, though it may have begun with the scene. */
const REFERENCE = `select 1 from reelform.sessions
  where sessions.scene = old.scene and status in ('preview_rendering', 'preview_rendered')`;

/** Looked at once more under the lock: a session may have taken the scene up in between. */
function removeRendering(
  { database, storage }: Pick<SweepOptions, 'database' | 'storage'>,
  scene: Sha256,
): Promise<boolean> {
  return database.transaction(async (tx) => {
    await lockScene(tx, scene, 'exclusive');
    const used = await tx.query(`select 1 from (select $1::text as scene) as old where exists (${REFERENCE})`, [scene]);
    if (used.length > 0) return false;
    await storage.remove(`${FOLDER}${scene}/`);
    return true;
  });
}

export interface Sweeper {
  /** Waits for a sweep that is under way. */
  stop(): Promise<void>;
}

/** Sweeps now and then every `everyMs`; one that fails is said in the log, and the next one tries again. */
export function createSweeper({ everyMs, log, ...options }: SweepOptions & { everyMs: number; log: Log }): Sweeper {
  let running: Promise<void> = Promise.resolve();
  const run = async (): Promise<void> => {
    try {
      const swept = await sweep(options);
      if (Object.values(swept).some((count) => count > 0)) log.info({ ...swept }, 'what has had its time was removed');
    } catch (error) {
      log.error({ error: errorMessage(error) }, 'sweeping failed');
    }
  };
  const next = (): void => {
    running = running.then(run);
  };
  next();
  const timer = setInterval(next, everyMs);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}

/** Drafts in one sweep; the next one goes on. */
const DRAFT_BATCH = 500;

interface DraftExpiry {
  readonly store: Pick<SessionStore, 'change'>;
  /** How long a draft may stay unchanged. */
  readonly afterMs: number;
  /** How long an ended session is kept; null for good. */
  readonly retentionMs: number | null;
}

/** Ends drafts that nobody has changed for too long. @returns how many */
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
      // It may have been changed or rendered in between.
      const isAbandoned = session.status === 'draft' && session.updated_at <= before;
      return isAbandoned ? expiredDraft(session, { nowMs, retentionMs }) : session;
    });
  }
  return drafts.length;
}
