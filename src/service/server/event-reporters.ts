import type { Attributes } from '@opentelemetry/api';
import type { DeliveryEvent } from '../sessions/delivery-runner.ts';
import { SessionFailure, type SourceReader } from '../sessions/ports.ts';
import type { RenderTaskKind, TaskInput, TaskRunner } from '../sessions/processes/tasks.ts';
import type { ChunkEvent } from '../sessions/segments/distributed-renders.ts';
import type { RunnerEvent } from '../sessions/session-runner.ts';
import type { DiskSpace } from './data-folder.ts';
import type { Log } from './log.ts';
import type { ServiceMetrics } from './telemetry/metrics.ts';
import { traced } from './telemetry/tracing.ts';

/** Outcome of an attempt, by the final status of its session. */
const OUTCOMES: Readonly<Record<string, string>> = {
  preview_rendered: 'rendered',
  preview_failed: 'failed',
  // The session was canceled or removed, or this worker is stopping.
  preview_rendering: 'stopped',
};

/** Reports the events of sessions to the log and the metrics. */
export function sessionReporter(log: Log, metrics: ServiceMetrics): (event: RunnerEvent | ChunkEvent) => void {
  return (event) => {
    if (event.kind === 'chunks-unfit') {
      log.warn(fieldsOf(event), 'segments cannot be joined; rendering the video in one piece');
      return;
    }
    if (event.kind !== 'session-ended') {
      log.info(fieldsOf(event), STEPS[event.kind]);
      return;
    }
    const { status, elapsedMs } = event;
    const outcome = OUTCOMES[status] ?? status;
    metrics.renderEnded(outcome, elapsedMs / 1000);
    if (outcome !== 'stopped') metrics.sessionEntered(status);
    const { status: _, ...fields }: Readonly<Record<string, unknown>> = { ...fieldsOf(event), outcome };
    if (outcome === 'failed') log.warn(fields, 'session failed');
    else log.info(fields, outcome === 'rendered' ? 'session rendered' : 'session stopped');
  };
}

const STEPS: Readonly<Record<Exclude<(RunnerEvent | ChunkEvent)['kind'], 'chunks-unfit' | 'session-ended'>, string>> = {
  'session-begun': 'session started',
  'input-rendered': 'rendering a video',
  'session-distributed': 'rendering a session in chunks',
  'session-waits': 'session waits for another session with the same input',
  'chunk-rendered': 'chunk rendered',
};

/** Returns the fields of a log line for an event of a session. */
function fieldsOf({ kind, id, ...fields }: RunnerEvent | ChunkEvent): Readonly<Record<string, unknown>> {
  const { elapsedMs: ms, ...details } = fields as { readonly elapsedMs?: number };
  return { event: kind, session: id, ...details, ...(ms === undefined ? {} : { ms: Math.round(ms) }) };
}

/** Reports the events of deliveries to the log and the metrics. Omits destinations, which may contain titles. */
export function deliveryReporter(
  log: Log,
  metrics: Pick<ServiceMetrics, 'deliveryEnded'>,
): (event: DeliveryEvent) => void {
  return (event) => {
    const { kind, session, position, tenant, scheme, attempt } = event;
    const fields = { event: kind, session, upload: position, tenant, to: scheme, attempt };
    switch (event.kind) {
      case 'upload-begun':
        log.info(fields, 'delivery started');
        break;
      case 'upload-retried':
        metrics.deliveryEnded('retried');
        log.warn({ ...fields, reason: event.reason, retry_ms: event.delayMs }, 'delivery failed, will be retried');
        break;
      case 'upload-ended': {
        const { status, reason, bytes, elapsedMs } = event;
        metrics.deliveryEnded(status);
        const ended = { ...fields, bytes, ms: Math.round(elapsedMs) };
        if (status === 'failed') log.warn({ ...ended, reason }, 'delivery failed');
        else log.info(ended, 'video delivered');
      }
    }
  };
}

/** Counts the results of a source reader, failures by their code. Fails with an outage when the disk is full. */
export function countedSources(reader: SourceReader, metrics: ServiceMetrics, room: DiskSpace): SourceReader {
  return {
    async read(tenant, wanted, signal) {
      try {
        const source = await room.guard(() => reader.read(tenant, wanted, signal));
        metrics.sourceFetched('read');
        return source;
      } catch (error) {
        metrics.sourceFetched(error instanceof SessionFailure ? error.error.code : 'error');
        throw error;
      }
    },
  };
}

/** Runs tasks of a pool in a span each. A full disk becomes an outage. */
export function tracedTasks(pool: TaskRunner<RenderTaskKind>, room: DiskSpace): TaskRunner<RenderTaskKind> {
  return {
    run: (kind, input, options) =>
      traced(`render_${kind}`, attributesOf(kind, input), () => room.guard(() => pool.run(kind, input, options))),
  };
}

function attributesOf<Kind extends RenderTaskKind>(kind: Kind, input: TaskInput<Kind>): Attributes {
  if (kind !== 'segments') return {};
  const { ranges } = input as TaskInput<'segments'>;
  return { 'reelform.first_frame': ranges[0]?.first ?? 0, 'reelform.end_frame': ranges.at(-1)?.end ?? 0 };
}
