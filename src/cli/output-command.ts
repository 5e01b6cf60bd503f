import { EXIT, ReelformError } from '../diagnostic.ts';
import { byCodeUnit } from '../digest.ts';
import { directoryOf, tellDiagnostics } from './diagnose.ts';
import type { GlobalOptions } from './global-options.ts';
import type { Io } from './io.ts';
import { openLock } from './open-lock.ts';

/** `reelform output [ID]`: where the finished videos are, for scripts. */
export async function outputCommand(
  id: string | undefined,
  options: GlobalOptions & { readonly json?: boolean },
  io: Io,
): Promise<number> {
  const { lock, diagnostics, source } = await openLock(directoryOf(options, io));
  if (lock === null) {
    tellDiagnostics(diagnostics, source, options, io);
    return EXIT.error;
  }
  const urls = [...lock.videos]
    .filter(([name]) => id === undefined || name === id)
    .map(([name, entry]) => [name, entry.video_url] as const)
    .sort(([a], [b]) => byCodeUnit(a, b));
  if (id !== undefined && urls.length === 0) throw unknownVideo(id);
  if (options.json === true) io.stdout.write(`${JSON.stringify(Object.fromEntries(urls), null, 2)}\n`);
  else for (const [name, url] of urls) io.stdout.write(id === undefined ? `${name}\t${url}\n` : `${url}\n`);
  return EXIT.ok;
}

export function unknownVideo(id: string): ReelformError {
  return new ReelformError('unknown_video', `The lockfile has no video ${JSON.stringify(id)}`, {
    hint: 'Run `reelform show` to see which it has, and `reelform apply` to render what is missing',
  });
}
