import { RenderError } from '../../../engine/render-error.ts';
import type { InspectSource } from '../sources/sources.ts';
import { TaskKilled, type TaskRunner } from './tasks.ts';

/** Predicates for files that a process could not read. */
export const KILLED_BY: Readonly<Record<TaskKilled['reason'], string>> = {
  time: 'takes too long to read',
  memory: 'takes too much memory to read',
  crash: 'crashes the decoder',
};

/** Inspects sources in sandboxed processes. */
export function inspectIn(processes: TaskRunner<'source'>): InspectSource {
  return async (bytes, kind, { owner, signal }) => {
    try {
      return await processes.run('source', { kind }, { bytes, owner, ...(signal && { signal }) });
    } catch (error) {
      if (!(error instanceof TaskKilled)) throw error;
      throw new RenderError('asset_too_large', `The file ${KILLED_BY[error.reason]}; convert it`, { cause: error });
    }
  };
}
