import { execa } from 'execa';
import { treeBytes } from '../tree-bytes.ts';

export interface Measured {
  readonly seconds: number;
  /** User and system, of all processes. */
  readonly cpuSeconds: number;
  /** Of all processes together, what they share counted for each; 0 where nobody tells. */
  readonly peakBytes: number;
}

/** Runs a program of Node to its end, and says what it took with all that it started. */
export async function measuredCommand(args: readonly string[], cwd: string): Promise<Measured> {
  const started = performance.now();
  // What a shell's children took, and theirs, as far as they were waited for.
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
