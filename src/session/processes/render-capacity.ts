import { readFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { constrainedMemory } from 'node:process';

/** What one render of 1080p takes, twice over: the machine has other work too. */
const MEMORY_PER_RENDER_BYTES = 1e9;

/** What a machine, or the container on it, lets its processes have. */
export interface Machine {
  readonly cores: number;
  readonly memoryBytes: number;
}

/** Renders that this machine, or the container on it, can bear at once; at least one. EDGE. */
export function renderCapacity(machine: Machine = thisMachine()): number {
  return Math.max(1, Math.min(Math.floor(machine.cores), Math.floor(machine.memoryBytes / MEMORY_PER_RENDER_BYTES)));
}

function thisMachine(): Machine {
  // Without a limit, some systems say 0 and some a number larger than any machine.
  const limit = constrainedMemory() || Number.POSITIVE_INFINITY;
  return { cores: Math.min(availableParallelism(), quotaOf(readCgroup)), memoryBytes: Math.min(totalmem(), limit) };
}

/**
 * The processor time that a container may take, in cores: Node counts those of the machine.
 *
 * @param read a file of the cgroup; null where there is none
 * @see https://docs.kernel.org/admin-guide/cgroup-v2.html, cpu.max; for version 1 cpu.cfs_quota_us
 */
export function quotaOf(read: (name: string) => string | null): number {
  const [quota, period] =
    read('cpu.max')?.trim().split(' ') ?? ['cpu/cpu.cfs_quota_us', 'cpu/cpu.cfs_period_us'].map((name) => read(name));
  const cores = Number(quota ?? 'max') / Number(period ?? 'max');
  return cores > 0 ? cores : Number.POSITIVE_INFINITY;
}

function readCgroup(name: string): string | null {
  try {
    return readFileSync(`/sys/fs/cgroup/${name}`, 'utf8');
  } catch {
    return null;
  }
}
