import { ALLOW_EVERYTHING } from '../../service/sessions/sources/allow-list.ts';
import { createUrlProbe } from '../../service/sessions/sources/fetch-source.ts';
import type { Io } from '../io.ts';
import { type CommandPool, withProcesses } from '../render/command-pool.ts';
import { openLocalSources } from '../render/open-inputs.ts';
import { allowListOf } from '../service/open-remote-service.ts';
import type { DesiredState } from '../state/load-desired-state.ts';
import { measureRemoteSounds } from '../state/measure-remote-sounds.ts';
import type { MeasureRemote } from './measure-changes.ts';

interface MeasureOptions {
  /** True if the videos are rendered, so that their URLs were accepted. */
  readonly isApplied: boolean;
  /** The processes of the command; others are started and ended when absent. */
  readonly processes: CommandPool | undefined;
}

/**
 * Opens the measurement of remote sounds. A pull request can write any URL into a definition, so a plan contacts only the hosts that
 * a refresh may contact.
 *
 * @throws ReelformError `settings_invalid`
 */
export function openMeasure(
  { root, config }: Pick<DesiredState, 'root' | 'config'>,
  { isApplied, processes }: MeasureOptions,
  io: Io,
): MeasureRemote {
  const allow = isApplied ? ALLOW_EVERYTHING : allowListOf(config, io.env);
  const measureWith = async (urls: readonly string[], pool: CommandPool) => {
    const sources = openLocalSources(root, io, 'lengths', allow);
    try {
      const ports = { probeUrl: createUrlProbe({ allow }), sources: sources.reader, openPool: () => pool.open() };
      return await measureRemoteSounds(urls, { root, ...ports });
    } finally {
      await sources.clear();
    }
  };
  return (urls) =>
    processes === undefined ? withProcesses(io, (pool) => measureWith(urls, pool)) : measureWith(urls, processes);
}
