import { type Diagnostic, EXIT, hasErrors } from '../../diagnostic.ts';
import { isEmptyPlan, type Plan } from '../../plan/plan.ts';
import { planDocument } from '../../plan/plan-document.ts';
import { countWords } from '../../report/wording/plan-words.ts';
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
  const { opened, repository } = planned;
  const other =
    opened === null || expected === undefined ? null : await otherPlan(opened.plan, expected, repository.root, io);
  if (other === null) return { ...planned, refusal: refusalOf(planned) };
  return { ...planned, diagnostics: [...planned.diagnostics, other], refusal: EXIT.stale };
}

function refusalOf({ opened }: OpenedPlan): number | null {
  if (opened === null) return EXIT.error;
  return hasErrors(opened.plan.diagnostics) ? EXIT.refused : null;
}

/** `reviewed`, with the tag of the comments where it is not `plan`. */
const REVIEWED = /^reviewed(?::([\w-]+))?$/;

/**
 * Compares the plan with the one that was agreed to: by its id, or by what the comments of merged pull requests show.
 *
 * @returns null when it is that plan
 * @throws ReelformError when GitHub has to be asked and does not answer
 */
async function otherPlan(plan: Plan, expected: string, root: string, io: Io): Promise<Diagnostic | null> {
  const document = planDocument(plan, VERSION, []);
  const { plan_id: id } = document;
  const [isAboutReviews, tag = 'plan'] = REVIEWED.exec(expected) ?? [];
  const words = countWords(document).map((one) => one.words);
  const now = `The plan is ${id} by now (${words.length === 0 ? 'no videos' : words.join(', ')})`;
  const stale = (rest: string, hint: string): Diagnostic => ({
    code: 'plan_stale',
    severity: 'error',
    message: `${now}, ${rest}`,
    hint,
  });
  if (isAboutReviews === undefined) {
    if (id === expected) return null;
    const hint = 'See it with `reelform plan` and the same options; if it is what you want, expect its plan_id';
    return stale(`not ${expected}`, hint);
  }
  if (isEmptyPlan(plan)) return null;
  const { isReviewed } = await import('./reviewed-plan.ts');
  if (await isReviewed(root, id, tag, io)) return null;
  return stale(
    `and no comment "${tag}" of a pull request that was merged shows it`,
    `Look at it with \`reelform plan\`; if it is what you want, apply it with --expect-plan ${id}`,
  );
}
