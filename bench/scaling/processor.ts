import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

const TICKS_PER_SECOND = 100;

export interface ProcessorShare {
  /** Processor time of the measured processes. */
  readonly processorSeconds: number;
  /** Average number of cores that other processes left free. */
  readonly free: number;
}

/**
 * Measures the processor time of some processes from now on, and of all others. Linux only.
 *
 * @param ours returns the seconds of processor time of the measured processes so far
 */
export function processorOf(ours: () => number): { since(): ProcessorShare } {
  const [busyBefore, oursBefore, begunAt] = [busySeconds(), ours(), performance.now()];
  return {
    since() {
      const processorSeconds = ours() - oursBefore;
      const seconds = (performance.now() - begunAt) / 1000;
      const others = Math.max(0, busySeconds() - busyBefore - processorSeconds);
      return { processorSeconds, free: availableParallelism() - others / seconds };
    },
  };
}

/** Returns the busy seconds of all cores since boot: user, nice, system, irq, softirq, steal. */
function busySeconds(): number {
  const [, user, nice, system, , , irq, softirq, steal] = readFileSync('/proc/stat', 'utf8')
    .slice(0, 400)
    .split('\n')[0]!
    .split(/\s+/)
    .map(Number) as [number, ...number[]];
  return (
    [user, nice, system, irq, softirq, steal].reduce<number>((sum, ticks) => sum + (ticks ?? 0), 0) / TICKS_PER_SECOND
  );
}
