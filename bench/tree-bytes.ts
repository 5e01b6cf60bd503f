import { readFileSync } from 'node:fs';

/**
 * Returns the memory of a process and its descendants in bytes, from /proc; 0 without it. Pages that several processes share,
 * such as the code of libraries, count once: each process has its proportional share.
 */
export function treeBytes(pid: number): number {
  try {
    const kilobytes = Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1'))?.[1] ?? 0);
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    const below = children === '' ? [] : children.split(' ').map(Number);
    return below.reduce((sum, child) => sum + treeBytes(child), kilobytes * 1024);
  } catch {
    return 0;
  }
}
