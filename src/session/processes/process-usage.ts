import { readdirSync, readFileSync } from 'node:fs';
import { platform } from 'node:process';
import { execa } from 'execa';
import { readProcessStat } from '../../os-process.ts';

/** What the processes of a group take together. */
export interface GroupUsage {
  /** Resident; pages that several of them share count for each. */
  readonly memoryBytes: number;
  /** User and system time since they began, with that of children which have ended and were waited for. */
  readonly cpuMs: number;
}

interface ProcessUsage extends GroupUsage {
  readonly groupId: number;
}

/** Measures process groups. EDGE. */
export interface GroupMeter {
  /**
   * What some process groups take now, by group id (the process id of a group's first process). One that is missing has
   * ended, or the system tells nothing.
   */
  measure(groupIds: ReadonlySet<number>): Promise<ReadonlyMap<number, GroupUsage>>;
}

/** Reads `/proc` on Linux, asks `ps` elsewhere, and knows nothing on Windows. */
export function createGroupMeter(): GroupMeter {
  if (platform === 'linux') return createProcMeter();
  return { measure: platform === 'win32' ? async () => new Map() : measureByPs };
}

/** `ps` tells of all processes; asking it costs a process. */
export async function measureByPs(groupIds: ReadonlySet<number>): Promise<ReadonlyMap<number, GroupUsage>> {
  const { stdout } = await execa('ps', ['-A', '-o', 'pgid=,rss=,time='], { reject: false });
  const usages = (stdout ?? '').split('\n').map(parsePsLine);
  return sumByGroup(usages.filter((usage) => usage !== null && groupIds.has(usage.groupId)));
}

/** A process is born into its group, so one that was seen in another group is not read again. */
function createProcMeter(): GroupMeter {
  const pageBytes = readPageBytes();
  let groupOf = new Map<number, number>();
  return {
    async measure(groupIds) {
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
    },
  };
}

/** This process's memory in kB, as one file tells it, over its pages, as another does: a power of two. */
function readPageBytes(): number {
  const kilobytes = Number(/^VmSize:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1]);
  const pages = Number(readFileSync('/proc/self/statm', 'latin1').split(' ')[0]);
  return 2 ** Math.round(Math.log2((kilobytes * 1024) / pages));
}

/**
 * A line of `ps -o pgid=,rss=,time=`; null for what is no such line. The time is `[[days-]hours:]minutes:seconds`, on some
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
  for (const one of processes) {
    if (one === null) continue;
    const { memoryBytes, cpuMs } = groups.get(one.groupId) ?? { memoryBytes: 0, cpuMs: 0 };
    groups.set(one.groupId, { memoryBytes: memoryBytes + one.memoryBytes, cpuMs: cpuMs + one.cpuMs });
  }
  return groups;
}
