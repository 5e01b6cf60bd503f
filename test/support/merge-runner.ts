import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { GIT_ENVIRONMENT } from './git-repository.ts';
import type { MergeFlow } from './merge-flow.ts';
import { descendants, isRunning, PROGRAM, type ProcessId } from './spawned-program.ts';

export interface RunnerEnd {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  /** What it wrote, stdout and stderr as they came. */
  readonly text: string;
}

/** A job on a machine of its own: a checkout, the built program at work in it, and nothing of it left afterwards. */
export interface MergeRunner {
  readonly root: string;
  /** What it has written so far. */
  text(): string;
  isOver(): boolean;
  /** To the step's first process alone, as a cancelled job does. */
  signal(name: NodeJS.Signals): void;
  /**
   * SIGKILL: to the program and what it has started, as when the machine is gone; or to the program alone, so that what it has
   * started ends by itself.
   */
  kill(what?: 'machine' | 'program'): Promise<RunnerEnd>;
  /** When something is so. @throws when it ended before */
  until(isSo: () => boolean): Promise<void>;
  /** Its checkout is gone by then, unless it was asked for. */
  readonly ended: Promise<RunnerEnd>;
}

export interface RunnerOptions {
  /** A checkout that is there; a fresh one of main's tip when absent. */
  readonly root?: string;
  readonly forge?: 'github' | 'git';
  readonly env?: Readonly<Record<string, string>>;
  /** Whether its checkout stays. */
  readonly isKept?: boolean;
}

/** Starts `reelform` in a checkout, as a job does. @param args with the command; `apply` where they begin with an option */
export async function startRunner(
  flow: MergeFlow,
  args: readonly string[],
  { root: given, forge = 'github', env = {}, isKept = false }: RunnerOptions = {},
): Promise<MergeRunner> {
  expect(existsSync(PROGRAM), 'build first').toBe(true);
  const root = given ?? (await flow.checkout());
  // What it leaves in its temporary folder goes with it.
  const temporary = join(root, '.git/runner-temp');
  mkdirSync(temporary, { recursive: true });
  const command = args[0]?.startsWith('-') === true ? ['apply', '--auto-approve', ...args] : args;
  const child = spawn(process.execPath, [PROGRAM, ...command], {
    cwd: root,
    env: {
      ...process.env,
      ...GIT_ENVIRONMENT,
      CI: 'true',
      NO_COLOR: '1',
      TMPDIR: temporary,
      ...flow.env(forge),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, text] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk;
    text += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  let isOver = false;
  let left: readonly ProcessId[] = [];
  const ended = new Promise<RunnerEnd>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (exitCode, signal) => resolve({ exitCode, signal, stdout, text }));
  }).then(async (end) => {
    isOver = true;
    while (left.some(isRunning)) await setTimeout(10);
    if (!isKept) await rm(root, { recursive: true, force: true, maxRetries: 10 });
    expect(end.text).not.toContain('canary');
    return end;
  });
  const kill = (what: 'machine' | 'program'): Promise<RunnerEnd> => {
    left = child.pid === undefined || isOver ? [] : childrenOf(child.pid);
    child.kill('SIGKILL');
    if (what === 'machine') killEach(left);
    return ended;
  };
  onTestFinished(async () => {
    await kill('machine').catch(() => undefined);
  });
  return {
    root,
    text: () => text,
    isOver: () => isOver,
    signal: (name) => void child.kill(name),
    kill: (what = 'machine') => kill(what),
    async until(isSo) {
      while (!isSo()) {
        if (isOver) throw new Error(`it ended before:\n${text}`);
        await setTimeout(10);
      }
    },
    ended,
  };
}

/** Each git that it has started; not what serves them, which is another machine's. Linux alone. */
function childrenOf(pid: number): ProcessId[] {
  const path = `/proc/${pid}/task/${pid}/children`;
  const direct = existsSync(path) ? readFileSync(path, 'utf8').trim().split(' ').map(Number) : [];
  return descendants(pid).filter((one) => direct.includes(one.pid));
}

function killEach(processes: readonly ProcessId[]): void {
  for (const one of processes.filter(isRunning)) {
    try {
      process.kill(one.pid, 'SIGKILL');
    } catch {
      // It has just ended.
    }
  }
}
