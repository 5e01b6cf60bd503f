import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { kill } from 'node:process';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/**
 * A text that no other process of this machine has had or will have under the same id: when it was started. EDGE.
 *
 * @returns null when there is no such process, or only its remains
 * @see proc_pid_stat(5), fields 3 and 22
 */
export async function processIdentity(pid: number): Promise<string | null> {
  if (!exists(pid)) return null;
  try {
    const status = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The second field is the command in brackets, and may hold anything.
    const fields = status.slice(status.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return null;
    // Ticks since the machine was started: the same number can come again after the next start.
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '');
    return `${boot.trim()} ${fields[19]}`;
  } catch {
    return readStartTime(pid);
  }
}

/** Where there is no /proc. */
async function readStartTime(pid: number): Promise<string | null> {
  try {
    return (await execute('ps', ['-o', 'lstart=', '-p', String(pid)])).stdout.trim() || null;
  } catch (error) {
    // Without ps the id alone has to do.
    return (error as NodeJS.ErrnoException).code === 'ENOENT' && exists(pid) ? 'unknown' : null;
  }
}

function exists(pid: number): boolean {
  try {
    return kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
