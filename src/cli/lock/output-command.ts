import { EXIT } from '../../diagnostic.ts';
import { byCodeUnit } from '../../digest.ts';
import { escapeControls } from '../../report/escape-controls.ts';
import type { GlobalOptions } from '../global-options.ts';
import type { Io } from '../io.ts';
import { entryOf, openLock } from './open-lock.ts';

/** `reelform output [ID]`: where the finished videos are, for scripts. */
export async function outputCommand(
  id: string | undefined,
  options: GlobalOptions & { readonly json?: boolean },
  io: Io,
): Promise<number> {
  const lock = await openLock(options, io);
  if (lock === null) return EXIT.error;
  const entries = id === undefined ? [...lock.videos] : [[id, entryOf(lock, id)] as const];
  const urls = entries.map(([name, entry]) => [name, entry.video_url] as const).sort(([a], [b]) => byCodeUnit(a, b));
  if (options.json === true) io.stdout.write(`${JSON.stringify(Object.fromEntries(urls), null, 2)}\n`);
  else
    for (const [name, url] of urls) {
      const line = id === undefined ? `${escapeControls(name)}\t${escapeControls(url)}` : escapeControls(url);
      io.stdout.write(`${line}\n`);
    }
  return EXIT.ok;
}
