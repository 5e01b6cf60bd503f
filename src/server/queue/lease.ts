/** The reason of a signal that was aborted because the job is another worker's by now, or may be. */
export class LeaseLost extends Error {
  constructor() {
    super("The job is no longer this worker's");
    this.name = 'LeaseLost';
  }
}

export interface LeaseOptions {
  /** Says that the job is still at work. @returns false when it is not this worker's any more */
  renew(): Promise<boolean>;
  readonly everyMs: number;
  /** For so long after a renewal began nobody else takes the job. */
  readonly lifetimeMs: number;
  /** Called once at most. */
  onLost(reason: LeaseLost): void;
}

/**
 * Keeps a job, until it is released. Where nobody can be asked whether it is still ours (the database is away, the network
 * is cut), it counts as lost when its time has passed: somebody else may be at it. A process that was stopped for longer
 * asks first.
 */
export function keepLease({ renew, everyMs, lifetimeMs, onLost }: LeaseOptions): { release(): void } {
  let renewedAt = performance.now();
  let isAsking = false;
  let hasFailed = false;
  const lose = (): void => {
    clearInterval(timer);
    onLost(new LeaseLost());
  };
  const ask = async (): Promise<void> => {
    const askedAt = performance.now();
    isAsking = true;
    try {
      if (await renew()) renewedAt = askedAt;
      else lose();
      hasFailed = false;
    } catch {
      hasFailed = true;
    } finally {
      isAsking = false;
    }
  };
  const timer = setInterval(() => {
    // What has arrived meanwhile is read before anything is concluded from its absence.
    setImmediate(() => {
      if ((isAsking || hasFailed) && performance.now() - renewedAt > lifetimeMs) lose();
      else if (!isAsking) void ask();
    });
  }, everyMs);
  return { release: () => clearInterval(timer) };
}
