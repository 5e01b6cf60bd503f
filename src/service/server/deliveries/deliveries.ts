import { uploadEnded } from '../../../contract/render-service.ts';
import type { ExternalUpload } from '../../../contract/wire/render-session.ts';
import { defined } from '../../../kernel/defined.ts';
import type { Json } from '../../../kernel/digest.ts';
import type { DeliveryPorts } from '../../sessions/attempt-delivery.ts';
import {
  type DeliveryJob,
  DeliveryRunner,
  type DeliveryStore,
  type StartedDelivery,
} from '../../sessions/delivery-runner.ts';
import type { StoredSession } from '../../sessions/ports.ts';
import { type Destinations, withDelivery } from '../../sessions/session-deliveries.ts';
import { deliveryReporter } from '../event-reporters.ts';
import { nextPriority, recordStart } from '../queue/fair-priority.ts';
import { Lane } from '../queue/lane.ts';
import type { JobHandler } from '../queue/queues.ts';
import type { ServiceContext } from '../service-context.ts';
import type { Queryable } from '../store/database.ts';
import { lockSession, writeSession } from '../store/session-table.ts';
import type { ServiceMetrics } from '../telemetry/metrics.ts';

interface DeliveriesOptions extends ServiceContext {
  readonly outputs: DeliveryPorts['outputs'];
  readonly destinations: Destinations;
  /** Concurrent deliveries of this process. */
  readonly places: number;
  readonly metrics: Pick<ServiceMetrics, 'deliveryEnded'>;
  /** Runs in the transaction that records the end of an upload, complete or failed. */
  onUpload(tx: Queryable, stored: StoredSession, upload: ExternalUpload): Promise<void>;
  /** Overrides the schedule in tests, @see UploadRunnerPorts. */
  readonly retryDelaysMs?: readonly number[];
}

/** The deliveries of a service process. */
export type Deliveries = ReturnType<typeof openDeliveries>;

/** Delivers finished videos with jobs of the queue `delivery`. */
export function openDeliveries(options: DeliveriesOptions) {
  const { database, queue, outputs, destinations, now, onUpload, retryDelaysMs } = options;
  const table = createExternalUploadTable({
    database,
    now,
    onUpload,
    async plan(tx, job, { tenant }, delayMs) {
      const priority = await nextPriority(tx, 'delivery', tenant);
      await queue.enqueue(tx, 'delivery', writeJob(job), { delayMs, priority, owner: tenant });
    },
  });
  const runner = new DeliveryRunner({
    store: table,
    outputs,
    destinations,
    monotonicNow: () => performance.now(),
    random: () => Math.random(),
    onEvent: deliveryReporter(options.log, options.metrics),
    ...defined({ retryDelaysMs }),
  });
  return {
    /** For `SessionTableOptions.onStatus`: queues the deliveries of a session that has just been rendered. */
    async onStatus(tx: Queryable, stored: StoredSession): Promise<void> {
      const { status, external_uploads: uploads = [] } = stored.session;
      if (status !== 'preview_rendered') return;
      const pending = uploads.flatMap((upload, position) => (upload.status === 'pending' ? [position] : []));
      await table.plan(tx, stored, pending);
    },
    /** For `SessionTableOptions.onUploads`. */
    onUploads: table.plan,
    handler: {
      lane: new Lane({ places: options.places, isFair: true }),
      async run(id, signal, { priority }) {
        await recordStart(database, 'delivery', priority);
        await runner.run(readJob(id), signal);
      },
      onDead: (id) => runner.fail(readJob(id), 'The delivery was started several times without finishing'),
    } satisfies JobHandler,
    stop: (session: string): void => runner.stop(session),
  };
}

/** Formats a job id such as `rs_…/0/2`. Each round is a separate job, because a running round queues its successor. */
function writeJob({ session, position, round }: DeliveryJob): string {
  return `${session}/${position}/${round}`;
}

function readJob(id: string): DeliveryJob {
  const [session = '', position, round] = id.split('/');
  return { session, position: Number(position), round: Number(round) };
}

