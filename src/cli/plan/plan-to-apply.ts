import { type Diagnostic, EXIT, hasErrors } from '../../diagnostic.ts';
import type { Plan } from '../../plan/plan.ts';
import { planDocument } from '../../plan/plan-document.ts';
import { countWords } from '../../report/plan-words.ts';
import type { ApplyOptions } from '../apply/apply-options.ts';
import { directoryOf } from '../diagnose.ts';
import { VERSION } from '../global-options.ts';
import type { Io } from '../io.ts';
import { type OpenedPlan, openPlan, type PlanContext } from './open-plan.ts';
import { reviewPlan } from './review-plan.ts';
import { withPolicies } from './with-policies.ts';

export interface PlanToApply extends OpenedPlan {
  /** The exit status that says why it may not be applied, among the diagnostics in words; null: it may. */
  readonly refusal: number | null;
}

/**
 * The plan that an apply is about: what a saved plan still asks for, or a fresh one, held against the one that was expected.
 *
 * @param file of the saved plan
 * @throws ReelformError `plan_invalid`
 */
export async function planToApply(
  file: string | undefined,
  options: ApplyOptions,
  io: Io,
  context: PlanContext,
): Promise<PlanToApply> {
  const directory = directoryOf(options, io);
  if (file !== undefined) {
    const { stale, ...found } = await reviewPlan(file, directory, io, context);
    const reviewed = stale.length > 0 ? found : await withPolicies(found, options, io);
    return { ...reviewed, refusal: stale.length > 0 ? EXIT.stale : refusalOf(reviewed) };
  }
  const planned = await withPolicies(await openPlan(directory, options, io, context), options, io);
  const { expectPlan: expected } = options;
  const other = planned.opened === null || expected === undefined ? null : otherPlan(planned.opened.plan, expected);
  if (other === null) return { ...planned, refusal: refusalOf(planned) };
  return { ...planned, diagnostics: [...planned.diagnostics, other], refusal: EXIT.stale };
}

function refusalOf({ opened }: OpenedPlan): number | null {
  if (opened === null) return EXIT.error;
  return hasErrors(opened.plan.diagnostics) ? EXIT.refused : null;
}

/** What there is to do in place of the plan that was agreed to; null when it is that plan. */
function otherPlan(plan: Plan, expected: string): Diagnostic | null {
  const document = planDocument(plan, VERSION, []);
  const { plan_id: id } = document;
  if (id === expected) return null;
  const words = countWords(document).map((one) => one.words);
  return {
    code: 'plan_stale',
    severity: 'error',
    message: `The plan is ${id} by now (${words.length === 0 ? 'no videos' : words.join(', ')}), not ${expected}`,
    hint: 'See it with `reelform plan` and the same options; if it is what you want, expect its plan_id',
  };
}
