import { closeSync, fstatSync, mkdirSync, openSync, rmSync } from 'node:fs';
import type { StatTuple } from '../project/read-log.ts';
import { unfinishedPath } from '../replace-file.ts';

/** A point in time by the clock of a file system. */
export interface FsTimestamp {
  readonly dev: number;
  readonly timeMs: number;
  /** Resolution of the times of files. */
  readonly marginMs: number;
}

/** Kernels give files the time of their last tick, 10 ms ago at most. */
const TICK_MS = 20;
/** Some file systems count in seconds, the oldest in pairs of them. */
const COARSE_MS = 2_020;

/**
 * Returns the current time of the clock that gives files their times. EDGE. Creates and removes a file.
 *
 * @returns null where no file can be written
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
 * Whether these stat data, read after the timestamp, differ from those after any later change. A file that changed in the
 * same tick as it was read may change once more without getting other times.
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