interface ExternalUploadTableOptions extends Pick<DeliveriesOptions, 'database' | 'now' | 'onUpload'> {
  /** Queues a job in the caller's transaction. */
  plan(tx: Queryable, job: DeliveryJob, stored: StoredSession, delayMs: number): Promise<void>;
}

interface Row {
  readonly round: number;
  readonly attempt: number;
  readonly tries: number;
  readonly state: Json | null;
}

interface ExternalUploadTable extends DeliveryStore {
  /** Queues uploads from their first step. The caller holds the session lock. */
  plan(tx: Queryable, stored: StoredSession, positions: readonly number[]): Promise<void>;
}

const AT = 'session_id = $1 and position = $2';

/**
 * Stores uploads in the database: the public state in their sessions, the rest in a table of its own. Each change locks
 * the session, so that concurrent uploads of one session do not overwrite each other.
 */
function createExternalUploadTable(options: ExternalUploadTableOptions): ExternalUploadTable {
  const { database, now, plan, onUpload } = options;

  /** Locks the session and runs `work` if this attempt is still the latest. */
  const fenced = (
    { stored: { session }, position, attempt }: StartedDelivery,
    work: (tx: Queryable, stored: StoredSession) => Promise<void>,
  ): Promise<boolean> =>
    database.transaction(async (tx) => {
      const stored = await lockSession(tx, session.id);
      if (stored === null) return false;
      const [row] = await tx.query(`select 1 from reelform.external_uploads where ${AT} and attempt = $3`, [
        session.id,
        position,
        attempt,
      ]);
      if (row === undefined) return false;
      await work(tx, stored);
      return true;
    });

  const write = async (
    tx: Queryable,
    stored: StoredSession,
    position: number,
    change: Partial<ExternalUpload>,
  ): Promise<StoredSession> => {
    const session = withDelivery(stored.session, position, change, now());
    await writeSession(tx, session);
    return { ...stored, session };
  };

  return {
    async plan(tx, stored, positions) {
      for (const position of positions) {
        const [row] = await tx.query<{ round: number }>(
          `insert into reelform.external_uploads as known (session_id, position) values ($1, $2)
            on conflict (session_id, position) do update
              set round = known.round + 1, attempt = known.attempt + 1, tries = 0, state = null
            returning round`,
          [stored.session.id, position],
        );
        await plan(tx, { session: stored.session.id, position, round: row!.round }, stored, 0);
      }
    },

    beginUpload: ({ session: id, position, round }) =>
      database.transaction(async (tx) => {
        const stored = await lockSession(tx, id);
        const upload = stored?.session.external_uploads?.[position];
        if (stored === null || upload === undefined || uploadEnded(upload)) return null;
        const [row] = await tx.query<Row>(
          `update reelform.external_uploads set attempt = attempt + 1 where ${AT} and round = $3
            returning round, attempt, tries, state`,
          [id, position, round],
        );
        if (row === undefined) return null;
        const { attempt, tries, state } = row;
        const written = await write(tx, stored, position, { status: 'uploading' });
        return { stored: written, position, upload, attempt, tries, state };
      }),

    async keepUploadState({ stored, position, attempt }, state) {
      const rows = await database.query(
        `update reelform.external_uploads set state = $4::json where ${AT} and attempt = $3 returning position`,
        [stored.session.id, position, attempt, JSON.stringify(state)],
      );
      return rows.length > 0;
    },

    retryUpload: (begun, delayMs) =>
      fenced(begun, async (tx, stored) => {
        const { position } = begun;
        const { id } = stored.session;
        const [row] = await tx.query<Row>(
          `update reelform.external_uploads set round = round + 1, tries = tries + 1 where ${AT} returning round`,
          [id, position],
        );
        const written = await write(tx, stored, position, { status: 'pending' });
        await plan(tx, { session: id, position, round: row!.round }, written, delayMs);
      }),

    endUpload: (begun, end) =>
      fenced(begun, async (tx, stored) => {
        const { position } = begun;
        await tx.query(`update reelform.external_uploads set state = null where ${AT}`, [stored.session.id, position]);
        const written = await write(tx, stored, position, end);
        await onUpload(tx, written, written.session.external_uploads![position]!);
      }),
  };
}
