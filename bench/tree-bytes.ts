import { readFileSync } from 'node:fs';

/** Resident bytes of a process and all below it, from /proc, what they share counted for each; 0 where there is none. */
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
