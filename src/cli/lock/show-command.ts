import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { EXIT } from '../../diagnostic.ts';
import { serialiseLock } from '../../lock/serialise-lock.ts';
import { lockEntryText, lockText } from '../../report/terminal/lock-text.ts';
import { directoryOf } from '../diagnose.ts';
import type { GlobalOptions } from '../global-options.ts';
import { type Io, wantsColor } from '../io.ts';
import { type FormatFlags, planFormat } from '../plan/plan-format.ts';
import { refuseTogether } from '../refuse-together.ts';
import { entryOf, openLock } from './open-lock.ts';

/** `reelform show [ID]`: what the lockfile holds; `reelform show PLANFILE`: a saved plan, wherever it was made. */
export async function showCommand(
  id: string | undefined,
  options: GlobalOptions & FormatFlags & { readonly verbose?: boolean; readonly previewDir?: string },
  io: Io,
): Promise<number> {
  const directory = directoryOf(options, io);
  if (id !== undefined && isPlanFile(resolve(directory, id))) {
    const format = planFormat(options) ?? 'text';
    const { readPlan } = await import('../plan/review-plan.ts');
    const { printPlan } = await import('../plan/print-plan.ts');
    const { readPreview } = await import('../../preview/read-preview.ts');
    const { previewDir } = options;
    const preview = previewDir === undefined ? null : await readPreview(resolve(directory, previewDir));
    await printPlan({ document: await readPlan(id, directory), preview, root: directory }, format, options, io);
    return EXIT.ok;
  }
  const ofPlans = { format: '--format', markdown: '--markdown', verbose: '--verbose', previewDir: '--preview-dir' };
  refuseTogether('The lockfile', options, ofPlans);
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

/** Ids of videos are no names of files that are there and end with `.json`. */
function isPlanFile(path: string): boolean {
  return path.endsWith('.json') && statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
