import { EXIT } from '../../diagnostic.ts';
import { workerText } from '../../report/terminal/serve-text.ts';
import { SETTINGS_TABLE } from '../../server/settings/settings-table.ts';
import { startWorker } from '../../server/start-worker.ts';
import { VERSION } from '../global-options.ts';
import type { Io } from '../io.ts';
import { listenForStop } from './listen-for-stop.ts';
import { openLog } from './open-log.ts';
import { openSettings, type SettingsFlags } from './open-settings.ts';

/** `reelform worker`: renders what the services of its database accept, until it is asked to stop. */
export async function workerCommand(
  options: SettingsFlags,
  flags: ReadonlyMap<string, readonly string[]>,
  io: Io,
): Promise<number> {
  const opened = await openSettings(options, flags, io);
  if (opened === null) return EXIT.error;
  const { settings } = opened;
  // A file of settings is shared with `serve`, and the port in there is that one's.
  const { flag, environment } = SETTINGS_TABLE.port;
  const listens = flags.has(flag!) || (io.env[environment]?.trim() ?? '') !== '';
  const log = openLog(io, settings.logFormat, options.color);
  const stop = listenForStop(io);
  try {
    const worker = await startWorker({ settings, listens, version: VERSION, log, now: () => io.now() });
    io.stderr.write(workerText({ ...worker, settings }));
    await stop.asked;
    await stop.close((closing) => worker.close(closing));
  } finally {
    stop.forget();
  }
  return stop.exitCode();
}
