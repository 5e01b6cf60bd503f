import { EXIT } from '../../diagnostic.ts';
import { serialiseLock } from '../../lock/serialise-lock.ts';
import { lockEntryText, lockText } from '../../report/lock-text.ts';
import type { GlobalOptions } from '../global-options.ts';
import { type Io, wantsColor } from '../io.ts';
import { entryOf, openLock } from './open-lock.ts';

/** `reelform show [ID]`: what the lockfile holds. */
export async function showCommand(
  id: string | undefined,
  options: GlobalOptions & { readonly json?: boolean },
  io: Io,
): Promise<number> {
  const lock = await openLock(options, io);
  if (lock === null) return EXIT.error;
  const color = wantsColor(io.stdout, io.env, options.color);
  if (id === undefined) {
    io.stdout.write(options.json === true ? serialiseLock(lock) : lockText(lock, { color }));
    return EXIT.ok;
  }
  const entry = entryOf(lock, id);
  io.stdout.write(options.json === true ? `${JSON.stringify(entry, null, 2)}\n` : lockEntryText(id, entry, { color }));
  return EXIT.ok;
}
