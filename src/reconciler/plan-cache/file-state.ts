import { hash } from 'node:crypto';
import { lstatSync, readFileSync, realpathSync, type Stats, statSync } from 'node:fs';
import type { Sha256 } from '../../kernel/digest.ts';
import { isSameTuple, type StatTuple, statTuple } from '../project/read-log.ts';
import type { LastPlan, SeenOutput, Trusted } from './cached-state.ts';
import { type FsTimestamp, isTrusted } from './file-times.ts';

/** Returns true if all outputs are files of the recorded sizes. */
export function haveSizes(root: string, outputs: readonly SeenOutput[]): boolean {
  return outputs.every(([path, sizeBytes]) => {
    const stats = statOrNull(`${root}/${path}`);
    return stats !== null && stats.size === sizeBytes && stats.isFile();
  });
}

/** Returns the stat data of a file, after following links; null when there is none. */
export function tupleOf(path: string): StatTuple | null {
  const stats = statOrNull(path);
  return stats && statTuple(stats);
}

/** Returns true if a file is certainly unchanged, or still missing. */
export function isUnchangedFile(path: string, before: Trusted<{ readonly tuple: StatTuple }> | null): boolean {
  const tuple = tupleOf(path);
  // A dangling link is not a missing file.
  if (before === null || tuple === null) return before === null && tuple === null && isAbsent(path);
  return before.isTrusted && isSameTuple(before.tuple, tuple);
}

/**
 * Reads a file with its stat data.
 *
 * @returns null for a file that cannot be read, or that changed meanwhile
 */
export function readWithStat(
  path: string,
  timestamp: FsTimestamp,
): { readonly seen: NonNullable<LastPlan['lock']>; readonly bytes: Buffer } | null {
  try {
    const tuple = tupleOf(path);
    const bytes = readFileSync(path);
    const after = tupleOf(path);
    if (tuple === null || after === null || !isSameTuple(tuple, after)) return null;
    return { seen: { tuple, sha256: hash('sha256', bytes) as Sha256, isTrusted: isTrusted(tuple, timestamp) }, bytes };
  } catch {
    return null;
  }
}

/** Returns the stat data of a path itself; null when there are none. */
export function lstatOrNull(path: string): Stats | null {
  try {
    return lstatSync(path);
  } catch {
    return null;
  }
}

/** Returns the stat data of the target of a path; null when there are none. */
export function statOrNull(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}

/** Returns true if nothing exists at a path, not even a dangling link. */
export function isAbsent(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}

/** Returns the target of a path; null when there is none. */
export function realpathOrNull(path: string): string | null {
  try {
    return realpathSync.native(path);
  } catch {
    return null;
  }
}
