import type { Attributes } from '@opentelemetry/api';
import type { PartRenderer } from '../session/parts/split-ports.ts';
import { SessionFailure, type SourceReader } from '../session/ports.ts';
import type { TaskRunner } from '../session/processes/tasks.ts';
import type { Scene } from '../template/scene.ts';
import type { DiskRoom } from './disk-room.ts';
import type { ServiceMetrics } from './http/metrics.ts';
import { traced } from './trace.ts';

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

/** A renderer over a pool. Each task is a span, and waits while there is no room for its temporary files. */
export function tracedRenderer(pool: TaskRunner<'video' | 'part' | 'join'>, room: DiskRoom): PartRenderer {
  const run = <T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T> =>
    traced(name, attributes, () => room.guard(work));
  const framesOf = ({ frameCount }: Scene): Attributes => ({ 'reelform.frames': frameCount });
  return {
    render: (scene, options) => run('render', framesOf(scene), () => pool.run('video', scene, options)),
    renderPart(scene, segments, options) {
      const attributes = { 'reelform.first_segment': segments.first, 'reelform.end_segment': segments.end };
      return run('render_part', attributes, () => pool.run('part', { scene, segments }, options));
    },
    joinParts: (scene, parts, options) =>
      run('join_parts', { ...framesOf(scene), 'reelform.parts': parts.length }, () =>
        pool.run('join', { scene, parts }, options),
      ),
  };
}
