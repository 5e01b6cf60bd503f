import { closeSync, fstatSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { unfinishedPath } from '../../kernel/replace-file.ts';
import type { StatTuple } from '../project/read-log.ts';
import type { Trusted } from './cached-state.ts';

/** A point in time on the clock of a file system. */
export interface FsTimestamp {
  readonly dev: number;
  readonly timeMs: number;
  /** Resolution of file times. */
  readonly marginMs: number;
}

/** Kernels use the time of their last tick, at most 10 ms ago. */
const TICK_MS = 20;
/** Some file systems store whole seconds; FAT stores even seconds only. */
const COARSE_MS = 2_020;

/**
 * Returns the current time of the clock that sets file times. Creates and removes a file.
 *
 * @returns null if no file can be created
 */
export function fsTimestamp(folder: string): FsTimestamp | null {
  const path = unfinishedPath(folder);
  try {
    mkdirSync(folder, { recursive: true });
    const file = openSync(path, 'wx');
    try {
      const { dev, mtimeMs } = fstatSync(file);
      return { dev, timeMs: mtimeMs, marginMs: mtimeMs % 1000 === 0 ? COARSE_MS : TICK_MS };
    } finally {
      closeSync(file);
      rmSync(path, { force: true });
    }
  } catch {
    return null;
  }
}

/**
 * Returns true if a later change is certain to change these stat data, which were read after the timestamp. A file that
 * changed in the tick in which it was read may change again without a new time.
 *
 * @see https://git-scm.com/docs/racy-git
 */
export function isTrusted([dev, ino, , mtimeMs, ctimeMs]: StatTuple, timestamp: FsTimestamp): boolean {
  return (
    dev === timestamp.dev &&
    ino <= Number.MAX_SAFE_INTEGER &&
    Math.max(mtimeMs, ctimeMs) < timestamp.timeMs - timestamp.marginMs
  );
}

/** Marks files or folders whose stat data can prove later that nothing changed. */
export function withTrust<T extends { readonly tuple: StatTuple }>(
  seen: ReadonlyMap<string, T>,
  timestamp: FsTimestamp,
): Map<string, Trusted<T>> {
  return new Map([...seen].map(([path, state]) => [path, { ...state, isTrusted: isTrusted(state.tuple, timestamp) }]));
}
