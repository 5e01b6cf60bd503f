import { basename } from 'node:path';
import { execa, parseCommandString } from 'execa';
import { type Diagnostic, EXIT, ReelformError } from '../../kernel/diagnostic.ts';
import { parseJson } from '../../kernel/json.ts';
import { HAS_GROUPS, killGroup } from '../../kernel/os-process.ts';
import { definitionSpan } from '../../reconciler/definition/definition-file.ts';
import type { Plan, PlanDiagnostic } from '../../reconciler/plan/plan.ts';
import { planDocument } from '../../reconciler/plan/plan-document.ts';
import { checkPolicies } from '../../reconciler/policy/check-policies.ts';
import { type PolicyFinding, planChecks } from '../../reconciler/policy/policy.ts';
import {
  type PolicyCommandResult,
  policyEnvironment,
  readPolicyAnswer,
} from '../../reconciler/policy/policy-command.ts';
import { secretNames } from '../../reconciler/project/config.ts';
import { planJson } from '../../report/json/command-json.ts';
import { diagnosticsJson } from '../../report/json/diagnostics-json.ts';
import { VERSION } from '../global-options.ts';
import type { Io } from '../io.ts';
import type { DesiredState } from '../state/load-desired-state.ts';

const TIMEOUT_MS = 60_000;

/**
 * Evaluates the policies of the repository and the policy commands. A denied plan gets an error, which refuses it. Commands
 * read the plan's document on standard input and run without credentials.
 *
 * @param diagnostics of the plan so far, for its document
 * @param commandLines as they were typed
 * @returns the plan with its checks, and the diagnostics to add
 * @throws ReelformError `policy_invalid` for an invalid command line
 */
export async function evaluatePolicies(
  plan: Plan,
  diagnostics: readonly Diagnostic[],
  commandLines: readonly string[],
  repository: DesiredState,
  io: Io,
): Promise<{ readonly plan: Plan; readonly diagnostics: readonly PlanDiagnostic[] }> {
  const { policies } = repository.config;
  const commands = namedCommands(commandLines);
  const policyFindings = checkPolicies(policies, plan);
  const checked: Plan = { ...plan, checks: planChecks(policies, policyFindings) };
  const input = planJson(planDocument(checked, VERSION, diagnosticsJson(diagnostics, repository.source)));
  const findings = [...policyFindings, ...(await runCommands(commands, input, checked, repository, io))];
  const rules = [...policies, ...commands.map(({ rule }) => ({ rule, level: 'deny' as const }))];
  const added = findings.map((finding) => diagnosticOf(finding, repository));
  return {
    plan: { ...plan, checks: planChecks(rules, findings), diagnostics: [...plan.diagnostics, ...added] },
    diagnostics: added,
  };
}

type Command = ReturnType<typeof parsePolicyCommand>;

/** Names each command after its program, numbered if there are several. */
function namedCommands(lines: readonly string[]): { readonly rule: string; readonly command: Command }[] {
  const counts = new Map<string, number>();
  return lines.map((line) => {
    const command = parsePolicyCommand(line);
    const name = basename(command[0]);
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return { rule: count === 1 ? `command ${name}` : `command ${name} (${count})`, command };
  });
}

/** Runs the commands in sequence, so that their output does not mix. */
async function runCommands(
  commands: readonly { readonly rule: string; readonly command: Command }[],
  input: string,
  plan: Plan,
  repository: DesiredState,
  io: Io,
): Promise<PolicyFinding[]> {
  const ids = new Set<string>(plan.changes.map(({ id }) => id));
  const files = new Map<string, string>(
    plan.changes.flatMap(({ id, desired }) => (desired ? [[id, desired.path]] : [])),
  );
  const env = policyEnvironment(io.env, secretNames(repository.config));
  const interruption = new AbortController();
  const stopListening = io.onInterrupt(() => {
    interruption.abort();
    io.leave(EXIT.interrupted);
  });
  const findings: PolicyFinding[] = [];
  try {
    for (const { rule, command } of commands) {
      const run = { input, env, cwd: repository.root, timeoutMs: TIMEOUT_MS, signal: interruption.signal };
      const answers = readPolicyAnswer(rule, await runPolicyCommand(command, run), (id) => ids.has(id));
      for (const finding of answers) {
        const file = files.get(finding.video ?? '');
        findings.push({ ...finding, place: file === undefined ? null : { file, path: [] } });
      }
    }
  } finally {
    stopListening();
  }
  return findings;
}

function diagnosticOf({ level, video, place, message, hint }: PolicyFinding, { source }: DesiredState): PlanDiagnostic {
  const text = place === null ? undefined : source(place.file);
  return {
    code: 'policy_broken',
    severity: level === 'deny' ? 'error' : 'warning',
    message,
    hint,
    ...(place === null ? {} : { at: definitionSpan(place.file, text ?? '', place.path) }),
    ...(video === null ? {} : { video }),
  };
}

const MAX_OUTPUT = 1_048_576;

interface PolicyRun {
  readonly input: string;
  /** Absolute. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Aborting it kills the policy command. */
  readonly signal: AbortSignal;
}

/**
 * Splits a command line into a program and its arguments: a JSON array, or words separated by spaces, where a backslash
 * escapes a space. No shell is involved.
 *
 * @throws ReelformError `policy_invalid`
 */
export function parsePolicyCommand(command: string): readonly [program: string, ...args: string[]] {
  const words = command.trimStart().startsWith('[') ? parseList(command) : parseCommandString(command.trim());
  const [program = '', ...args] = words ?? [];
  if (program !== '') return [program, ...args];
  throw new ReelformError('policy_invalid', `The policy command ${JSON.stringify(command)} does not name a program`, {
    hint: 'Write it like "check-plan --strict", or as a JSON array: ["check-plan", "--name", "with spaces"]',
  });
}

function parseList(command: string): string[] | null {
  const list = parseJson(command);
  return Array.isArray(list) && list.every((word) => typeof word === 'string') ? list : null;
}

/**
 * Runs a policy command and its child processes until it ends or times out. Failures of the command are part of the
 * result.
 */
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
    // In a new process group, so that child processes are ended with it.
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
      if (printed > MAX_OUTPUT) fail(`it printed more than ${MAX_OUTPUT} bytes`);
    });
  }
  const timer = setTimeout(() => fail(`it did not finish within ${timeoutMs / 1000} s`), timeoutMs);
  signal.addEventListener('abort', end, { once: true });
  try {
    const { exitCode = null, stdout, stderr, code, signal: killedBy } = await running;
    if (exitCode === null) failure ??= killedBy === undefined ? notStarted(code) : `it was ended by ${killedBy}`;
    return { exitCode, stdout, stderr, failure };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
  }
}

function notStarted(code = 'unknown'): string {
  return `it could not be started: ${code}${code === 'ENOENT' ? ', the program was not found' : ''}`;
}
