import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';

/** The built program. */
export const PROGRAM = join(import.meta.dirname, '../../dist/cli/main.js');

/** A command of the built program that runs until it is told to stop, in a process of its own. */
export interface SpawnedProgram {
  readonly url: string;
  readonly pid: number;
  /** Its log so far, line by line, and those of its predecessors that were handed on. */
  readonly log: string[];
  /** What it said on stderr. */
  said(): string;
  /** Its process is stopped, and those that it has started go on. */
  pause(): void;
  resume(): void;
  /** SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>;
  /** SIGTERM; resolves with the exit code. */
  stop(): Promise<number | undefined>;
}

export interface SpawnOptions {
  /** Where it says whether it is ready. */
  readonly port: number;
  /** Of the loopback, unless it listens elsewhere. */
  readonly host?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** Where the log goes. */
  readonly log?: string[];
  /** What starts it, before the program itself: `ip netns exec …`. */
  readonly within?: readonly string[];
}

/** Starts `reelform <command>` in a folder and waits until it is ready. */
export async function spawnProgram(
  command: 'serve' | 'worker',
  cwd: string,
  { port, host = '127.0.0.1', env = {}, args = [], log = [], within = [] }: SpawnOptions,
): Promise<SpawnedProgram> {
  const [file, ...rest] = [...within, process.execPath, PROGRAM, command, '--port', String(port), ...args];
  const child = execa(file!, rest, {
    cwd,
    reject: false,
    buffer: false,
    env: { CI: 'true', NO_COLOR: '1', ...env },
  });
  let unended = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = (unended + text).split('\n');
    unended = lines.pop() ?? '';
    log.push(...lines);
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  let exited = false;
  void child.then(() => {
    exited = true;
  });
  const url = `http://${host}:${port}`;
  while (!(await isReady(url))) {
    if (exited) throw new Error(`reelform ${command} ended early:\n${said}\n${log.slice(-20).join('\n')}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    url,
    pid: child.pid!,
    log,
    said: () => said,
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    async kill() {
      child.kill('SIGKILL');
      await child;
    },
    async stop() {
      child.kill('SIGTERM');
      return (await child).exitCode;
    },
  };
}

const TICKS_PER_SECOND = 100;

/** A process, told apart from a later one with the same number. */
export interface ProcessId {
  readonly pid: number;
  /** Ticks since the machine started. */
  readonly startedAt: string;
}

/** Those that a process has started, and those that they have. Linux alone. */
export function descendants(pid: number): ProcessId[] {
  const children = readIf(`/proc/${pid}/task/${pid}/children`).trim().split(' ').filter(Boolean).map(Number);
  return children.flatMap((child) => [{ pid: child, startedAt: startOf(child) }, ...descendants(child)]);
}

/** Whether it still runs; one that nobody has buried does not. */
export function isRunning({ pid, startedAt }: ProcessId): boolean {
  return startedAt !== '' && startOf(pid) === startedAt && stateOf(pid) !== 'Z';
}

/** Seconds of processor time that a process and those below it have taken, those that have ended as well. Linux alone. */
export function processorSeconds(pid: number): number {
  const ticks = [pid, ...descendants(pid).map((child) => child.pid)].flatMap((each) => statOf(each).slice(11, 15));
  return ticks.reduce((sum, each) => sum + Number(each), 0) / TICKS_PER_SECOND;
}

/** Everything after the name of `/proc/<pid>/stat`, which may have spaces and brackets in it. */
function statOf(pid: number): string[] {
  const text = readIf(`/proc/${pid}/stat`);
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

function startOf(pid: number): string {
  return statOf(pid)[19] ?? '';
}

function stateOf(pid: number): string | undefined {
  return statOf(pid)[0];
}

function readIf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/readyz`)).status === 200;
  } catch {
    return false;
  }
}
