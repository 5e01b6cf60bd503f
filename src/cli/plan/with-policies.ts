import { onlyRestores } from '../../plan/plan.ts';
import type { Io } from '../io.ts';
import type { OpenedPlan } from './open-plan.ts';

export interface PolicyFlags {
  /** As they were typed. */
  readonly policyCommand?: readonly string[];
}

/**
 * A plan with what policies say of it: those of reelform.yaml, and the commands that the command line or
 * `REELFORM_POLICY_COMMAND` names; never one that a file names. Nothing is asked of a plan that changes nothing.
 */
export async function withPolicies<P extends OpenedPlan>(planned: P, flags: PolicyFlags, io: Io): Promise<P> {
  const { opened, repository } = planned;
  if (opened === null) return planned;
  if (opened.plan.changes.every((change) => change.action === 'noop' || onlyRestores(change))) return planned;
  const given = [...(flags.policyCommand ?? []), io.env.REELFORM_POLICY_COMMAND ?? ''];
  const commands = given.filter((command) => command.trim() !== '');
  if (repository.config.policies.length + commands.length === 0) return planned;
  // Most plans are asked nothing.
  const { judgePlan } = await import('../policy/judge-plan.ts');
  return judgePlan(planned, opened, commands, io);
}
