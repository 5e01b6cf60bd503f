import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { askQuestion, type Io } from '../../src/cli/io.ts';
import { run } from '../../src/cli/run.ts';
import { keptRenderPool } from './kept-render-pools.ts';

export interface Ran {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The factor by which the clock of commands in tests runs faster, so that polls and pauses take no time. */
const HASTE = 20;

/** Returns a clock of durations that runs `HASTE` times as fast, and its waits. */
export function hastenedClock(): Pick<Io, 'monotonicNow' | 'wait'> {
  const startedAt = performance.now();
  return {
    monotonicNow: () => (performance.now() - startedAt) * HASTE,
    async wait(milliseconds, signal) {
      signal?.throwIfAborted();
      await sleep(milliseconds / HASTE, undefined, { signal }).catch(() => signal?.throwIfAborted());
    },
  };
}

export interface TestIoOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Milliseconds since the epoch, or a clock; `monotonicNow` when absent. */
  readonly now?: number | (() => number);
  /** Clock of durations; a hastened one that starts at 0 when absent. */
  readonly monotonicNow?: () => number;
  readonly nodeVersion?: string;
  /** Whether delayed callbacks fire immediately; otherwise they never do. */
  readonly isLate?: boolean;
  readonly interactive?: boolean;
  readonly answer?: string;
  /** Returns the keys that a user presses at a question on a terminal; takes precedence over `answer`. */
  readonly keysFor?: (question: string) => string;
  /** Text on standard input. */
  readonly input?: string;
  /** Replaces the pool that keeps its processes for later tests. */
  readonly createRenderPool?: Io['createRenderPool'];
  /** Called instead of ending the process. */
  readonly onLeave?: (exitCode: number) => void;
  /** Called when a command begins to listen for Ctrl-C, which `interrupt` simulates. */
  readonly onInterruptible?: (interrupt: () => void) => void;
  /** Called with everything written to stderr so far; `interrupt` simulates Ctrl-C. */
  readonly onStderr?: (text: string, interrupt: () => void) => void;
  /** The same for stdout. */
  readonly onStdout?: (text: string, interrupt: () => void) => void;
}

/** Runs the command once in this process, as if started in `cwd`. */
export async function reelform(cwd: string, args: readonly string[], options: TestIoOptions = {}): Promise<Ran> {
  let stdout = '';
  let stderr = '';
  let left: number | null = null;
  const clock = hastenedClock();
  const now = (): number => (typeof options.now === 'function' ? options.now() : (options.now ?? clock.monotonicNow()));
  const listeners = new Set<() => void>();
  const interrupt = (): void => {
    for (const listener of listeners) listener();
  };
  const io: Io = {
    stdout: {
      write(text) {
        stdout += text;
        options.onStdout?.(stdout, interrupt);
      },
      isTTY: false,
      columns: 100,
      rows: 24,
    },
    stderr: {
      write(text) {
        stderr += text;
        options.onStderr?.(stderr, interrupt);
      },
      isTTY: false,
      columns: 100,
      rows: 24,
    },
    cwd,
    env: options.env ?? {},
    nodeVersion: options.nodeVersion ?? process.versions.node,
    now,
    monotonicNow: options.monotonicNow ?? clock.monotonicNow,
    wait: clock.wait,
    onInterrupt(listener) {
      listeners.add(listener);
      options.onInterruptible?.(interrupt);
      return () => listeners.delete(listener);
    },
    onFault: () => () => {},
    onWriteError: () => {},
    onResize: () => () => {},
    after(_, callback) {
      if (options.isLate !== true) return () => {};
      const timer = setImmediate(callback);
      return () => clearImmediate(timer);
    },
    async ask(question) {
      if (options.keysFor === undefined) return options.answer ?? '';
      const input = new PassThrough();
      const answer = askQuestion(question, { input, output: new PassThrough().resume() });
      input.write(options.keysFor(question));
      return answer;
    },
    readInput: async () => options.input ?? '',
    interactive: options.interactive ?? false,
    createRenderPool: options.createRenderPool ?? keptRenderPool,
    leave(exitCode) {
      left = exitCode;
      options.onLeave?.(exitCode);
    },
  };
  const exitCode = await run(args, io);
  return { exitCode: left ?? exitCode, stdout, stderr };
}
