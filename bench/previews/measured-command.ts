import { execa } from 'execa';
import { treeBytes } from '../tree-bytes.ts';

export interface Measured {
  readonly seconds: number;
  /** User and system time of all processes. */
  readonly cpuSeconds: number;
  /** Sum over all processes, counting shared memory once per process; 0 where it cannot be measured. */
  readonly peakBytes: number;
}

/** Runs a Node program to its end and returns its time and memory, including child processes. */
export async function measuredCommand(args: readonly string[], cwd: string): Promise<Measured> {
  const started = performance.now();
  // `times` reports the processor time of all descendants that were waited for.
  const shell = execa('sh', ['-c', '"$@" >/dev/null || exit; times', 'sh', process.execPath, ...args], { cwd });
  let peakBytes = 0;
  const sampler = setInterval(() => {
    peakBytes = Math.max(peakBytes, treeBytes(shell.pid!));
  }, 50);
  try {
    const { stdout } = await shell;
    const [, children = ''] = stdout.trim().split('\n');
    const times = [...children.matchAll(/(\d+)m([\d.]+)s/g)];
    const cpuSeconds = times.reduce((sum, [, minutes, seconds]) => sum + 60 * Number(minutes) + Number(seconds), 0);
    return { seconds: (performance.now() - started) / 1000, cpuSeconds, peakBytes };
  } finally {
    clearInterval(sampler);
  }
}
