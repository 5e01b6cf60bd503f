import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';

/** The built program. */
export const PROGRAM = join(import.meta.dirname, '../../dist/cli/main.js');

/** A long-running command of the built program, in a separate process. */
export interface SpawnedProgram {
  readonly url: string;
  readonly pid: number;
  /** Log lines so far, including those of predecessors whose log was passed on. */
  readonly log: string[];
  /** Returns its stderr so far. */
  said(): string;
  /** Suspends its process; child processes continue. */
  pause(): void;
  resume(): void;
  /** Sends SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>;
  /** Sends SIGTERM; resolves to the exit code. */
  stop(): Promise<number | undefined>;
}

export interface SpawnOptions {
  /** Port of its readiness endpoint. */
  readonly port: number;
  /** Address of that endpoint; default the loopback. */
  readonly host?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** Array to which log lines are appended. */
  readonly log?: string[];
  /** File of another build of the program. */
  readonly program?: string;
  /** Command that starts the program: `ip netns exec …`. */
  readonly within?: readonly string[];
}

/** Starts `reelform <command>` in a folder and waits until it is ready. */
export async function spawnProgram(
  command: 'serve' | 'worker',
  cwd: string,
  { port, host = '127.0.0.1', env = {}, args = [], log = [], within = [], program = PROGRAM }: SpawnOptions,
): Promise<SpawnedProgram> {
  const [file, ...rest] = [...within, process.execPath, program, command, '--port', String(port), ...args];
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

/** Identifies a process even if its number is reused later. */
export interface ProcessId {
  readonly pid: number;
  /** Start time in ticks since boot. */
  readonly startedAt: string;
}

/** Returns the child processes of a process, recursively. Linux only. */
export function descendants(pid: number): ProcessId[] {
  const children = readIf(`/proc/${pid}/task/${pid}/children`).trim().split(' ').filter(Boolean).map(Number);
  return children.flatMap((child) => [{ pid: child, startedAt: startOf(child) }, ...descendants(child)]);
}

/** Whether it is still running; a zombie is not. */
export function isRunning({ pid, startedAt }: ProcessId): boolean {
  return startedAt !== '' && startOf(pid) === startedAt && stateOf(pid) !== 'Z';
}

/** Returns the processor time in seconds of a process and its descendants, including ended ones. Linux only. */
export function processorSeconds(pid: number): number {
  const ticks = [pid, ...descendants(pid).map((child) => child.pid)].flatMap((each) => statOf(each).slice(11, 15));
  return ticks.reduce((sum, each) => sum + Number(each), 0) / TICKS_PER_SECOND;
}

/** Returns the fields of `/proc/<pid>/stat` after the name, which may contain spaces and brackets. */
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
