import type { Credential } from '../../contract/destinations/credential.ts';
import { ReelformError } from '../../kernel/diagnostic.ts';
import type { Plan } from '../../reconciler/plan/plan.ts';
import type { PlanDocument } from '../../reconciler/plan/plan-document.ts';
import { type Config, secretVariables } from '../../reconciler/project/config.ts';
import { approvalQuestion } from '../../report/terminal/apply-text.ts';
import type { Io } from '../io.ts';

/**
 * Checks that the environment holds every secret of the destinations that this machine writes to, before the user is
 * asked to approve and before anything is rendered. Planning needs no secrets.
 *
 * @throws ReelformError `credential_missing`, which names all of them
 */
export function checkCredentials(plan: Plan, { service, credentials, assets }: Config, env: Io['env']): void {
  const delivering = plan.changes.flatMap(({ destinations }) =>
    destinations.flatMap(({ credential, captions }) =>
      service === 'embedded' || captions !== undefined ? [credential] : [],
    ),
  );
  const names = new Set([...delivering, service === 'embedded' ? null : (assets?.credential ?? null)]);
  const missing = [...names].flatMap((name) => {
    const credential = name === null ? undefined : credentials.get(name);
    return credential === undefined ? [] : missingOf(credential, env);
  });
  if (missing.length === 0) return;
  const [variable] = missing[0]!;
  const list = missing.map(([name, credential]) => `${name} (credential ${credential})`).join(', ');
  throw new ReelformError('credential_missing', `Missing environment variables: ${list}`, {
    hint: `export ${variable}=…; in CI, pass it to the job as a secret`,
  });
}

function missingOf(credential: Credential, env: Io['env']): [variable: string, credential: string][] {
  return secretVariables(credential).flatMap((variable) =>
    (env[variable] ?? '').trim() === '' ? [[variable, credential.name]] : [],
  );
}

/**
 * Asks the user to approve the plan, unless `--auto-approve` is set.
 *
 * @throws ReelformError `not_approved`
 */
export async function approve(
  plan: PlanDocument | null,
  options: { readonly autoApprove?: boolean },
  io: Io,
): Promise<void> {
  if (options.autoApprove === true) return;
  if (!io.interactive) {
    throw new ReelformError('not_approved', 'The plan needs approval, but the input is not a terminal', {
      hint: 'Pass --auto-approve, or a plan saved with `reelform plan --out FILE`',
    });
  }
  const answer = await io.ask(approvalQuestion(plan));
  if (answer.trim() !== 'yes')
    throw new ReelformError('not_approved', 'The plan was not approved; nothing was changed');
}
