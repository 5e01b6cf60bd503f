import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { EXIT } from '../../kernel/diagnostic.ts';
import { byCodeUnit } from '../../kernel/digest.ts';
import { serialiseLock } from '../../reconciler/lock/lock-format.ts';
import { lockEntryText, lockText } from '../../report/terminal/lock-text.ts';
import { escapeControls } from '../../report/wording/display-text.ts';
import { type GlobalOptions, type JsonOptions, rejectConflictingOptions, workingDirectory } from '../global-options.ts';
import type { Io } from '../io.ts';
import { printResult, stdoutStyle } from '../output.ts';
import { type FormatFlags, planFormat } from '../plan/plan-options.ts';
import { loadLock, lockEntry } from '../state/open-lock.ts';

/** `reelform show [ID]`: prints the lockfile; `reelform show PLANFILE`: prints a saved plan. */
export async function showCommand(
  id: string | undefined,
  options: GlobalOptions & FormatFlags & { readonly verbose?: boolean; readonly previewDir?: string },
  io: Io,
): Promise<number> {
  const directory = workingDirectory(options, io);
  if (id !== undefined && isPlanFile(resolve(directory, id))) {
    const format = planFormat(options) ?? 'text';
    const { readSavedPlan } = await import('../apply/plan-to-apply.ts');
    const { printPlan } = await import('../plan/print-plan.ts');
    const { readPreview } = await import('../../report/preview/read-preview.ts');
    const { previewDir } = options;
    const preview = previewDir === undefined ? null : await readPreview(resolve(directory, previewDir));
    await printPlan({ document: await readSavedPlan(id, directory), preview, root: directory }, format, options, io);
    return EXIT.ok;
  }
  const ofPlans = { format: '--format', markdown: '--markdown', verbose: '--verbose', previewDir: '--preview-dir' };
  rejectConflictingOptions('The lockfile', options, ofPlans);
  const lock = await loadLock(options, io);
  if (lock === null) return EXIT.error;
  if (id === undefined) {
    io.stdout.write(options.json === true ? serialiseLock(lock) : lockText(lock, stdoutStyle(options, io)));
    return EXIT.ok;
  }
  const entry = lockEntry(lock, id);
  printResult(entry, (style) => lockEntryText(id, entry, style), options, io);
  return EXIT.ok;
}

/** True for an existing file whose name ends with `.json`, which no video id does. */
function isPlanFile(path: string): boolean {
  return path.endsWith('.json') && statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

interface OutputOptions extends JsonOptions {
  /** True to print the destinations of deliveries instead of the service's URLs. */
  readonly delivered?: boolean;
}

/** `reelform output [ID]`: prints the URLs of the finished videos, for scripts. */
export async function outputCommand(id: string | undefined, options: OutputOptions, io: Io): Promise<number> {
  const lock = await loadLock(options, io);
  if (lock === null) return EXIT.error;
  const entries = id === undefined ? [...lock.videos] : [[id, lockEntry(lock, id)] as const];
  const sorted = entries.sort(([a], [b]) => byCodeUnit(a, b));
  const urls = sorted.map(([name, { deliveries = [], video_url }]) => {
    return [name, options.delivered === true ? deliveries.map(({ to, url }) => url ?? to) : [video_url]] as const;
  });
  const document = Object.fromEntries(urls.map(([name, all]) => [name, options.delivered === true ? all : all[0]]));
  const lines = urls.flatMap(([name, all]) => {
    return all.map((url) => `${id === undefined ? `${escapeControls(name)}\t` : ''}${escapeControls(url)}\n`);
  });
  printResult(document, () => lines.join(''), options, io);
  return EXIT.ok;
}
