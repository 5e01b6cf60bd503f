import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Diagnostic, EXIT, errorAt, hasErrors, ReelformError } from '../../diagnostic.ts';
import { gitHubComments, pullsOfCommit } from '../../forge/github/pulls.ts';
import { planIdOf } from '../../forge/write-comment.ts';
import { recentCommits } from '../../git/revisions.ts';
import { isEmptyPlan, type Plan, rendersOtherContent } from '../../plan/plan.ts';
import { type PlanDocument, planDocument } from '../../plan/plan-document.ts';
import { parsePlanDocument, reviewedPlan, savedDemands } from '../../plan/saved-plan.ts';
import { countWords } from '../../report/wording/plan-words.ts';
import type { ApplyOptions } from '../apply/apply-options.ts';
import { openJobGitHub } from '../forge/forge-job.ts';
import { VERSION, workingDirectory } from '../global-options.ts';
import type { Io } from '../io.ts';
import { applyPolicies, type OpenedPlan, openPlan, type PlanContext } from './open-plan.ts';

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
  const other =
    opened === null || expected === undefined ? null : await otherPlan(opened.plan, expected, repository.root, io);
  if (other === null) return { ...planned, refusal: refusalOf(planned) };
  return { ...planned, diagnostics: [...planned.diagnostics, other], refusal: EXIT.stale };
}

function refusalOf({ opened }: OpenedPlan): number | null {
  if (opened === null) return EXIT.error;
  return hasErrors(opened.plan.diagnostics) ? EXIT.refused : null;
}

/** `reviewed`, with a tag for comments other than `plan`. */
const REVIEWED = /^reviewed(?::([\w-]+))?$/;

/**
 * Compares the plan with the expected one: by its id, or by the comments on merged pull requests.
 *
 * @returns null if the plan is the expected one
 * @throws ReelformError if GitHub does not answer
 */
async function otherPlan(plan: Plan, expected: string, root: string, io: Io): Promise<Diagnostic | null> {
  const document = planDocument(plan, VERSION, []);
  const { plan_id: id } = document;
  const [isAboutReviews, tag = 'plan'] = REVIEWED.exec(expected) ?? [];
  const words = countWords(document).map(({ words }) => words);
  const now = `The current plan is ${id} (${words.length === 0 ? 'no videos' : words.join(', ')})`;
  const stale = (rest: string, hint: string) => errorAt('plan_stale', undefined, `${now}, ${rest}`, hint);
  if (isAboutReviews === undefined) {
    if (id === expected) return null;
    const hint = 'Check it with `reelform plan` and the same options; if it is right, pass its plan_id';
    return stale(`not ${expected}`, hint);
  }
  if (isEmptyPlan(plan)) return null;
  if (await isReviewed(root, id, tag, io)) return null;
  return stale(
    `and no comment "${tag}" of a merged pull request shows it`,
    `Check it with \`reelform plan\`; if it is right, apply it with --expect-plan ${id}`,
  );
}

/** Maximum number of merges between a review and its apply. Runs wait for each other, and failed ones are repeated. */
const MERGES = 20;

/**
 * True if a comment on a recently merged pull request shows the plan. Only comments by the account of the job's token
 * count.
 *
 * @param root absolute; merges are searched from the checked-out commit
 * @param tag of the comments
 * @throws ReelformError of Git or GitHub
 */
async function isReviewed(root: string, planId: string, tag: string, io: Io): Promise<boolean> {
  const github = await openJobGitHub(io);
  const seen = new Set<number>();
  for (const commit of await recentCommits(root, MERGES)) {
    for (const { number, isMerged } of await pullsOfCommit(github, commit)) {
      if (!isMerged || seen.has(number)) continue;
      seen.add(number);
      const comments = await gitHubComments(github, number).own();
      if (comments.some(({ body }) => planIdOf(body, tag) === planId)) return true;
    }
  }
  return false;
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
