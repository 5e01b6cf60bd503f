import type { Log } from './log.ts';

/** For commands that say themselves what is worth saying. */
export const SILENT_LOG: Log = { debug() {}, info() {}, warn() {}, error() {} };
