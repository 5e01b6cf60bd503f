import type { Sha256 } from '../../../kernel/digest.ts';
import { repeat } from '../../../kernel/repeat.ts';
import type { SessionStore, TenantId } from '../../sessions/ports.ts';
import {
  type ChunkFiles,
  type ChunkJob,
  type ChunkKey,
  chunkJobId,
  type DistributedRender,
  type DistributedRenderStore,
  type SessionAttempt,
} from '../../sessions/segments/distributed-renders.ts';
import type { ObjectStorage } from '../ports.ts';
import type { ServiceContext } from '../service-context.ts';
import type { Database, Queryable } from '../store/database.ts';

interface DistributedRenderTableOptions {
  readonly database: Database;
  readonly store: Pick<SessionStore, 'get'>;
  /** Queues a job of a tenant in the transaction, ahead of all waiting sessions. */
  enqueue(tx: Queryable, id: string, tenant: TenantId, delayMs: number): Promise<void>;
  /** Milliseconds between two progress updates, which also check that the session is still running. */
  readonly watchMs: number;
  /** Milliseconds after which a waiting session checks again whether another session has rendered its input. */
  readonly waitMs: number;
}

interface Row {
  readonly tenant: TenantId;
  readonly queued_at: string;
  readonly begun_at: string;
  readonly scene_sha256: Sha256;
}

interface ChunkColumns {
  readonly first_segment: number;
  readonly end_segment: number;
  readonly frame_count: number;
  readonly sha256: Sha256 | null;
}

/** `$1` is the session id, `$2` the attempt. */
const AT_WORK = `id = $1 and attempt = $2 and status = 'preview_rendering'`;

/**
 * Stores the chunks of distributed renders in the database. All writers lock rows in the same order: the session,
 * the distributed render, its chunks. Removing a session cascades in the same order.
 */
export function createDistributedRenderTable({
  database,
  store,
  enqueue,
  watchMs,
  waitMs,
}: DistributedRenderTableOptions): DistributedRenderStore {
  const renders: DistributedRenderStore = {
    begin: ({ session, attempt }, render) =>
      database.transaction(async (tx) => {
        const [running] = await tx.query<{ tenant: TenantId }>(
          `select tenant from reelform.sessions where ${AT_WORK} for update`,
          [session, attempt],
        );
        if (running === undefined) return false;
        await tx.query('delete from reelform.session_splits where session_id = $1', [session]);
        await insert(tx, { session, attempt }, render);
        for (const chunk of render.chunks.keys()) {
          await enqueue(tx, chunkJobId({ session, attempt, kind: 'chunk', chunk }), running.tenant, 0);
        }
        return true;
      }),

    async find({ session, attempt }) {
      const [row] = await database.query<Row>(
        `select tenant, queued_at, begun_at, scene_sha256
          from reelform.sessions s join reelform.session_splits p on p.session_id = s.id and p.attempt = s.attempt
          where s.id = $1 and s.attempt = $2 and s.status = 'preview_rendering'`,
        [session, attempt],
      );
      const stored = row === undefined ? null : await store.get(row.tenant, session);
      // The session may have ended between the two queries.
      if (row === undefined || stored?.attempt !== attempt || stored.session.status !== 'preview_rendering')
        return null;
      const chunks = await database.query<ChunkColumns>(
        `select first_segment, end_segment, frame_count, sha256
          from reelform.session_parts where session_id = $1 order by part`,
        [session],
      );
      return { stored, ...asDistributedRender(row, chunks) };
    },

    watch: (of, work, onLost) =>
      watchSession(
        watchMs,
        () =>
          work === null ? isAtWork(database, of) : report(database, { ...of, chunk: work.chunk }, work.framesDone()),
        onLost,
      ),

    finish: ({ session, attempt, chunk }, sha256) =>
      database.transaction(async (tx) => {
        const [render] = await tx.query<{ tenant: TenantId }>(
          `select tenant from reelform.session_splits p join reelform.sessions s on s.id = p.session_id
            where p.session_id = $1 and p.attempt = $2 for update of p`,
          [session, attempt],
        );
        if (render === undefined) return;
        const marked = await tx.query(
          `update reelform.session_parts set sha256 = $3, frames_done = frame_count
            where session_id = $1 and part = $2 and sha256 is null returning part`,
          [session, chunk, sha256],
        );
        if (marked.length === 0) return;
        const [{ parts_left } = { parts_left: 0 }] = await tx.query<{ parts_left: number }>(
          `update reelform.session_splits set parts_left = parts_left - 1 where session_id = $1 returning parts_left`,
          [session],
        );
        if (parts_left > 0) return;
        await enqueue(tx, chunkJobId({ session, attempt, kind: 'join' }), render.tenant, 0);
      }),

    async end({ session, attempt }) {
      await database.query('delete from reelform.session_splits where session_id = $1 and attempt = $2', [
        session,
        attempt,
      ]);
    },

    wait: ({ session, attempt }, count) =>
      database.transaction(async (tx) => {
        const [running] = await tx.query<{ tenant: TenantId; scene: Sha256 }>(
          `select tenant, scene from reelform.sessions where ${AT_WORK} for update`,
          [session, attempt],
        );
        if (running === undefined) return 'gone';
        const [rendering] = await tx.query<{ render_progress: number }>(
          `select s.render_progress
            from reelform.sessions s join reelform.session_splits p on p.session_id = s.id and p.attempt = s.attempt
            where s.scene = $1 and s.status = 'preview_rendering' and s.id <> $2 limit 1`,
          [running.scene, session],
        );
        if (rendering === undefined) return 'free';
        await tx.query('update reelform.sessions set render_progress = greatest(render_progress, $2) where id = $1', [
          session,
          rendering.render_progress,
        ]);
        const job: ChunkJob = { session, attempt, kind: 'wait', count };
        await enqueue(tx, chunkJobId(job), running.tenant, waitMs);
        return 'waits';
      }),
  };
  return renders;
}

