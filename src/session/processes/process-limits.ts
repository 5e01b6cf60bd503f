import { createGroupMeter, type GroupMeter, type GroupUsage } from './process-usage.ts';

/** What one render may take before its processes are killed. */
export interface RenderLimits {
  /** Milliseconds without a finished frame. */
  readonly stallMs: number;
  /** Milliseconds in all. */
  readonly totalMs: number;
  /** Milliseconds of user and system time, on all cores together. */
  readonly cpuMs: number;
  /** Resident memory of the process and of those that it has started. Looked at every 250 ms, so it may be passed briefly. */
  readonly memoryBytes: number;
}

/** Memory: a 1080p video takes about 0.5 GB, one of 4096 × 4096 pixels 1.5 GB and what its pictures take. */
export const DEFAULT_LIMITS: RenderLimits = {
  stallMs: 60_000,
  totalMs: 900_000,
  cpuMs: 3_600_000,
  memoryBytes: 4 * 2 ** 30,
};

const INTERVAL_MS = 250;

/** Looks at process groups, all in one pass, as long as there are any to look at. */
export class UsageWatch {
  readonly #meter: GroupMeter;
  readonly #listeners = new Map<number, (usage: GroupUsage) => void>();
  #timer: NodeJS.Timeout | undefined;
  #isMeasuring = false;

  constructor(meter: GroupMeter = createGroupMeter()) {
    this.#meter = meter;
  }

  /**
   * Tells what a group takes, now and about four times a second.
   *
   * @param groupId watched by nobody else
   * @returns ends it
   */
  watch(groupId: number, listener: (usage: GroupUsage) => void): () => void {
    this.#listeners.set(groupId, listener);
    this.#timer ??= setInterval(() => void this.#look(), INTERVAL_MS);
    void this.#look();
    return () => {
      this.#listeners.delete(groupId);
      if (this.#listeners.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }

  async #look(): Promise<void> {
    // `ps` on a busy machine may take longer than a turn.
    if (this.#isMeasuring) return;
    this.#isMeasuring = true;
    try {
      const usages = await this.#meter.measure(new Set(this.#listeners.keys()));
      for (const [groupId, usage] of usages) this.#listeners.get(groupId)?.(usage);
    } catch {
      // A machine that does not tell has the limits of time alone.
    } finally {
      this.#isMeasuring = false;
    }
  }
}

/**
 * Holds one render against its limits of memory and processor time.
 *
 * @param onExceeded told once, with a sentence that says what was allowed
 * @returns the listener for its group; the first usage is where the render began
 */
export function holdToLimits(
  { cpuMs, memoryBytes }: RenderLimits,
  onExceeded: (reason: 'memory' | 'time', what: string) => void,
): (usage: GroupUsage) => void {
  let cpuMsBefore: number | undefined;
  let isOver = false;
  return (usage) => {
    cpuMsBefore ??= usage.cpuMs;
    if (isOver) return;
    isOver = usage.memoryBytes > memoryBytes || usage.cpuMs - cpuMsBefore > cpuMs;
    if (!isOver) return;
    if (usage.memoryBytes > memoryBytes) {
      const allowedMegabytes = Math.round(memoryBytes / 2 ** 20);
      onExceeded('memory', `The render took more than the ${allowedMegabytes} MB of memory that it may have`);
    } else {
      const allowedSeconds = cpuMs / 1000;
      onExceeded('time', `The render took more than the ${allowedSeconds} s of processor time that it may have`);
    }
  };
}
