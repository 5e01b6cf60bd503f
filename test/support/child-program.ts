import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { execa } from 'execa';
import { onTestFinished } from 'vitest';

const CACHE = join(import.meta.dirname, '../../node_modules/.cache/reelform-test');

const REQUIRE = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";

/** A test's own program, running as a process of its own: what can be killed with SIGKILL. */
export interface ChildProgram {
  readonly pid: number;
  /** Lines that it has written so far. */
  readonly lines: readonly string[];
  /** Resolves with the first line that begins with this, from now or before. @throws when it ends without one */
  line(start: string): Promise<string>;
  /** Ends it, and waits until it is gone. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  readonly ended: Promise<{ exitCode: number | undefined; stderr: string }>;
}

/** Starts a command with process ids of its own and its own /proc, as in a container on the same files. */
export const UNSHARE: readonly string[] = [
  'unshare',
  ...(process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']),
  ...['--pid', '--fork', '--mount-proc', '--kill-child'],
];

/** Whether this machine permits that: macOS has no namespaces, and many containers may not make any. */
export const CAN_UNSHARE: boolean = spawnSync(UNSHARE[0]!, [...UNSHARE.slice(1), 'true']).status === 0;

/**
 * @param path of the TypeScript, absolute
 * @param prefix command that starts the program, such as `UNSHARE`
 */
export async function startChild(
  path: string,
  args: readonly string[],
  prefix: readonly string[] = [],
): Promise<ChildProgram> {
  const [file, ...words] = [...prefix, process.execPath, await bundleProgram(path), ...args] as [string, ...string[]];
  const child = execa(file, words, { reject: false, cleanup: true });
  const lines: string[] = [];
  const listeners = new Set<() => void>();
  let isOver = false;
  const tell = (): void => {
    for (const listener of listeners) listener();
  };
  let rest = '';
  child.stdout.on('data', (chunk: Buffer) => {
    const parts = (rest + chunk.toString()).split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts);
    tell();
  });
  const ended = child.then(({ exitCode, stderr }) => {
    isOver = true;
    tell();
    return { exitCode, stderr };
  });
  const kill = async (signal: NodeJS.Signals = 'SIGKILL'): Promise<void> => {
    child.kill(signal);
    await ended;
  };
  onTestFinished(() => kill());
  return {
    pid: child.pid!,
    lines,
    line: (start) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const line = lines.find((candidate) => candidate.startsWith(start));
          if (line === undefined && !isOver) return;
          listeners.delete(look);
          if (line !== undefined) resolve(line);
          else void ended.then(({ stderr }) => reject(new Error(`it ended without “${start}”:\n${stderr}`)));
        };
        listeners.add(look);
        look();
      }),
    kill,
    ended,
  };
}

/**
 * Makes one file of a test's own program, for those that start it often. Below the project's folder, so that it finds the
 * packages; removed with the test.
 *
 * @param options.isWhole whether the packages are in it, so that it starts in less than half of the time
 */
export async function bundleProgram(path: string, { isWhole = false } = {}): Promise<string> {
  const outfile = join(CACHE, `${basename(path, '.ts')}-${randomUUID()}.mjs`);
  await mkdir(CACHE, { recursive: true });
  onTestFinished(() => rm(outfile, { force: true }));
  await build({
    entryPoints: [path],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    packages: isWhole ? 'bundle' : 'external',
    // What some of them are written in.
    banner: isWhole ? { js: REQUIRE } : {},
    logLevel: 'warning',
  });
  return outfile;
}
