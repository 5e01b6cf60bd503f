import { byCodeUnit } from '../digest.ts';
import { type Change, onlyRestores, type Plan, rendersNew } from '../plan/plan.ts';
import { estimatePlan } from '../plan/plan-document.ts';
import { checkVideo } from './check-video.ts';
import type { Policy, PolicyFinding } from './policy.ts';

/**
 * What the policies of a repository say of a plan: of the videos that it changes, whatever it does with them. Those that need
 * nothing, are forgotten or only restored are not looked at, so that a new policy refuses no change of something else.
 *
 * @returns by video, those about the plan as a whole first; of one video in the order of the policies
 */
export function checkPolicies(policies: readonly Policy[], plan: Plan): PolicyFinding[] {
  const desired = plan.changes.filter(isJudged).map((change) => change.desired);
  const ofVideos = desired
    .sort((a, b) => byCodeUnit(a.id, b.id))
    .flatMap((video) => policies.flatMap((policy) => checkVideo(policy, video)));
  return [...policies.flatMap((policy) => checkPlan(policy, plan)), ...ofVideos];
}

function isJudged(change: Change): change is Exclude<Change, { readonly desired: null }> {
  return change.action !== 'noop' && change.desired !== null && !onlyRestores(change);
}

function checkPlan(policy: Policy, plan: Plan): PolicyFinding[] {
  switch (policy.rule) {
    case 'max_renders': {
      const rendered = plan.changes.filter(rendersNew).length;
      if (rendered <= policy.count) return [];
      return [ofPlan(policy, `The plan renders ${rendered} videos, and ${policy.count} are allowed`)];
    }
    case 'max_cost': {
      const { cost } = estimatePlan(plan);
      if (cost === undefined || (cost.amount !== null && cost.amount <= policy.amount)) return [];
      const allowed = `${policy.amount} ${cost.currency}`;
      if (cost.amount !== null)
        return [ofPlan(policy, `The plan costs ${cost.amount} ${cost.currency}, and ${allowed} are allowed`)];
      // Refusing what nobody can know would refuse every template of a service.
      return [{ ...ofPlan(policy, `Nothing tells what the plan costs, which may be ${allowed}`), level: 'warn' }];
    }
    default:
      return [];
  }
}

function ofPlan({ rule, level }: Policy, message: string): PolicyFinding {
  return { rule, level, video: null, place: null, message, hint: 'Split it: --target plans some of them' };
}
