import { type ExternalUpload, type RenderSession, SESSION_PRIORITIES } from '../../../contract/wire/render-session.ts';
import type { Sha256 } from '../../../kernel/digest.ts';
import type { Claimed, SessionStore, StoredSession, TenantId } from '../../sessions/ports.ts';
import { countPendingDeliveries, withoutVideo } from '../../sessions/session-deliveries.ts';
import { styleVersionsOf } from '../../sessions/session-scenes.ts';
import type { OutputIndex } from '../ports.ts';
import type { Queryable, StoreContext } from './database.ts';
import { runIdempotent } from './idempotency-claims.ts';
import { readCursor, writeCursor } from './page-cursor.ts';

interface Row {
  readonly tenant: TenantId;
  readonly session: RenderSession;
  readonly output_name: string;
  readonly attempt: number;
  readonly render_progress: number;
  readonly scene: Sha256 | null;
  readonly external_uploads: ExternalUpload[] | null;
  readonly video_seconds: number;
}

const COLUMNS = 'tenant, session, output_name, attempt, render_progress, scene, external_uploads, video_seconds';

interface SessionTableOptions extends StoreContext {
  /**
   * Runs when a session enters a status, including the first, in the transaction that writes the status: queues its
   * jobs, deliveries and notifications.
   */
  onStatus(tx: Queryable, stored: StoredSession): Promise<void>;
  /**
   * Runs when uploads are requested for a rendered session, in the transaction that records them.
   *
   * @param positions in `external_uploads`
   */
  onUploads?(tx: Queryable, stored: StoredSession, positions: readonly number[]): Promise<void>;
}

/**
 * Stores sessions in the database. A session, its notifications and its job are created in one transaction. Concurrent
 * requests with one Idempotency-Key wait for the first.
 */
export function createSessionTable({
  database,
  now,
  onStatus,
  onUploads,
}: SessionTableOptions): SessionStore & OutputIndex {
  return {
    create: (stored, claim) =>
      runIdempotent(database, { tenant: stored.tenant, claim, now: now(), answer: stored.session }, async (tx) => {
        await insert(tx, stored);
        await onStatus(tx, stored);
        return stored.session;
      }) as Promise<Claimed<RenderSession>>,

    change: (tenant, id, claim, change) =>
      runIdempotent(database, { tenant, claim, now: now() }, async (tx) => {
        const before = await lockSession(tx, id);
        if (before?.tenant !== tenant) return null;
        const changed = change(before.session);
        await writeSession(tx, changed);
        const after = {
          ...changed,
          render_progress: Math.max(changed.render_progress, before.session.render_progress),
        };
        const stored = { ...before, session: after };
        if (after.status !== before.session.status) await onStatus(tx, stored);
        const asked = after.status === 'preview_rendered' ? newUploads(before.session, after) : [];
        if (asked.length > 0) await onUploads?.(tx, stored, asked);
        return after;
      }),

    async get(tenant, id) {
      const [row] = await database.query<Row>(
        `select ${COLUMNS} from reelform.sessions where tenant = $1 and id = $2`,
        [tenant, id],
      );
      return row === undefined ? null : asStored(row);
    },

    async list(tenant, { limit, cursor, status, styleVersionId, createdSince, createdBefore, metadata }) {
      const after = cursor === null ? null : readCursor(cursor);
      const rows = await database.query<Row>(
        `select ${COLUMNS} from reelform.sessions
          where tenant = $1
            and ($2::text is null or status = $2)
            and ($3::text is null or style_version_id = $3 or $3 = any(style_version_ids))
            and ($4::timestamptz is null or (created_at, id) < ($4, $5::text))
            and ($6::timestamptz is null or created_at >= $6)
            and ($7::timestamptz is null or created_at < $7)
            and ($8::jsonb is null or metadata @> $8)
          order by created_at desc, id desc
          limit $9`,
        [
          tenant,
          status,
          styleVersionId,
          after?.createdAt ?? null,
          after?.id ?? null,
          createdSince,
          createdBefore,
          Object.keys(metadata).length === 0 ? null : JSON.stringify(metadata),
          limit + 1,
        ],
      );
      const sessions = rows.slice(0, limit).map(asStored);
      const last = sessions.at(-1)?.session;
      const hasMore = rows.length > limit && last !== undefined;
      return { sessions, nextCursor: hasMore ? writeCursor({ createdAt: last.created_at, id: last.id }) : null };
    },

    async remove(tenant, id) {
      const gone = await database.query('delete from reelform.sessions where tenant = $1 and id = $2 returning id', [
        tenant,
        id,
      ]);
      return gone.length > 0;
    },

    async begin(id) {
      const [row] = await database.query<Row>(
        `update reelform.sessions set attempt = attempt + 1
          where id = $1 and status = 'preview_rendering' returning ${COLUMNS}`,
        [id],
      );
      return row === undefined ? null : asStored(row);
    },

    async record(id, attempt, session, inputDigest) {
      const write = async (on: Queryable): Promise<boolean> => {
        const [row] = await on.query<Row>(
          `update reelform.sessions set ${ASSIGNMENTS}, scene = coalesce($8, scene)
            where id = $1 and attempt = $9 and status = 'preview_rendering' returning ${COLUMNS}`,
          [...valuesOf(id, session), inputDigest ?? null, attempt],
        );
        if (row !== undefined && !isQueued(session)) await onStatus(on, await settled(on, asStored(row)));
        return row !== undefined;
      };
      if (inputDigest === undefined && isQueued(session)) return write(database);
      return database.transaction(async (tx) => {
        // Prevents the sweeper from removing the files that the session is about to reference.
        if (inputDigest !== undefined) await lockRendering(tx, inputDigest, 'shared');
        return write(tx);
      });
    },

    async findOutput(place) {
      const [column, value] = 'outputName' in place ? ['output_name', place.outputName] : ['id', place.sessionId];
      const [row] = await database.query<{ scene: Sha256; session: RenderSession }>(
        `select scene, session from reelform.sessions
          where ${column} = $1 and status = 'preview_rendered' and scene is not null
            and (expires_at is null or expires_at > $2::timestamptz)`,
        [value, new Date(now()).toISOString()],
      );
      return row === undefined ? null : { inputDigest: row.scene, title: row.session.title };
    },
  };
}

