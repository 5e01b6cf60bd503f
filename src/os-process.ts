import { readFileSync } from 'node:fs';
import { kill, platform } from 'node:process';

/** `USER_HZ`: 100 on every Linux that Node runs on, whatever the kernel's own clock. */
const TICKS_PER_SECOND = 100;

/** A line of `/proc/<pid>/stat`. @see proc_pid_stat(5), whose field numbers the comments give */
export interface ProcessStat {
  /** 3: `Z` or `X` when only the remains of the process are left. */
  readonly state: string;
  /** 5 */
  readonly groupId: number;
  /** 14–17: user and system time, with that of children which were waited for. */
  readonly cpuMs: number;
  /** 22: ticks from the start of the machine to the start of the process. */
  readonly startTicks: number;
  /** 24: resident pages. */
  readonly residentPages: number;
}

/**
 * Reads the state of a process on Linux. EDGE. Synchronous: a file of `/proc` takes 15 µs, and another thread longer.
 *
 * @returns null when the process has ended, or the system has no `/proc`
 */
export function readProcessStat(processId: number): ProcessStat | null {
  try {
    return parseProcessStat(readFileSync(`/proc/${processId}/stat`, 'latin1'));
  } catch {
    return null;
  }
}

/** Parses a line of `/proc/<pid>/stat`; null when it is no such line. */
export function parseProcessStat(line: string): ProcessStat | null {
  // The second field is the name in parentheses, which may hold spaces and parentheses as well.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  const field = (number: number): number => Number(fields[number - 3]);
  const numbers = {
    groupId: field(5),
    cpuMs: ((field(14) + field(15) + field(16) + field(17)) * 1000) / TICKS_PER_SECOND,
    startTicks: field(22),
    residentPages: field(24),
  };
  return Object.values(numbers).every(Number.isFinite) ? { state: fields[0]!, ...numbers } : null;
}

/** Whether a process that is started `detached` leads a group, which then can be killed as one. */
export const HAS_GROUPS = platform !== 'win32';

/**
 * Kills a process and all that it has started, whatever they are doing. Those that left the group are not found, nor, on
 * Windows, those that it has started. EDGE.
 *
 * @param groupId process id of the group's first process, which has not been gone for longer than this turn of the event
 *   loop: later the number may be another's
 */
export function killGroup(groupId: number): void {
  try {
    kill(HAS_GROUPS ? -groupId : groupId, 'SIGKILL');
  } catch (error) {
    // Nobody is left in it; macOS says EPERM while its dead wait to be collected.
    if (!['ESRCH', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}
