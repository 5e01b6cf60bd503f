import type { Destinations } from '../../session/destinations.ts';
import type { StoredSession } from '../../session/ports.ts';
import type { FinishedFiles, UploadJob } from '../../session/upload-ports.ts';
import { UploadRunner } from '../../session/upload-runner.ts';
import type { ExternalUpload } from '../../wire/external-upload.ts';
import { beginTurn, takeTurn } from '../queue/fair-priority.ts';
import type { JobHandler } from '../queue/job-handlers.ts';
import type { JobQueue } from '../queue/job-queue.ts';
import { Lane } from '../queue/lane.ts';
import type { Database, Queryable } from '../store/database.ts';
import type { Log } from '../telemetry/log.ts';
import type { ServiceMetrics } from '../telemetry/metrics.ts';
import { reportDeliveries } from '../telemetry/report-deliveries.ts';
import { createExternalUploadTable } from './external-upload-table.ts';

export interface DeliveriesOptions {
  readonly database: Database;
  readonly queue: Pick<JobQueue, 'enqueue'>;
  readonly files: FinishedFiles;
  readonly destinations: Destinations;
  /** Deliveries at once in this process. */
  readonly places: number;
  readonly log: Log;
  readonly metrics: Pick<ServiceMetrics, 'deliveryEnded'>;
  /** Milliseconds since the epoch. */
  now(): number;
  /** What follows from an upload's end, complete or failed: done in the transaction that writes it. */
  onUpload(tx: Queryable, stored: StoredSession, upload: ExternalUpload): Promise<void>;
  /** @see UploadRunnerPorts */
  readonly retryDelaysMs?: readonly number[];
}

/** What delivers finished videos, by the queue `delivery`. */
export interface Deliveries {
  /** For `SessionTableOptions.onStatus`: what waits for the video begins with it. */
  onStatus(tx: Queryable, stored: StoredSession): Promise<void>;
  /** For `SessionTableOptions.onUploads`. */
  onUploads(tx: Queryable, stored: StoredSession, positions: readonly number[]): Promise<void>;
  readonly handler: JobHandler;
  /** Ends the work on the uploads of a session that was removed. */
  stop(session: string): void;
}

/** @see Deliveries */
export function openDeliveries(options: DeliveriesOptions): Deliveries {
  const { database, queue, files, destinations, now, onUpload, retryDelaysMs } = options;
  const table = createExternalUploadTable({
    database,
    now,
    onUpload,
    async plan(tx, job, { tenant }, delayMs) {
      const priority = await takeTurn(tx, 'delivery', tenant);
      await queue.enqueue(tx, 'delivery', writeJob(job), { delayMs, priority, owner: tenant });
    },
  });
  const runner = new UploadRunner({
    store: table,
    files,
    destinations,
    monotonicNow: () => performance.now(),
    random: () => Math.random(),
    onEvent: reportDeliveries(options.log, options.metrics),
    ...(retryDelaysMs === undefined ? {} : { retryDelaysMs }),
  });
  return {
    async onStatus(tx, stored) {
      const { status, external_uploads: uploads = [] } = stored.session;
      if (status !== 'preview_rendered') return;
      const pending = uploads.flatMap((upload, position) => (upload.status === 'pending' ? [position] : []));
      await table.plan(tx, stored, pending);
    },
    onUploads: (tx, stored, positions) => table.plan(tx, stored, positions),
    handler: {
      lane: new Lane({ places: options.places, isFair: true }),
      async run(id, signal, { priority }) {
        await beginTurn(database, 'delivery', priority);
        await runner.run(readJob(id), signal);
      },
      onDead: (id) => runner.fail(readJob(id), 'It was begun several times, and came to no end'),
    },
    stop: (session) => runner.stop(session),
  };
}

/** `rs_…/0/2`: each round is a job of its own, since the one before is still at work while it plans the next. */
function writeJob({ session, position, round }: UploadJob): string {
  return `${session}/${position}/${round}`;
}

function readJob(id: string): UploadJob {
  const [session = '', position, round] = id.split('/');
  return { session, position: Number(position), round: Number(round) };
}
