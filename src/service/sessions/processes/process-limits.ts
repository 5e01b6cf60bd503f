import { readdirSync, readFileSync } from 'node:fs';
import { platform } from 'node:process';
import { setImmediate } from 'node:timers/promises';
import { readProcessStat } from '../../../kernel/os-process.ts';
import { type Repetition, repeat } from '../../../kernel/repeat.ts';

/** Resource limits of one render. */
export interface RenderLimits {
  /** Milliseconds without a finished frame. */
  readonly stallMs: number;
  /** Total milliseconds. */
  readonly totalMs: number;
  /** Milliseconds of user and system time, on all cores together. */
  readonly cpuMs: number;
  /** Resident memory of the process group. Measured every 250 ms, so it may be exceeded briefly. */
  readonly memoryBytes: number;
}

/** A 1080p video takes about 0.3 GB, a video of 4096 × 4096 pixels 1.5 GB plus its images. */
export const DEFAULT_LIMITS: RenderLimits = {
  stallMs: 60_000,
  totalMs: 900_000,
  cpuMs: 3_600_000,
  memoryBytes: 4 * 2 ** 30,
};

const INTERVAL_MS = 250;

/** Measures all watched process groups in one pass while there are any. */
export class UsageMonitor {
  readonly #measureGroups: MeasureGroups;
  readonly #listeners = new Map<number, Set<(usage: GroupUsage) => void>>();
  #measuring: Repetition | undefined;

  constructor(measureGroups = createGroupMeter()) {
    this.#measureGroups = measureGroups;
  }

  /**
   * Reports the usage of a group, now and about four times a second.
   *
   * @returns stops watching
   */
  watch(groupId: number, listener: (usage: GroupUsage) => void): () => void {
    const listeners = this.#listeners.get(groupId) ?? new Set();
    this.#listeners.set(groupId, listeners.add(listener));
    this.#measuring ??= repeat(INTERVAL_MS, () => this.#measure());
    void this.#measuring.now();
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(groupId);
      if (this.#listeners.size > 0) return;
      void this.#measuring?.stop();
      this.#measuring = undefined;
    };
  }

  async #measure(): Promise<void> {
    // Reading all processes takes milliseconds, and the task that begins is sent in this turn of the event loop.
    await setImmediate();
    try {
      const usages = await this.#measureGroups(new Set(this.#listeners.keys()));
      for (const [groupId, usage] of usages) {
        for (const listener of this.#listeners.get(groupId) ?? []) listener(usage);
      }
    } catch {
      // If measuring fails, only the time limits apply.
    }
  }
}

/**
 * Enforces the limits of memory and processor time on one render.
 *
 * @param onExceeded called once with a sentence that names the limit
 * @param share returns how many renders use the group at once: each may use the limits
 * @returns the listener for its group; the first usage is the baseline
 */
export function enforceLimits(
  limits: Pick<RenderLimits, 'cpuMs' | 'memoryBytes'>,
  onExceeded: (reason: 'memory' | 'time', what: string) => void,
  share: () => number = () => 1,
): (usage: GroupUsage) => void {
  let cpuMsBefore: number | undefined;
  let isOver = false;
  return (usage) => {
    cpuMsBefore ??= usage.cpuMs;
    if (isOver) return;
    const [cpuMs, memoryBytes] = [limits.cpuMs * share(), limits.memoryBytes * share()];
    isOver = usage.memoryBytes > memoryBytes || usage.cpuMs - cpuMsBefore > cpuMs;
    if (!isOver) return;
    if (usage.memoryBytes > memoryBytes) {
      const allowedMegabytes = Math.round(memoryBytes / 2 ** 20);
      onExceeded('memory', `The render exceeded its memory limit of ${allowedMegabytes} MB`);
    } else {
      const allowedSeconds = cpuMs / 1000;
      onExceeded('time', `The render exceeded its CPU time limit of ${allowedSeconds} s`);
    }
  };
}

