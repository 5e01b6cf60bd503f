import type { RunClock } from '../../src/reconciler/apply/session-watcher.ts';

interface Waiting {
  readonly at: number;
  resolve(): void;
}

/** A clock that stands still while there is work to do, and then jumps to the end of the next wait. */
export function simulatedClock(startMs = Date.parse('2026-01-01T00:00:00.000Z')): RunClock {
  let now = startMs;
  let isPumping = false;
  const waiting: Waiting[] = [];
  const pump = (): void => {
    waiting.sort((a, b) => a.at - b.at);
    const next = waiting.shift();
    if (next === undefined) {
      isPumping = false;
      return;
    }
    now = Math.max(now, next.at);
    next.resolve();
    setImmediate(pump);
  };
  return {
    now: () => now,
    monotonicNow: () => now,
    wait: (milliseconds, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const one: Waiting = { at: now + Math.max(0, milliseconds), resolve };
        waiting.push(one);
        const giveUp = (): void => {
          const index = waiting.indexOf(one);
          if (index >= 0) waiting.splice(index, 1);
          reject(signal?.reason);
        };
        signal?.addEventListener('abort', giveUp, { once: true });
        if (isPumping) return;
        isPumping = true;
        setImmediate(pump);
      }),
  };
}
