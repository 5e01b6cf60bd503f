import type { Result } from '../diagnostic.ts';
import { byCodeUnit } from '../digest.ts';
import type { LockEntry } from './lock.ts';
import { parseLock } from './parse-lock.ts';
import { entryText, serialiseLock } from './serialise-lock.ts';

/** A lockfile in today's form, and what of it was not. */
export interface NormalisedLock {
  readonly text: string;
  /** Offset in code units of the first difference; null when there is none. */
  readonly differsAt: number | null;
  /** Whether ids stood in another order. */
  readonly reordered: boolean;
  /** Ids of the entries that said the same in another way: fields in another order, or ones that say nothing. */
  readonly rewritten: readonly string[];
  readonly entryCount: number;
}

/**
 * The text of a readable lockfile as reelform would write it.
 *
 * @param file the lockfile's path for diagnostics, repository-relative
 */
export function normaliseLock(source: string, file: string): Result<NormalisedLock> {
  const read = parseLock(source, file);
  if (!read.ok) return read;
  const { videos } = read.value;
  const text = serialiseLock(read.value);
  const ids = [...videos.keys()];
  return {
    ok: true,
    value: {
      text,
      differsAt: firstDifference(source, text),
      // Ids that look like numbers come first from JSON.parse, wherever they stood: where they belong cannot be told.
      reordered: ids.some(
        (id, index) => index > 0 && !isIndex(id) && byCodeUnit(ids[index - 1]!, id) > 0 && !isIndex(ids[index - 1]!),
      ),
      rewritten: ids.filter((id) => memberOrder(videos.get(id)!) !== entryText(videos.get(id)!)),
      entryCount: ids.length,
    },
  };
}

/** The entry as it came, laid out as we do. */
function memberOrder(entry: LockEntry): string {
  return JSON.stringify(entry, null, 2).replaceAll('\n', '\n    ');
}

function isIndex(id: string): boolean {
  return /^(?:0|[1-9]\d*)$/.test(id);
}

function firstDifference(a: string, b: string): number | null {
  if (a === b) return null;
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) if (a[index] !== b[index]) return index;
  return length;
}