/** Total usage of a process group. */
interface GroupUsage {
  /** Resident memory; shared pages count for each process. */
  readonly memoryBytes: number;
  /** User and system time, including children that were waited for. */
  readonly cpuMs: number;
}

interface ProcessUsage extends GroupUsage {
  readonly groupId: number;
}

/**
 * Measures process groups by id (the process id of the group leader). Missing groups have ended, or cannot be measured.
 */
type MeasureGroups = (groupIds: ReadonlySet<number>) => Promise<ReadonlyMap<number, GroupUsage>>;

/** Reads `/proc` on Linux, asks `ps` elsewhere, and knows nothing on Windows. */
function createGroupMeter(): MeasureGroups {
  if (platform === 'linux') return createProcMeter();
  return platform === 'win32' ? async () => new Map() : measureByPs;
}

/** `ps` lists all processes, and costs a process. */
export async function measureByPs(groupIds: ReadonlySet<number>): Promise<ReadonlyMap<number, GroupUsage>> {
  // Only for systems without `/proc`.
  const { execa } = await import('execa');
  const { stdout } = await execa('ps', ['-A', '-o', 'pgid=,rss=,time='], { reject: false });
  const usages = (stdout ?? '').split('\n').map(parsePsLine);
  return sumByGroup(usages.filter((usage) => usage !== null && groupIds.has(usage.groupId)));
}

/** Skips processes already seen in an unwatched group, because a watched process starts in its group. */
function createProcMeter(): MeasureGroups {
  const pageBytes = readPageBytes();
  let groupOf = new Map<number, number>();
  return async (groupIds) => {
    const seen = new Map<number, number>();
    const usages: ProcessUsage[] = [];
    for (const name of readdirSync('/proc')) {
      const processId = Number(name);
      if (!Number.isInteger(processId)) continue;
      const groupId = groupIds.has(processId) ? processId : groupOf.get(processId);
      if (groupId !== undefined && !groupIds.has(groupId)) {
        seen.set(processId, groupId);
        continue;
      }
      const stat = readProcessStat(processId);
      if (stat === null) continue;
      seen.set(processId, stat.groupId);
      if (!groupIds.has(stat.groupId)) continue;
      usages.push({ ...stat, memoryBytes: stat.residentPages * pageBytes });
    }
    groupOf = seen;
    return sumByGroup(usages);
  };
}

/** Computes the page size from this process's memory in kB and in pages; a power of two. */
function readPageBytes(): number {
  const kilobytes = Number(/^VmSize:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1]);
  const pages = Number(readFileSync('/proc/self/statm', 'latin1').split(' ')[0]);
  return 2 ** Math.round(Math.log2((kilobytes * 1024) / pages));
}

/**
 * Parses a line of `ps -o pgid=,rss=,time=`; null if malformed. The time is `[[days-]hours:]minutes:seconds`, on some
 * systems with a fraction.
 *
 * @see POSIX.1-2017, ps, "time"
 */
export function parsePsLine(line: string): ProcessUsage | null {
  const match = /^\s*(\d+)\s+(\d+)\s+(?:(\d+)-)?(?:(\d+):)?(\d+):(\d+(?:\.\d+)?)\s*$/.exec(line);
  if (match === null) return null;
  const [groupId, kilobytes, days, hours, minutes, seconds] = match.slice(1).map((text) => Number(text ?? 0));
  const cpuSeconds = ((days! * 24 + hours!) * 60 + minutes!) * 60 + seconds!;
  return { groupId: groupId!, memoryBytes: kilobytes! * 1024, cpuMs: Math.round(cpuSeconds * 1000) };
}

function sumByGroup(processes: readonly (ProcessUsage | null)[]): Map<number, GroupUsage> {
  const groups = new Map<number, GroupUsage>();
  for (const usage of processes) {
    if (usage === null) continue;
    const { memoryBytes, cpuMs } = groups.get(usage.groupId) ?? { memoryBytes: 0, cpuMs: 0 };
    groups.set(usage.groupId, { memoryBytes: memoryBytes + usage.memoryBytes, cpuMs: cpuMs + usage.cpuMs });
  }
  return groups;
}
