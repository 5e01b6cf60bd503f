import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { byCodeUnit } from '../../kernel/digest.ts';
import type { Lock } from '../lock/lock.ts';
import { parseLock, serialiseLock } from '../lock/lock-format.ts';
import { isSameTuple, type StatTuple, statTuple } from '../project/read-log.ts';
import type { TextRange } from './cached-state.ts';

/** Returns the position of each entry in the text that `serialiseLock` writes; null for any other text. */
export function entryRanges(lock: Lock, bytes: Buffer): Map<string, TextRange> | null {
  const text = serialiseLock(lock);
  if (bytes.length !== Buffer.byteLength(text) || !bytes.equals(Buffer.from(text))) return null;
  const ranges = new Map<string, TextRange>();
  const begin = bytes.indexOf('\n  "videos": {\n');
  let start = begin + '\n  "videos": {\n'.length;
  const ids = [...lock.videos.keys()].sort(byCodeUnit);
  for (const id of ids) {
    const end = bytes.indexOf('\n    }', start) + '\n    }'.length;
    ranges.set(id, [start, end]);
    start = end + ',\n'.length;
  }
  return ranges;
}

/**
 * Reads entries of a lockfile by their position.
 *
 * @param expected stat data of the lockfile when it had these positions
 * @returns null when the lockfile has changed
 */
export function readEntries(path: string, ranges: readonly TextRange[], expected: StatTuple | null): Lock | null {
  const texts = ranges.length === 0 ? [] : expected && readRanges(path, ranges, expected);
  if (texts === null) return null;
  const lock = parseLock(`{"lockfile_version":1,"videos":{${texts.join(',')}}}`, '');
  return lock.ok && lock.value.videos.size === ranges.length ? lock.value : null;
}

/** @returns null when the file has other stat data than expected */
function readRanges(path: string, ranges: readonly TextRange[], expected: StatTuple): string[] | null {
  const file = openSync(path, 'r');
  try {
    const texts = ranges.map(([start, end]) => {
      const bytes = Buffer.alloc(end - start);
      readSync(file, bytes, 0, bytes.length, start);
      return bytes.toString();
    });
    return isSameTuple(statTuple(fstatSync(file)), expected) ? texts : null;
  } finally {
    closeSync(file);
  }
}
