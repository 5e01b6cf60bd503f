import { PassThrough } from 'node:stream';
import { askQuestion, type Io } from '../../src/cli/io.ts';
import { run } from '../../src/cli/run.ts';
import { keptRenderPool } from './kept-render-pools.ts';

export interface Ran {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface TestIoOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Milliseconds since the epoch, or a clock; a clock that starts at 0 when absent. */
  readonly now?: number | (() => number);
  /** Clock of durations; the same one when absent. */
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
  /** Called instead of ending the process. */
  readonly onLeave?: (exitCode: number) => void;
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
  const startedAt = performance.now();
  const now = (): number =>
    typeof options.now === 'function' ? options.now() : (options.now ?? performance.now() - startedAt);
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
    monotonicNow: options.monotonicNow ?? now,
    onInterrupt(listener) {
      listeners.add(listener);
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
    createRenderPool: keptRenderPool,
    leave(exitCode) {
      left = exitCode;
      options.onLeave?.(exitCode);
    },
  };
  const exitCode = await run(args, io);
  return { exitCode: left ?? exitCode, stdout, stderr };
}