/** `$1` is the id. Progress never decreases, even with concurrent writers. */
const ASSIGNMENTS = `
  status = $2, style_version_id = $3, created_at = $4::timestamptz, expires_at = $5::timestamptz,
  render_progress = greatest(render_progress, $6), session = $7::json`;

function valuesOf(id: string, session: RenderSession): unknown[] {
  return [
    id,
    session.status,
    session.mapping.template_style_version_id,
    session.created_at,
    session.expires_at ?? null,
    session.render_progress,
    JSON.stringify({ ...session, external_uploads: undefined }),
  ];
}

async function insert(tx: Queryable, stored: StoredSession): Promise<void> {
  const { tenant, session, outputName, attempt, inputDigest, videoSeconds } = stored;
  const { metadata, priority = 'normal' } = session;
  await tx.query(
    `insert into reelform.sessions (id, status, style_version_id, created_at, expires_at, render_progress, session,
        external_uploads, open_uploads, tenant, output_name, attempt, scene, video_seconds, metadata, priority,
        style_version_ids)
      values ($1, $2, $3, $4::timestamptz, $5::timestamptz, $6, $7::json, $8::json, $9, $10, $11, $12, $13, $14,
        $15::jsonb, $16, $17::text[])`,
    [
      ...valuesOf(session.id, session),
      ...uploadValuesOf(session),
      tenant,
      outputName,
      attempt,
      inputDigest,
      videoSeconds,
      metadata === undefined ? null : JSON.stringify(metadata),
      SESSION_PRIORITIES.indexOf(priority) - SESSION_PRIORITIES.indexOf('normal'),
      session.scenes === undefined ? null : styleVersionsOf({ scenes: session.scenes }),
    ],
  );
}

/** Returns a session and locks it until the end of the transaction; null when it does not exist. */
export async function lockSession(tx: Queryable, id: string): Promise<StoredSession | null> {
  const [row] = await tx.query<Row>(`select ${COLUMNS} from reelform.sessions where id = $1 for update`, [id]);
  return row === undefined ? null : asStored(row);
}

/** Writes all fields of a locked session. */
export async function writeSession(tx: Queryable, session: RenderSession): Promise<void> {
  await tx.query(
    `update reelform.sessions set ${ASSIGNMENTS}, external_uploads = $8::json, open_uploads = $9 where id = $1`,
    [...valuesOf(session.id, session), ...uploadValuesOf(session)],
  );
}

/**
 * A session that ended without a video has nothing to deliver, but uploads may have been added while it was rendered.
 */
async function settled(on: Queryable, stored: StoredSession): Promise<StoredSession> {
  if (stored.session.status === 'preview_rendered' || countPendingDeliveries(stored.session) === 0) return stored;
  const session = withoutVideo(stored.session);
  await writeSession(on, session);
  return { ...stored, session };
}

/**
 * Returns the positions of uploads that were added or restarted, @see addUploads: existing ones keep their identity.
 */
function newUploads(before: RenderSession, { external_uploads = [] }: RenderSession): number[] {
  return external_uploads.flatMap((upload, position) =>
    upload.status === 'pending' && upload !== before.external_uploads?.[position] ? [position] : [],
  );
}

function uploadValuesOf(session: RenderSession): unknown[] {
  const { external_uploads: uploads } = session;
  return [uploads === undefined ? null : JSON.stringify(uploads), countPendingDeliveries(session)];
}

function asStored(row: Row): StoredSession {
  const { tenant, render_progress, output_name: outputName, attempt, scene: inputDigest, external_uploads } = row;
  const uploads = external_uploads === null ? {} : { external_uploads };
  const session = { ...row.session, render_progress, ...uploads };
  return { tenant, session, outputName, attempt, inputDigest, videoSeconds: row.video_seconds };
}

function isQueued(session: RenderSession): boolean {
  return session.status === 'preview_rendering';
}

/**
 * Locks a rendering until the end of the transaction: shared to reference its files, exclusive to remove them. Uses the
 * first 60 bits of the digest; a collision only causes unnecessary waiting.
 */
export async function lockRendering(tx: Queryable, digest: Sha256, how: 'shared' | 'exclusive'): Promise<void> {
  const name = BigInt(`0x${digest.slice(0, 15)}`).toString();
  await tx.query(`select pg_advisory_xact_lock${how === 'shared' ? '_shared' : ''}($1::bigint)`, [name]);
}