async function insert(
  tx: Queryable,
  { session, attempt }: SessionAttempt,
  { queuedAtMs, begunAtMs, inputSha256, chunks }: Omit<DistributedRender, 'stored'>,
): Promise<void> {
  const times = [queuedAtMs, begunAtMs].map((ms) => new Date(ms).toISOString());
  await tx.query(
    `insert into reelform.session_splits (session_id, attempt, queued_at, begun_at, scene_sha256, parts_left)
      values ($1, $2, $3::timestamptz, $4::timestamptz, $5, $6)`,
    [session, attempt, ...times, inputSha256, chunks.length],
  );
  await tx.query(
    `insert into reelform.session_parts (session_id, part, first_segment, end_segment, frame_count)
      select $1, part - 1, first_segment, end_segment, frame_count
        from unnest($2::integer[], $3::integer[], $4::integer[])
          with ordinality as given (first_segment, end_segment, frame_count, part)`,
    [
      session,
      chunks.map(({ pieces }) => pieces.first),
      chunks.map(({ pieces }) => pieces.end),
      chunks.map(({ frameCount }) => frameCount),
    ],
  );
}

function asDistributedRender(
  { queued_at, begun_at, scene_sha256 }: Row,
  chunks: readonly ChunkColumns[],
): Omit<DistributedRender, 'stored'> {
  return {
    queuedAtMs: Date.parse(queued_at),
    begunAtMs: Date.parse(begun_at),
    inputSha256: scene_sha256,
    chunks: chunks.map(({ first_segment: first, end_segment: end, frame_count: frameCount, sha256 }) => ({
      pieces: { first, end },
      frameCount,
      sha256,
    })),
  };
}

async function isAtWork(on: Queryable, { session, attempt }: SessionAttempt): Promise<boolean> {
  return (await on.query(`select 1 from reelform.sessions where ${AT_WORK}`, [session, attempt])).length > 0;
}

/**
 * Writes the progress of a chunk and the resulting progress of the session, which never decreases. @returns whether the
 * session is still running
 */
function report(database: Database, { session, attempt, chunk }: ChunkKey, framesDone: number): Promise<boolean> {
  return database.transaction(async (tx) => {
    const updated = await tx.query(
      `update reelform.sessions set render_progress = greatest(render_progress, least(99, floor((
          select sum(case when part = $3 then greatest(frames_done, $4) else frames_done end) * 100.0 / sum(frame_count)
            from reelform.session_parts where session_id = $1))))
        where ${AT_WORK} and exists
          (select 1 from reelform.session_splits p where p.session_id = $1 and p.attempt = $2)
        returning id`,
      [session, attempt, chunk, framesDone],
    );
    if (updated.length === 0) return false;
    await tx.query(
      `update reelform.session_parts set frames_done = greatest(frames_done, $3)
        where session_id = $1 and part = $2 and frames_done < $3`,
      [session, chunk, framesDone],
    );
    return true;
  });
}

/**
 * Reports progress periodically. Continues when the database does not respond, because finishing the chunk checks the
 * session again.
 *
 * @param report returns whether the session is still running
 * @param onLost called at most once
 * @returns stops the watch after a final report
 */
function watchSession(everyMs: number, report: () => Promise<boolean>, onLost: () => void): () => Promise<void> {
  let isOver = false;
  const check = async (): Promise<void> => {
    if (await report().catch(() => true)) return;
    isOver = true;
    void watch.stop();
    onLost();
  };
  const watch = repeat(everyMs, check);
  return async () => {
    await watch.stop();
    if (isOver) return;
    isOver = true;
    // A report that was running may have started before the last frame.
    await check();
  };
}

/** Prefix of the folders for distributed renders, one per attempt. */
const CHUNKS_FOLDER = 'parts/';

/**
 * Stores the intermediate files of a distributed render: `parts/<session>.<attempt>/scene` and `…/<chunk>`. One folder
 * per attempt, so that they are removed together.
 */
export function createChunkFiles(storage: ObjectStorage): ChunkFiles {
  const pathOf = ({ chunk, ...of }: ChunkKey): string => `${folderOf(of)}${chunk}`;
  return {
    putInput: (of, bytes) => storage.put(`${folderOf(of)}scene`, bytes),
    readInput: (of) => storage.read(`${folderOf(of)}scene`),
    putChunk: (key, bytes) => storage.put(pathOf(key), bytes),
    readChunk: (key) => storage.read(pathOf(key)),
    remove: (of) => storage.remove(folderOf(of)),
  };
}

function folderOf({ session, attempt }: SessionAttempt): string {
  return `${CHUNKS_FOLDER}${session}.${attempt}/`;
}

/** Parses the name of an attempt's folder. Returns null for other folders. */
function attemptOf(folder: string): SessionAttempt | null {
  const match = /^(rs_[\w-]+)\.(\d+)$/.exec(folder);
  return match === null ? null : { session: match[1]!, attempt: Number(match[2]) };
}

/** Longer than any session is rendered. */
const LEFT_MS = 86_400_000;

interface SweepChunksOptions extends Pick<ServiceContext, 'database' | 'now'> {
  readonly storage: ObjectStorage;
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
