import { availableParallelism, totalmem } from 'node:os';

/** What one render of 1080p takes, twice over: the machine has other work too. */
const MEMORY_PER_RENDER_BYTES = 1e9;

/** Renders that this machine can bear at once, at least one. */
export function renderCapacity(): number {
  return Math.max(1, Math.min(availableParallelism(), Math.floor(totalmem() / MEMORY_PER_RENDER_BYTES)));
}
