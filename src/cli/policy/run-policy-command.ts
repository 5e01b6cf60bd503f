import { execa, parseCommandString } from 'execa';
import { ReelformError } from '../../diagnostic.ts';
import { HAS_GROUPS, killGroup } from '../../os-process.ts';
import type { PolicyCommandResult } from '../../policy/policy-command.ts';

/** Bytes that a command may print. */
const MOST_OUTPUT = 1_048_576;

export interface PolicyRun {
  /** The plan's document. */
  readonly input: string;
  /** Absolute. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Milliseconds until it is ended. */
  readonly timeoutMs: number;
  /** Ends it, and the wait for it. */
  readonly signal: AbortSignal;
}

/**
 * A command line as a program and its arguments: a JSON array of them, or words with spaces between, where a backslash keeps
 * a space in a word. No shell reads it, so nothing else in there means anything.
 *
 * @throws ReelformError `policy_invalid`
 */
export function parsePolicyCommand(command: string): readonly [program: string, ...args: string[]] {
  const words = command.trimStart().startsWith('[') ? parseList(command) : parseCommandString(command.trim());
  const [program = '', ...args] = words ?? [];
  if (program !== '') return [program, ...args];
  throw new ReelformError('policy_invalid', `The policy command ${JSON.stringify(command)} names no program`, {
    hint: 'Write it like "check-plan --strict", or as a JSON array: ["check-plan", "--name", "with spaces"]',
  });
}

function parseList(command: string): string[] | null {
  try {
    const list: unknown = JSON.parse(command);
    return Array.isArray(list) && list.every((one) => typeof one === 'string') ? list : null;
  } catch {
    return null;
  }
}

/** Runs a policy command, and all that it starts, until it ends or its time is over. Never throws for what it does. */
export async function runPolicyCommand(
  [program, ...args]: readonly [string, ...string[]],
  { input, cwd, env, timeoutMs, signal }: PolicyRun,
): Promise<PolicyCommandResult> {
  const running = execa(program, args, {
    cwd,
    env,
    extendEnv: false,
    input,
    reject: false,
    // A group of its own: what it has started goes with it.
    detached: HAS_GROUPS,
  });
  let failure: string | null = null;
  const end = (): void => {
    if (running.pid !== undefined) killGroup(running.pid);
  };
  const fail = (why: string): void => {
    failure ??= why;
    end();
  };
  let printed = 0;
  for (const output of [running.stdout, running.stderr]) {
    output.on('data', (bytes: Buffer) => {
      printed += bytes.length;
      if (printed > MOST_OUTPUT) fail(`it printed more than ${MOST_OUTPUT} bytes`);
    });
  }
  const timer = setTimeout(() => fail(`it gave no answer within ${timeoutMs / 1000} s`), timeoutMs);
  signal.addEventListener('abort', end, { once: true });
  try {
    const { exitCode = null, stdout, stderr, code, signal: killedBy } = await running;
    if (exitCode === null)
      failure ??= killedBy === undefined ? notStarted(code) : `it did not run to its end: ${killedBy}`;
    return { exitCode, stdout, stderr, failure };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
  }
}

function notStarted(code = 'unknown'): string {
  return `it did not start: ${code}${code === 'ENOENT' ? ', there is no such program' : ''}`;
}
