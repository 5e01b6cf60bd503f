import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { byCodeUnit } from '../../kernel/digest.ts';
import { endOfObject } from '../../kernel/json.ts';
import { LOCKFILE_VERSION, type Lock } from '../lock/lock.ts';
import { parseLock } from '../lock/lock-format.ts';
import { isSameTuple, type StatTuple, statTuple } from '../project/read-log.ts';
import type { TextRange } from './cached-state.ts';

const BEGIN = Buffer.from(`{\n  "lockfile_version": ${LOCKFILE_VERSION},\n  "videos": {`);
const END = Buffer.from('\n  }');

/**
 * Returns the position of each entry in the text of a lockfile, from its id to the end of its value.
 *
 * @param bytes that the lock was parsed from
 * @returns null for a text whose entries do not follow one another as `serialiseLock` writes them
 */
export function entryRanges(lock: Lock, bytes: Buffer): Map<string, TextRange> | null {
  const ranges = new Map<string, TextRange>();
  if (lock.videos.size === 0) return ranges;
  if (!hasAt(bytes, BEGIN, 0)) return null;
  let at = BEGIN.length;
  for (const id of [...lock.videos.keys()].sort(byCodeUnit)) {
    const before = ranges.size === 0 ? '\n    ' : ',\n    ';
    const key = Buffer.from(`${before}${JSON.stringify(id)}: `);
    if (!hasAt(bytes, key, at)) return null;
    const start = at + before.length;
    at = endOfObject(bytes, at + key.length);
    ranges.set(id, [start, at]);
  }
  // Any further entry would have an id that another one has.
  return hasAt(bytes, END, at) ? ranges : null;
}

function hasAt(bytes: Buffer, text: Buffer, at: number): boolean {
  return bytes.subarray(at, at + text.length).equals(text);
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
