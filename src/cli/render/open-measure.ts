import type { TaskRunner } from '../../service/sessions/processes/tasks.ts';
import type { AllowList } from '../../service/sessions/sources/allow-list.ts';
import { createUrlProbe } from '../../service/sessions/sources/fetch-source.ts';
import type { Io } from '../io.ts';
import { type MeasureRemote, measureRemoteSounds } from '../state/measure-remote-sounds.ts';
import { openLocalSources } from './open-inputs.ts';

interface MeasureOptions {
  /** Of the repository, absolute. */
  readonly root: string;
  /** Addresses that may be contacted: all where the videos are rendered, which fetches their sounds too. */
  readonly allow: AllowList;
  /** Opens the processes that decode. @throws ReelformError `engine_missing` */
  readonly openPool: () => Promise<TaskRunner<'length'>>;
}

/** Opens the measurement of remote sounds. */
export function openMeasure({ root, allow, openPool }: MeasureOptions, io: Io): MeasureRemote {
  return async (urls) => {
    const sources = openLocalSources(root, io, 'lengths', allow);
    try {
      return await measureRemoteSounds(urls, {
        root,
        probeUrl: createUrlProbe({ allow }),
        sources: sources.reader,
        openPool,
      });
    } finally {
      await sources.clear();
    }
  };
}
