import type { PlanCheck } from '../plan/plan.ts';
import type { PolicyFinding, PolicyLevel } from './policy.ts';

/**
 * What was found, rule by rule, as a plan's document has it: one `fail` for each finding, and one `pass` for a rule with
 * none.
 *
 * @param asked every rule and command that was asked
 */
export function planChecks(
  asked: readonly { readonly rule: string; readonly level: PolicyLevel }[],
  findings: readonly PolicyFinding[],
): PlanCheck[] {
  return asked.flatMap(({ rule, level }): PlanCheck[] => {
    const own = findings.filter((finding) => finding.rule === rule);
    if (own.length === 0) return [{ rule, status: 'pass', level, video: null, message: null }];
    return own.map((finding) => ({
      rule,
      status: 'fail',
      level: finding.level,
      video: finding.video,
      message: finding.message,
    }));
  });
}
