/** Abort reason when the job belongs to another worker, or may do so. */
export class LeaseLost extends Error {
  constructor() {
    super('The job no longer belongs to this worker');
    this.name = 'LeaseLost';
  }
}

export interface LeaseOptions {
  /** Renews the lease. @returns false when the job no longer belongs to this worker */
  renew(): Promise<boolean>;
  readonly everyMs: number;
  /** Time after the start of a renewal during which no other worker can take the job. */
  readonly lifetimeMs: number;
  /** Called at most once. */
  onLost(reason: LeaseLost): void;
}

/**
 * Renews the lease of a job until it is released. If the database cannot be reached, the lease counts as lost on
 * expiry, because another worker may hold it. A process that was suspended for longer first tries a renewal.
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
    // Processes pending I/O first, so that a received response is not mistaken for a missing one.
    setImmediate(() => {
      if ((isAsking || hasFailed) && performance.now() - renewedAt > lifetimeMs) lose();
      else if (!isAsking) void ask();
    });
  }, everyMs);
  return { release: () => clearInterval(timer) };
}
