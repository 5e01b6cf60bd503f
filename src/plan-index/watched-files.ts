import { hash } from 'node:crypto';
import { closeSync, fstatSync, lstatSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import type { Sha256 } from '../digest.ts';
import { isSameTuple, type StatTuple, statTuple } from '../project/read-log.ts';
import type { Outcome } from './memory.ts';
import type { TextRange } from './remembered-definition.ts';
import { isTrusted, type Stamp } from './stamp.ts';

/** The state of a file, links followed; null where there is none. EDGE. */
export function stateOf(path: string): StatTuple | null {
  try {
    return statTuple(statSync(path));
  } catch {
    return null;
  }
}

/** Whether a file is as it was without a doubt; also when it was not there, and is not. EDGE. */
export function isAsItWas(
  path: string,
  was: { readonly tuple: StatTuple; readonly isTrusted: boolean } | null,
): boolean {
  const tuple = stateOf(path);
  if (was === null || tuple === null) return was === null && tuple === null && !isLink(path);
  return was.isTrusted && isSameTuple(was.tuple, tuple);
}

/** Something stands where nothing did, though it leads nowhere. */
function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/**
 * The state and the bytes of a file. EDGE.
 *
 * @returns null for a file that changes under our eyes, or that cannot be read
 */
export function readWhole(path: string, stamp: Stamp): { seen: NonNullable<Outcome['lock']>; bytes: Buffer } | null {
  try {
    const tuple = stateOf(path);
    const bytes = readFileSync(path);
    const after = stateOf(path);
    if (tuple === null || after === null || !isSameTuple(tuple, after)) return null;
    return { seen: { tuple, sha256: hash('sha256', bytes) as Sha256, isTrusted: isTrusted(tuple, stamp) }, bytes };
  } catch {
    return null;
  }
}

/**
 * Parts of a file's text. EDGE.
 *
 * @returns null when it is not in this state any more
 */
export function readRanges(path: string, ranges: readonly TextRange[], was: StatTuple): string[] | null {
  const file = openSync(path, 'r');
  try {
    const texts = ranges.map(([start, end]) => {
      const bytes = Buffer.alloc(end - start);
      readSync(file, bytes, 0, bytes.length, start);
      return bytes.toString();
    });
    return isSameTuple(statTuple(fstatSync(file)), was) ? texts : null;
  } finally {
    closeSync(file);
  }
}
