import { readFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { kill, platform } from 'node:process';

/** `USER_HZ`: 100 on every Linux that Node runs on, whatever the kernel's clock. */
const TICKS_PER_SECOND = 100;

/** A line of `/proc/<pid>/stat`, with the field numbers of proc_pid_stat(5). */
interface ProcessStat {
  /** 3: `Z` or `X` after the process has exited. */
  readonly state: string;
  /** 5 */
  readonly groupId: number;
  /** 14–17: user and system time, including children that were waited for. */
  readonly cpuMs: number;
  /** 22: ticks from the start of the machine to the start of the process. */
  readonly startTicks: number;
  /** 24: resident pages. */
  readonly residentPages: number;
}

/**
 * Reads the state of a process on Linux. Synchronous, because reading from `/proc` takes 15 µs and a thread pool takes longer.
 *
 * @returns null if the process has exited or the system has no `/proc`
 */
export function readProcessStat(processId: number): ProcessStat | null {
  try {
    return parseProcessStat(readFileSync(`/proc/${processId}/stat`, 'latin1'));
  } catch {
    return null;
  }
}

/** Parses a line of `/proc/<pid>/stat`; returns null for any other text. */
export function parseProcessStat(line: string): ProcessStat | null {
  // The second field is the name in parentheses, which may contain spaces and parentheses itself.
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

/** Whether a process that is started `detached` leads a process group, which can be killed as a whole. */
export const HAS_GROUPS = platform !== 'win32';

/**
 * Sends SIGKILL to a process and its descendants. Misses descendants that left the process group, and all descendants on
 * Windows.
 *
 * @param groupId process id of the group's leader. Call this in the turn of the event loop that observed its exit at the
 *   latest: the system may reuse the number afterwards
 */
export function killGroup(groupId: number): void {
  try {
    kill(HAS_GROUPS ? -groupId : groupId, 'SIGKILL');
  } catch (error) {
    // The group is empty, or on macOS has only processes that wait to be reaped (EPERM).
    if (!['ESRCH', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

/** Returns whether a process exists, or a zombie that waits to be reaped. */
export function processExists(processId: number): boolean {
  try {
    return kill(processId, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

const GROUP_POLL_MS = 5;
const GROUP_POLLS = 100;

/**
 * Resolves when a killed group has no processes left, at the latest after half a second: on a busy machine a process of low
 * priority takes a while to end. Resolves at once on Windows.
 */
export async function groupEnded(groupId: number): Promise<void> {
  for (let polls = 0; polls < GROUP_POLLS && hasProcesses(groupId); polls++) {
    await new Promise((resolve) => setTimeout(resolve, GROUP_POLL_MS));
  }
}

function hasProcesses(groupId: number): boolean {
  if (!HAS_GROUPS) return false;
  try {
    return kill(-groupId, 0);
  } catch {
    return false;
  }
}

/** A processor that both want goes to the parent for nine tenths of the time. */
const NICENESS = 10;

/**
 * Lowers the priority of a process that has just been started, and of every thread that it starts from then on, so that
 * its parent answers requests and renews leases on time while all processors render. Best effort.
 */
export function yieldToParent(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, Math.min(getPriority() + NICENESS, 19));
  } catch {
    // The process has ended already; its end is reported as such.
  }
}
