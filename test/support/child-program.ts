import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { execa } from 'execa';
import { onTestFinished } from 'vitest';

const CACHE = join(import.meta.dirname, '../../node_modules/.cache/reelform-test');

const REQUIRE = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";

/** A test's own program that runs as a separate process and can be killed with SIGKILL. */
export interface ChildProgram {
  readonly pid: number;
  /** Lines written so far. */
  readonly lines: readonly string[];
  /**
   * Resolves to the first line that starts with `start`, including earlier ones. @throws when the program ends without
   * one
   */
  line(start: string): Promise<string>;
  /** Ends the program and waits until its process is gone. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  readonly ended: Promise<{ exitCode: number | undefined; stderr: string }>;
}

/** Starts a command in its own PID namespace with its own /proc, like a container that shares files with the host. */
export const UNSHARE: readonly string[] = [
  'unshare',
  ...(process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']),
  ...['--pid', '--fork', '--mount-proc', '--kill-child'],
];

/** Whether this machine permits PID namespaces: macOS has none, and many containers may not create any. */
export const CAN_UNSHARE: boolean = spawnSync(UNSHARE[0]!, [...UNSHARE.slice(1), 'true']).status === 0;

/**
 * Starts a TypeScript program as a child process.
 *
 * @param path absolute path of the TypeScript file
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
 * Bundles a test's own program into one file, for tests that start it often. The file is written below the project's
 * folder, so that it resolves npm packages, and is removed with the test.
 *
 * @param options.isWhole whether to bundle npm packages too, which halves the start-up time
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
    // Some of the bundled packages are CommonJS and call `require`.
    banner: isWhole ? { js: REQUIRE } : {},
    logLevel: 'warning',
  });
  return outfile;
}
