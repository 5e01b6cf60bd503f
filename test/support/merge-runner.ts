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
  /** stdout and stderr, interleaved. */
  readonly text: string;
}

/** A job on its own machine: a checkout and the built program in it, both removed afterwards. */
export interface MergeRunner {
  readonly root: string;
  /** Returns its output so far. */
  text(): string;
  isOver(): boolean;
  /** Signals only the first process of the step, as cancelling a job does. */
  signal(name: NodeJS.Signals): void;
  /**
   * Sends SIGKILL to the program and its child processes, as when the machine dies; or only to the program, so that its
   * children end by themselves.
   */
  kill(what?: 'machine' | 'program'): Promise<RunnerEnd>;
  /** Resolves when a condition holds. @throws if the program ended before */
  until(isSo: () => boolean): Promise<void>;
  /** Resolves after its checkout is removed, unless it is kept. */
  readonly ended: Promise<RunnerEnd>;
}

export interface RunnerOptions {
  /** An existing checkout; a fresh one of main's tip when absent. */
  readonly root?: string;
  readonly forge?: 'github' | 'git';
  readonly env?: Readonly<Record<string, string>>;
  /** Whether to keep its checkout. */
  readonly isKept?: boolean;
}

/**
 * Starts `reelform` in a checkout, as a job does. @param args arguments; `apply` is prepended if they start with an
 * option
 */
export async function startRunner(
  flow: MergeFlow,
  args: readonly string[],
  { root: given, forge = 'github', env = {}, isKept = false }: RunnerOptions = {},
): Promise<MergeRunner> {
  expect(existsSync(PROGRAM), 'build first').toBe(true);
  const root = given ?? (await flow.checkout());
  // Removed together with the checkout.
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

/** Returns its git processes, except those that serve the remote, which belong to another machine. Linux only. */
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
      // The process has just ended.
    }
  }
}
