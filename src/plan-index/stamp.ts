import { closeSync, fstatSync, mkdirSync, openSync, rmSync } from 'node:fs';
import type { StatTuple } from '../project/read-log.ts';
import { unfinishedPath } from '../replace-file.ts';

/** A moment by the clock of a file system. */
export interface Stamp {
  readonly dev: number;
  readonly timeMs: number;
  /** How much earlier a file must have changed for its times to tell of any later change. */
  readonly marginMs: number;
  /** Whose files are written here. */
  readonly owner: number;
}

/** Kernels give files the time of their last tick, 10 ms ago at most. */
const TICK_MS = 20;
/** Some file systems count in seconds, the oldest in pairs of them. */
const COARSE_MS = 2_020;

/**
 * The time by the clock that files get their times from: that of a file which is made for it, and goes. EDGE.
 *
 * @returns null where nothing can be written
 */
export function makeStamp(folder: string): Stamp | null {
  const path = unfinishedPath(folder);
  try {
    mkdirSync(folder, { recursive: true });
    const file = openSync(path, 'wx');
    try {
      const { dev, mtimeMs, uid } = fstatSync(file);
      return { dev, timeMs: mtimeMs, marginMs: mtimeMs % 1000 === 0 ? COARSE_MS : TICK_MS, owner: uid };
    } finally {
      closeSync(file);
      rmSync(path, { force: true });
    }
  } catch {
    return null;
  }
}

/**
 * Whether a file in this state, seen after the stamp, can be told from any later state by the tuple alone. One that
 * changed within the same tick as it was read cannot: the next change may leave it the same times.
 *
 * @see https://git-scm.com/docs/racy-git
 */
export function isTrusted([dev, ino, , mtimeMs, ctimeMs]: StatTuple, stamp: Stamp): boolean {
  return (
    dev === stamp.dev && ino <= Number.MAX_SAFE_INTEGER && Math.max(mtimeMs, ctimeMs) < stamp.timeMs - stamp.marginMs
  );
}
