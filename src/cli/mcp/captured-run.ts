import type { Io, OutputStream } from '../io.ts';

/** Runs a command line of reelform and resolves to its exit code. */
export type RunCommand = (argv: readonly string[], io: Io) => Promise<number>;

export interface CapturedRun {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command in this process and captures its output, because stdout carries the protocol. */
export async function captureRun(
  argv: readonly string[],
  run: RunCommand,
  io: Io,
  options: { readonly cwd: string; readonly onStdout?: (text: string) => void },
): Promise<CapturedRun> {
  const [stdout, stderr] = [collector(options.onStdout), collector()];
  const exitCode = await run(argv, {
    ...io,
    cwd: options.cwd,
    env: { ...io.env, NO_COLOR: '1' },
    stdout: stdout.stream,
    stderr: stderr.stream,
    interactive: false,
    readInput: async () => '',
    onWriteError: () => {},
    onResize: () => () => {},
    leave: () => {},
  });
  return { exitCode, stdout: stdout.text(), stderr: stderr.text() };
}

function collector(onText?: (text: string) => void): { readonly stream: OutputStream; text(): string } {
  const chunks: string[] = [];
  const write = (text: string): void => {
    chunks.push(text);
    onText?.(text);
  };
  return { stream: { write, isTTY: false, columns: 120, rows: 40 }, text: () => chunks.join('') };
}
