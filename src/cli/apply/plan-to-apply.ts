import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Diagnostic, EXIT, errorAt, hasErrors, ReelformError } from '../../kernel/diagnostic.ts';
import { formatList } from '../../kernel/hints.ts';
import { type Plan, type PlanDiagnostic, rendersOtherContent } from '../../reconciler/plan/plan.ts';
import { type PlanDocument, planDocument } from '../../reconciler/plan/plan-document.ts';
import { parsePlanDocument, reviewedPlan, savedDemands } from '../../reconciler/plan/saved-plan.ts';
import { countWords } from '../../report/wording/plan-words.ts';
import { countNoun } from '../../report/wording/quantities.ts';
import { VERSION, workingDirectory } from '../global-options.ts';
import type { Io } from '../io.ts';
import { findReviews, type Reviews } from '../plan/find-reviews.ts';
import { applyPolicies, type OpenedPlan, openPlan, type PlanContext } from '../plan/open-plan.ts';
import type { ApplyOptions } from './apply-options.ts';

interface PlanToApply extends OpenedPlan {
  /** Exit status that refuses the plan; null if it may be applied. */
  readonly refusal: number | null;
}

/**
 * Makes the plan of an apply: the remaining changes of a saved plan, or a fresh plan that must match `--expect-plan`.
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
  const directory = workingDirectory(options, io);
  if (file !== undefined) {
    const { stale, ...found } = await reviewSavedPlan(file, directory, io, context);
    const reviewed = stale.length > 0 ? found : await applyPolicies(found, options, io);
    return { ...reviewed, refusal: stale.length > 0 ? EXIT.stale : refusalOf(reviewed) };
  }
  const planned = await applyPolicies(await openPlan(directory, options, io, context), options, io);
  const { expectPlan: expected } = options;
  const { opened, repository } = planned;
  const wrong =
    opened === null || expected === undefined ? [] : await unexpected(opened.plan, expected, repository.root, io);
  if (wrong.length === 0) return { ...planned, refusal: refusalOf(planned) };
  return { ...planned, diagnostics: [...planned.diagnostics, ...wrong], refusal: EXIT.stale };
}

function refusalOf({ opened }: OpenedPlan): number | null {
  if (opened === null) return EXIT.error;
  return hasErrors(opened.plan.diagnostics) ? EXIT.refused : null;
}

/** `reviewed`, with a tag for comments other than `plan`. */
const REVIEWED = /^reviewed(?::([\w-]+))?$/;

/** Number of changes without approval that are listed. */
const NAMED = 20;

/**
 * Compares the plan with the expected plan: by its id, or by the comments on merged pull requests.
 *
 * @returns errors; none if the plan is as expected
 * @throws ReelformError if GitHub does not answer
 */
async function unexpected(plan: Plan, expected: string, root: string, io: Io): Promise<Diagnostic[]> {
  const document = planDocument(plan, VERSION, []);
  const { plan_id: id } = document;
  const [isAboutReviews, tag = 'plan'] = REVIEWED.exec(expected) ?? [];
  const words = countWords(document).map(({ words }) => words);
  const now = `The current plan is ${id} (${words.length === 0 ? 'no videos' : words.join(', ')})`;
  if (isAboutReviews === undefined) {
    if (id === expected) return [];
    const hint = 'Check it with `reelform plan` and the same options; if it is right, pass its plan_id';
    return [errorAt('plan_stale', undefined, `${now}, not ${expected}`, hint)];
  }
  const reviews = await findReviews({ plan, planId: id, root, tag }, io);
  const { unapproved } = reviews;
  if (unapproved.size === 0) return [];
  const message = `${now}, and ${countNoun(unapproved.size, 'change')} of it ${unapproved.size === 1 ? 'is' : 'are'} not approved ${searchedWords(reviews, tag)}`;
  const deepen = reviews.isShallow
    ? 'Check out the whole history (fetch-depth: 0), because merges are found in it. '
    : '';
  const hint = `${deepen}Check it with \`reelform plan\`; if it is right, apply it with --expect-plan ${id}`;
  const named = [...unapproved].slice(0, NAMED).map(([change, why]): PlanDiagnostic => {
    const { id: video } = change;
    return { ...errorAt('plan_stale', undefined, `"${video}" is not approved: ${why}`), video };
  });
  return [errorAt('plan_stale', undefined, message, hint), ...named];
}

function searchedWords({ unapproved, searched, unlisted }: Reviews, tag: string): string {
  const list = (numbers: readonly number[]): string => formatList(numbers.map((number) => `#${number}`));
  const where =
    searched.length === 0
      ? 'because no merged pull request was found'
      : `by the comments "${tag}" of the merged pull requests ${list(searched)}`;
  const whole =
    unlisted.length === 0
      ? ''
      : `; the comments of ${list(unlisted)} approve only their whole plans, which are too long`;
  return `${where}${whole}${unapproved.size > NAMED ? `; the first ${NAMED} follow` : ''}`;
}

/** The remaining changes of a saved plan. */
interface ReviewedPlan extends OpenedPlan {
  /** Reasons that the plan cannot be applied any more. */
  readonly stale: readonly Diagnostic[];
}

/**
 * Reads a saved plan, plans again with its requests, and keeps the changes that are still to be made.
 *
 * @param file as it was typed; relative to the directory
 * @throws ReelformError `plan_invalid`
 */
async function reviewSavedPlan(file: string, directory: string, io: Io, context: PlanContext): Promise<ReviewedPlan> {
  const document = await readSavedPlan(file, directory);
  // These limits were checked when the plan was reviewed.
  const flags = { allowEmpty: true, maxRenders: Number.POSITIVE_INFINITY };
  const fresh = await openPlan(directory, flags, io, { ...context, demands: (lock) => savedDemands(document, lock) });
  if (fresh.opened === null) return { ...fresh, stale: [] };
  const reviewed = reviewedPlan(document, fresh.opened.plan);
  if (!reviewed.ok) {
    const diagnostics = [...fresh.repository.diagnostics, ...reviewed.diagnostics];
    return { ...fresh, diagnostics, stale: reviewed.diagnostics };
  }
  const unsearched = reviewed.value.changes.some(rendersOtherContent) ? fresh.opened.unsearched : [];
  const diagnostics = [...fresh.repository.diagnostics, ...unsearched, ...reviewed.value.diagnostics];
  return { ...fresh, diagnostics, opened: { ...fresh.opened, plan: reviewed.value }, stale: [] };
}

/** Reads a saved plan. @throws ReelformError `plan_invalid` */
export async function readSavedPlan(file: string, directory: string): Promise<PlanDocument> {
  let text: string;
  try {
    text = await readFile(resolve(directory, file), 'utf8');
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code ?? String(error);
    throw new ReelformError('plan_invalid', `The plan ${file} cannot be read: ${why}`, {
      hint: 'Check the path, which is relative to the working directory; `reelform plan --out FILE` creates a plan',
      cause: error,
    });
  }
  const parsed = parsePlanDocument(text, file);
  if (parsed.ok) return parsed.value;
  const [{ message, hint } = { message: 'It is not a plan' }] = parsed.diagnostics;
  throw new ReelformError('plan_invalid', message, { hint });
}
