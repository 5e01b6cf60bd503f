import { basename } from 'node:path';
import { definitionSpan } from '../../definition/definition-span.ts';
import { EXIT } from '../../diagnostic.ts';
import type { Plan, PlanDiagnostic } from '../../plan/plan.ts';
import { planDocument } from '../../plan/plan-document.ts';
import { checkPolicies } from '../../policy/check-policies.ts';
import { type PolicyFinding, planChecks } from '../../policy/policy.ts';
import { policyEnvironment, readPolicyAnswer } from '../../policy/policy-command.ts';
import { secretNames } from '../../project/config.ts';
import { planJson } from '../../report/json/command-json.ts';
import { diagnosticsJson } from '../../report/json/diagnostics-json.ts';
import { VERSION } from '../global-options.ts';
import type { Io } from '../io.ts';
import type { OpenDesired } from '../plan/open-desired.ts';
import type { OpenedPlan, OpenPlan } from '../plan/open-plan.ts';
import { parsePolicyCommand, runPolicyCommand } from './run-policy-command.ts';

/** Milliseconds that a policy command has. */
const TIMEOUT_MS = 60_000;

/**
 * A plan with what the policies of the repository and the policy commands say of it, as checks and as diagnostics: an error,
 * which refuses the plan, where they deny it. Commands get the plan's document on standard input, and no token.
 *
 * @param commandLines as they were typed
 * @throws ReelformError `policy_invalid` for a command that is none
 */
export async function judgePlan<P extends OpenedPlan>(
  planned: P,
  opened: OpenPlan,
  commandLines: readonly string[],
  io: Io,
): Promise<P> {
  const { repository } = planned;
  const { plan } = opened;
  const { policies } = repository.config;
  const commands = namedCommands(commandLines);
  const ruled = checkPolicies(policies, plan);
  const judged: Plan = { ...plan, checks: planChecks(policies, ruled) };
  const input = planJson(planDocument(judged, VERSION, diagnosticsJson(planned.diagnostics, repository.source)));
  const findings = [...ruled, ...(await askCommands(commands, input, judged, repository, io))];
  const asked = [...policies, ...commands.map(({ rule }) => ({ rule, level: 'deny' as const }))];
  const told = findings.map((finding) => diagnosticOf(finding, repository));
  return {
    ...planned,
    diagnostics: [...planned.diagnostics, ...told],
    opened: {
      ...opened,
      plan: { ...plan, checks: planChecks(asked, findings), diagnostics: [...plan.diagnostics, ...told] },
    },
  };
}

type Command = ReturnType<typeof parsePolicyCommand>;

/** Each with the name under which it is told: that of its program, numbered where there are several. */
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

/** One after the other: they are few, and what they print must not mix. */
async function askCommands(
  commands: readonly { readonly rule: string; readonly command: Command }[],
  input: string,
  plan: Plan,
  repository: OpenDesired,
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
      const said = readPolicyAnswer(rule, await runPolicyCommand(command, run), (id) => ids.has(id));
      findings.push(...said.map((finding) => ({ ...finding, place: placeIn(files.get(finding.video ?? '')) })));
    }
  } finally {
    stopListening();
  }
  return findings;
}

/** The whole of a definition. */
function placeIn(file: string | undefined): PolicyFinding['place'] {
  return file === undefined ? null : { file, path: [] };
}

function diagnosticOf({ level, video, place, message, hint }: PolicyFinding, { source }: OpenDesired): PlanDiagnostic {
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
