import { readFileSync } from 'node:fs';

/**
 * Returns the resident bytes of a process and its descendants from /proc, counting shared memory once per process; 0
 * without /proc.
 */
export function treeBytes(pid: number): number {
  try {
    const kilobytes = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    const below = children === '' ? [] : children.split(' ').map(Number);
    return below.reduce((sum, child) => sum + treeBytes(child), kilobytes * 1024);
  } catch {
    return 0;
  }
}
