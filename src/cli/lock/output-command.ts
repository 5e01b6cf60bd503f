import { EXIT } from '../../diagnostic.ts';
import { byCodeUnit } from '../../digest.ts';
import type { LockEntry } from '../../lock/lock.ts';
import { escapeControls } from '../../report/wording/display-text.ts';
import type { GlobalOptions } from '../global-options.ts';
import type { Io } from '../io.ts';
import { entryOf, openLock } from './open-lock.ts';

export interface OutputOptions extends GlobalOptions {
  readonly json?: boolean;
  /** Where the videos were delivered to, in place of what the service gave. */
  readonly delivered?: boolean;
}

/** `reelform output [ID]`: where the finished videos are, for scripts. */
export async function outputCommand(id: string | undefined, options: OutputOptions, io: Io): Promise<number> {
  const lock = await openLock(options, io);
  if (lock === null) return EXIT.error;
  const entries = id === undefined ? [...lock.videos] : [[id, entryOf(lock, id)] as const];
  const sorted = entries.sort(([a], [b]) => byCodeUnit(a, b));
  const urls = sorted.map(
    ([name, entry]) => [name, options.delivered === true ? deliveredTo(entry) : [entry.video_url]] as const,
  );
  if (options.json === true) {
    const told = urls.map(([name, all]) => [name, options.delivered === true ? all : all[0]]);
    io.stdout.write(`${JSON.stringify(Object.fromEntries(told), null, 2)}\n`);
    return EXIT.ok;
  }
  for (const [name, all] of urls) {
    for (const url of all) {
      const line = id === undefined ? `${escapeControls(name)}\t${escapeControls(url)}` : escapeControls(url);
      io.stdout.write(`${line}\n`);
    }
  }
  return EXIT.ok;
}

/** The URLs of the places, and the places that have none. */
function deliveredTo({ deliveries = [] }: LockEntry): string[] {
  return deliveries.map(({ to, url }) => url ?? to);
}
