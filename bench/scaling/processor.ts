import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

const TICKS_PER_SECOND = 100;

export interface ProcessorShare {
  /** What those took that are measured. */
  readonly processorSeconds: number;
  /** Cores that nobody but them had, on average. */
  readonly free: number;
}

/**
 * What some processes take of the machine from now on, and what everybody else leaves them. Linux alone.
 *
 * @param ours seconds of processor time that they have taken so far
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

/** Of all cores, since the machine started: user, nice, system, irq, softirq, steal. */
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
