import { hash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isMissing } from '../if-there.ts';
import type { Fingerprint } from '../lock/lock.ts';
import { replaceFile } from '../replace-file.ts';

/** So many characters of a fingerprint are kept: unlike ones tell that the fingerprints are. */
const MARK_LENGTH = 19;

export interface FormerMarksOptions {
  /** Absolute. */
  readonly root: string;
  /** Below it. */
  readonly lockFile: string;
  /** Where the marks of one commit are kept, absolute. */
  readonly file: string;
  readonly fingerprints: ReadonlySet<Fingerprint>;
}

/**
 * Whether `formerEntries` could find one of the fingerprints: false when the lockfile had none of them, as far back as it
 * looks. EDGE. All that it had is remembered for the present commit, so that a plan with something new in it does not have
 * to search the same history each time.
 */
export async function mayHaveFormer({ root, lockFile, file, fingerprints }: FormerMarksOptions): Promise<boolean> {
  const state = historyState(root);
  // Without a repository there is nothing to ask git for; one that is laid out in another way is asked.
  if (state === null || state === 'none') return state === null;
  const marks = recall(file, state) ?? (await searchAndRemember(root, lockFile, file, state));
  return marks === null || [...fingerprints].some((one) => marks.has(one.slice(0, MARK_LENGTH)));
}

/** The present commit and how far its history goes; null when only git can tell. */
function historyState(root: string): string | 'none' | null {
  try {
    const folder = gitFolder(root);
    if (folder === null) return 'none';
    const head = readFileSync(join(folder, 'HEAD'), 'utf8').trim();
    const reference = /^ref: (refs\/[^\n]+)$/.exec(head)?.[1];
    const commit = reference === undefined ? head : commitOf(folder, reference);
    if (commit === null || !/^[0-9a-f]{40,64}$/.test(commit)) return null;
    return JSON.stringify([folder, commit, textOf(join(folder, 'shallow')), hasReplaced(folder)]);
  } catch {
    return null;
  }
}

/** @throws where `.git` is no folder: then it says where to look, and git follows it better */
function gitFolder(root: string): string | null {
  for (let folder = root; ; folder = dirname(folder)) {
    const stats = statSync(join(folder, '.git'), { throwIfNoEntry: false });
    if (stats !== undefined && !stats.isDirectory()) throw new Error('no folder');
    if (stats !== undefined) return join(folder, '.git');
    if (folder === dirname(folder)) return null;
  }
}

function commitOf(folder: string, reference: string): string | null {
  const loose = textOf(join(folder, reference))?.trim();
  if (loose !== undefined && loose !== '') return loose;
  const packed = textOf(join(folder, 'packed-refs')) ?? '';
  const line = packed.split('\n').find((one) => one.endsWith(` ${reference}`));
  return line?.slice(0, line.indexOf(' ')) ?? null;
}

/** `git replace` shows another history of the same commit. */
function hasReplaced(folder: string): number {
  return statSync(join(folder, 'refs/replace'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** The file: its own digest, what it is about, the marks; a line each. */
function recall(file: string, state: string): ReadonlySet<string> | null {
  const text = textOf(file);
  const at = text?.indexOf('\n') ?? -1;
  if (text === null || hash('sha256', text.slice(at + 1)) !== text.slice(0, at)) return null;
  const [about, ...marks] = text.slice(at + 1).split('\n');
  return about === state ? new Set(marks) : null;
}

/** @returns null when the search did not come to its end */
async function searchAndRemember(
  root: string,
  lockFile: string,
  file: string,
  state: string,
): Promise<ReadonlySet<string> | null> {
  const { formerFingerprints } = await import('./former-fingerprints.ts');
  const found = await formerFingerprints(root, lockFile);
  if (found === null) return null;
  const marks = new Set([...found].map((one) => one.slice(0, MARK_LENGTH)));
  const about = [state, ...marks].join('\n');
  if (historyState(root) === state) {
    await replaceFile(file, `${hash('sha256', about)}\n${about}`, { isDurable: false }).catch(() => undefined);
  }
  return marks;
}
