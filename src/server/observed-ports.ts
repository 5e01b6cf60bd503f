import { type Renderer, SessionFailure, type SourceReader } from '../session/ports.ts';
import type { ServiceMetrics } from './http/metrics.ts';
import { traced } from './trace.ts';

/** A reader whose answers are counted, failures by their code. */
export function countedSources(reader: SourceReader, metrics: ServiceMetrics): SourceReader {
  return {
    async read(tenant, wanted, signal) {
      try {
        const source = await reader.read(tenant, wanted, signal);
        metrics.sourceFetched('read');
        return source;
      } catch (error) {
        metrics.sourceFetched(error instanceof SessionFailure ? error.error.code : 'error');
        throw error;
      }
    },
  };
}

/** A renderer each of whose renders is a span. */
export function tracedRenderer(renderer: Renderer): Renderer {
  return {
    render: (scene, options) =>
      traced('render', { 'reelform.frames': scene.frameCount }, () => renderer.render(scene, options)),
  };
}
