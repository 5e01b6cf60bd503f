import type { createRenderPool } from '../session/processes/render-pool.ts';

/** Everything that a command may touch of its process, so that a test can be one. */
export interface Io {
  readonly stdout: Output;
  readonly stderr: Output;
  /** Absolute. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Version of Node, without `v`. */
  readonly nodeVersion: string;
  /** Milliseconds since the epoch. May be set back or forward: for dates, never for durations. */
  now(): number;
  /** Milliseconds of a clock that is never set: for durations within this process. */
  monotonicNow(): number;
  /** Calls back at each Ctrl-C or SIGTERM, until the returned function is called. */
  onInterrupt(listener: () => void): () => void;
  /**
   * From now on, text that stdout or stderr does not take is dropped instead of ending the process.
   *
   * @param listener gets the code of each error of stdout, such as `ENOSPC`
   */
  onWriteError(listener: (code: string) => void): void;
  /** Calls back when the terminal has another size, until the returned function is called. */
  onResize(listener: () => void): () => void;
  /** Calls back once, after so many milliseconds, unless the returned function is called before. */
  after(milliseconds: number, callback: () => void): () => void;
  /**
   * Asks a person and waits; only where `interactive`.
   *
   * @throws ReelformError `interrupted` when the person presses Ctrl-C or Ctrl-D
   */
  ask(question: string): Promise<string>;
  readonly interactive: boolean;
  /** All of standard input. */
  readInput(): Promise<string>;
  /** Opens the render processes of a command. Given by callers that keep processes from one command to the next. */
  readonly createRenderPool?: typeof createRenderPool;
  /** Ends the process at once, whatever is at work. */
  leave(exitCode: number): void;
}

export interface Output {
  write(text: string): void;
  readonly isTTY: boolean;
  /** Characters; 80 where nobody tells. */
  readonly columns: number;
  readonly rows: number;
}

/** Resolves after so many milliseconds. */
export function pause(milliseconds: number, io: Pick<Io, 'after'>): Promise<void> {
  return new Promise((resolve) => {
    io.after(milliseconds, resolve);
  });
}

/** Whether a machine is at work, where nobody looks on: `CI` is there and does not say no. */
export function isCi(env: Io['env']): boolean {
  return !['', '0', 'false'].includes(env.CI ?? '');
}

/** Whether somebody is there who can wait, or interrupt again. */
export function isAttended({ stderr, env }: Pick<Io, 'stderr' | 'env'>): boolean {
  return stderr.isTTY && !isCi(env);
}

/**
 * Whether colours belong on an output. `--no-color` says no, then `NO_COLOR`; `FORCE_COLOR` says yes, or no with `0` or
 * `false`; else a terminal has them that is not dumb, and no machine.
 *
 * @see https://no-color.org, https://force-color.org
 */
export function wantsColor(output: Output, env: Io['env'], flag: boolean): boolean {
  if (!flag || (env.NO_COLOR ?? '') !== '') return false;
  const forced = env.FORCE_COLOR ?? '';
  if (forced !== '') return forced !== '0' && forced !== 'false';
  return isScreen(output, env);
}

/** Whether the terminal shows 24-bit colours. */
export function hasTrueColor(env: Io['env']): boolean {
  return env.COLORTERM === 'truecolor' || env.COLORTERM === '24bit';
}

/** Whether an output is a screen that can be drawn on again. */
export function isScreen(output: Output, env: Io['env']): boolean {
  return output.isTTY && env.TERM !== 'dumb' && !isCi(env);
}
