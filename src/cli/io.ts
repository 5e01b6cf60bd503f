import { EXIT, ReelformError } from '../kernel/diagnostic.ts';
import type { createRenderPool } from '../service/sessions/processes/render-pool.ts';

/** The process as commands see it. Tests provide their own. */
export interface Io {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** Absolute path. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Version of Node, without `v`. */
  readonly nodeVersion: string;
  /** Milliseconds since the epoch. The clock may be changed: use it for dates, never for durations. */
  now(): number;
  /** Milliseconds of a monotonic clock, for durations within this process. */
  monotonicNow(): number;
  /** Calls the listener at each Ctrl-C or SIGTERM, until the returned function is called. */
  onInterrupt(listener: () => void): () => void;
  /** Calls the listener with each error that no code handles, instead of ending the process, until the returned function is called. */
  onFault(listener: (error: unknown) => void): () => void;
  /**
   * Drops text that stdout or stderr rejects from now on, instead of ending the process.
   *
   * @param listener called with the code of each error of stdout, such as `ENOSPC`
   */
  onWriteError(listener: (code: string) => void): void;
  /** Calls the listener when the size of the terminal changes, until the returned function is called. */
  onResize(listener: () => void): () => void;
  /** Calls back once after a delay, unless the returned function is called before. */
  after(milliseconds: number, callback: () => void): () => void;
  /**
   * Resolves after a delay, which `monotonicNow` measures too.
   *
   * @throws the signal's reason
   */
  wait(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /**
   * Asks the user a question. Only available if `interactive`.
   *
   * @throws ReelformError `interrupted` after Ctrl-C or Ctrl-D
   */
  ask(question: string): Promise<string>;
  readonly interactive: boolean;
  readInput(): Promise<string>;
  /** Opens the render processes of a command. Set by callers that keep processes between commands. */
  readonly createRenderPool?: typeof createRenderPool;
  /** Ends the process immediately, even with pending work. */
  leave(exitCode: number): void;
}

export interface OutputStream {
  write(text: string): void;
  readonly isTTY: boolean;
  /** Width in characters; 80 if unknown. */
  readonly columns: number;
  readonly rows: number;
}

/** True in a CI job: `CI` is set, and neither `0` nor `false`. */
export function isCi(env: Io['env']): boolean {
  return !['', '0', 'false'].includes(env.CI ?? '');
}

/** True if a user can wait or interrupt again. */
export function isAttended({ stderr, env }: Pick<Io, 'stderr' | 'env'>): boolean {
  return stderr.isTTY && !isCi(env);
}

/**
 * Returns whether to use colours: never with `--no-color` or `NO_COLOR`; `FORCE_COLOR` enables them, or disables them
 * with `0` or `false`; otherwise on a terminal that is not dumb and not in CI.
 *
 * @see https://no-color.org, https://force-color.org
 */
export function wantsColor(output: OutputStream, env: Io['env'], flag: boolean): boolean {
  if (!flag || (env.NO_COLOR ?? '') !== '') return false;
  const forced = env.FORCE_COLOR ?? '';
  if (forced !== '') return forced !== '0' && forced !== 'false';
  return isScreen(output, env);
}

/** True if the terminal supports 24-bit colours. */
export function hasTrueColor(env: Io['env']): boolean {
  return env.COLORTERM === 'truecolor' || env.COLORTERM === '24bit';
}

/** True if the output is a screen that can be redrawn. */
export function isScreen(output: OutputStream, env: Io['env']): boolean {
  return output.isTTY && env.TERM !== 'dumb' && !isCi(env);
}

/** A terminal: `input` reads keys, `output` shows the question and the echo. */
interface Keyboard {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

/**
 * Asks a question on a terminal and resolves to the answer.
 *
 * @throws ReelformError `interrupted` after Ctrl-C, Ctrl-D, or the end of the input
 */
export async function askQuestion(question: string, { input, output }: Keyboard): Promise<string> {
  const { createInterface } = await import('node:readline/promises');
  const lines = createInterface({ input, output, terminal: true });
  // Node 20 closes the interface at Ctrl-C and never settles the question; later versions also reject it.
  const left = new Promise<null>((resolve) => lines.once('close', () => resolve(null)));
  try {
    const answer = await Promise.race([lines.question(question).catch(() => null), left]);
    if (answer !== null) return answer;
    output.write('\n');
    throw new ReelformError('interrupted', 'The prompt was cancelled; nothing was changed', {
      exitCode: EXIT.interrupted,
    });
  } finally {
    lines.close();
  }
}
