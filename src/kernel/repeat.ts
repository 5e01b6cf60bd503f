/** Work that is repeated until it is stopped. */
export interface Repetition {
  /** Runs the work now, or joins its running run. */
  now(): Promise<void>;
  /** Starts no more runs. Resolves when the current run has ended. */
  stop(): Promise<void>;
}

/** Repeats work periodically, one run at a time: a tick during a run is skipped. @param work handles its own errors */
export function repeat(everyMs: number, work: () => Promise<void>): Repetition {
  let running: Promise<void> | null = null;
  const now = (): Promise<void> => {
    running ??= work().finally(() => {
      running = null;
    });
    return running;
  };
  const timer = setInterval(() => void now(), everyMs);
  return {
    now,
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
