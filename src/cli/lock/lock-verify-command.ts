import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Diagnostic, EXIT, errorAt, hasErrors, warningAt } from '../../kernel/diagnostic.ts';
import { byCodeUnit } from '../../kernel/digest.ts';
import { nullIfMissing } from '../../kernel/file-system-error.ts';
import { asCommitted } from '../../kernel/line-breaks.ts';
import { emptyLock, type Lock } from '../../reconciler/lock/lock.ts';
import { readLock } from '../../reconciler/lock/lock-file.ts';
import { normaliseLock, serialiseLock } from '../../reconciler/lock/lock-format.ts';
import { findSwappedOutputs, notDelivered, observeOutputs } from '../../reconciler/project/local-outputs.ts';
import { findRoot, LOCK_FILE } from '../../reconciler/project/repository-layout.ts';
import { writeLinkedFile } from '../../reconciler/project/write-file.ts';
import { migratedText, verifiedText } from '../../report/terminal/lock-text.ts';
import { type GlobalOptions, type JsonOptions, workingDirectory } from '../global-options.ts';
import type { Io } from '../io.ts';
import { printCheckResult, printDiagnostics, stdoutStyle } from '../output.ts';
import { type DesiredState, loadDesiredState } from '../state/load-desired-state.ts';
import { withRunLock } from '../state/open-lock.ts';

interface LockVerifyOptions extends JsonOptions {
  readonly ignoreMissingOutputs?: boolean;
}

/** `reelform lock verify`: checks that the lockfile is complete, in canonical form, and matches the local files. */
export async function lockVerifyCommand(options: LockVerifyOptions, io: Io): Promise<number> {
  const root = findRoot(workingDirectory(options, io));
  const path = join(root, LOCK_FILE);
  const read = await readLock(path, LOCK_FILE);
  const text = (await nullIfMissing(readFile(path, 'utf8'))) ?? undefined;
  const lock = read.ok ? read.value : emptyLock;
  const { desired, leftOut, waiting, texts, ...definitions } = await loadDesiredState(root);
  // Definitions with errors may be incomplete.
  const isCompared = read.ok && !hasErrors(definitions.diagnostics);
  const diagnostics = [
    ...(read.ok ? [] : read.diagnostics),
    ...(text === undefined ? [] : formProblems(text)),
    ...(options.ignoreMissingOutputs === true ? [] : await outputProblems(root, lock)),
    ...(isCompared ? strayEntries(lock, new Set([...desired, ...waiting, ...texts].map(({ id }) => id)), leftOut) : []),
  ];
  const source = (file: string): string | undefined => (file === LOCK_FILE ? text : undefined);
  const videos = lock.videos.size;
  const validText = (): string => verifiedText(LOCK_FILE, videos, { ...stdoutStyle(options, io), isCompared });
  return printCheckResult({ diagnostics, source, videos, validText }, options, io);
}

function formProblems(text: string): Diagnostic[] {
  const normalised = normaliseLock(text, LOCK_FILE);
  if (!normalised.ok || normalised.value.differsAt === null) return [];
  if (asCommitted(text) === normalised.value.text) return [];
  const start = Math.min(normalised.value.differsAt, text.length);
  const at = { file: LOCK_FILE, start, end: Math.min(start + 1, text.length) };
  const message = 'The lockfile is not in the format of reelform, from here on';
  return [errorAt('lock_form', at, message, 'Run `reelform lock migrate`')];
}

async function outputProblems(root: string, lock: Lock): Promise<Diagnostic[]> {
  const { missing, damaged } = observeOutputs(root, lock);
  const swapped = await findSwappedOutputs(root, lock);
  const sorted = (ids: Iterable<string>): string[] => [...ids].sort(byCodeUnit);
  return [
    ...sorted(notDelivered(missing, lock)).map(missingOutput),
    ...sorted([...damaged.keys(), ...swapped.keys()]).map((id) =>
      damagedOutput(id, damaged.get(id) ?? swapped.get(id)!, swapped.has(id)),
    ),
  ];
}

function missingOutput(id: string): Diagnostic {
  const hint = 'Run `reelform apply` to restore the file, or pass --ignore-missing-outputs';
  return errorAt('output_missing', undefined, `A file of the video "${id}" is not on this machine`, hint);
}

function damagedOutput(id: string, file: string, isSwapped: boolean): Diagnostic {
  const what = isSwapped ? 'digest' : 'size';
  const command = isSwapped ? 'reelform apply --refresh' : 'reelform apply';
  const message = `A file of the video "${id}" is damaged: ${file} does not have the recorded ${what}`;
  return errorAt('output_damaged', undefined, message, `Run \`${command}\` to restore it`);
}

function strayEntries(lock: Lock, wanted: ReadonlySet<string>, leftOut: DesiredState['leftOut']): Diagnostic[] {
  const strays = [...lock.videos.keys()].filter((id) => !wanted.has(id)).sort(byCodeUnit);
  const hint = 'The next apply removes it, or moves it to its new id';
  const reasons = new Map<string, string>(leftOut.map(({ id, reason }) => [id, reason]));
  return strays.map((id) => {
    const reason = reasons.get(id);
    const what = reason === undefined ? 'without a definition' : `that its condition leaves out: ${reason}`;
    return warningAt('unknown_video', undefined, `The lockfile has a video "${id}" ${what}`, hint);
  });
}

/** `reelform lock migrate`: rewrites a readable lockfile in the current form. */
export async function lockMigrateCommand(options: GlobalOptions, io: Io): Promise<number> {
  const root = findRoot(workingDirectory(options, io));
  const path = join(root, LOCK_FILE);
  return withRunLock(root, io, async () => {
    const text = (await nullIfMissing(readFile(path, 'utf8'))) ?? serialiseLock(emptyLock);
    const normalised = normaliseLock(text, LOCK_FILE);
    if (!normalised.ok) {
      printDiagnostics(normalised.diagnostics, () => text, options, io);
      return EXIT.error;
    }
    if (normalised.value.differsAt !== null) await writeLinkedFile(path, normalised.value.text);
    io.stdout.write(migratedText(LOCK_FILE, normalised.value, stdoutStyle(options, io)));
    return EXIT.ok;
  });
}
