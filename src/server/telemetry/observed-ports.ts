import type { Attributes } from '@opentelemetry/api';
import { SessionFailure, type SourceReader } from '../../session/ports.ts';
import type { TaskInput, TaskRunner } from '../../session/processes/tasks.ts';
import type { DiskRoom } from '../disk-room.ts';
import type { ServiceMetrics } from './metrics.ts';
import { traced } from './tracing.ts';

/** A reader whose answers are counted, failures by their code. Without room for copies, reading waits. */
export function countedSources(reader: SourceReader, metrics: ServiceMetrics, room: DiskRoom): SourceReader {
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

type SegmentTaskKind = 'video' | 'segments' | 'sound' | 'join';

/** Runs tasks of a pool. Each is a span, and waits while there is no room for its temporary files. */
export function tracedTasks(pool: TaskRunner<SegmentTaskKind>, room: DiskRoom): TaskRunner<SegmentTaskKind> {
  return {
    run: (kind, input, options) =>
      traced(`render_${kind}`, attributesOf(kind, input), () => room.guard(() => pool.run(kind, input, options))),
  };
}

function attributesOf<Kind extends SegmentTaskKind>(kind: Kind, input: TaskInput<Kind>): Attributes {
  if (kind !== 'segments') return {};
  const { ranges } = input as TaskInput<'segments'>;
  return { 'reelform.first_frame': ranges[0]?.first ?? 0, 'reelform.end_frame': ranges.at(-1)?.end ?? 0 };
}
