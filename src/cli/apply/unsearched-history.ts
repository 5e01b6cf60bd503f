import { type Diagnostic, errorAt, ReelformError } from '../../kernel/diagnostic.ts';
import { rendersOtherContent } from '../../reconciler/plan/plan.ts';
import type { Config } from '../../reconciler/project/config.ts';
import { unsearchedQuestion } from '../../report/terminal/apply-text.ts';
import { countNoun } from '../../report/wording/quantities.ts';
import type { Io } from '../io.ts';
import type { OpenPlan } from '../plan/open-plan.ts';
import type { ApplyOptions } from './apply-options.ts';

type Planned = Pick<OpenPlan, 'plan' | 'unsearched'>;
type Options = Pick<ApplyOptions, 'autoApprove' | 'allowUnsearched'>;

/**
 * Returns the error of a run that would pay for videos which the unsearched history of the lockfile may have, if nobody
 * can be asked; null for any other run. The embedded service costs nothing, so the plan only warns.
 */
export function refuseUnsearched(planned: Planned, config: Config, options: Options, io: Io): Diagnostic | null {
  const count = countAtRisk(planned, config, options);
  if (count === 0 || canAsk(options, io)) return null;
  const message = `The history of the lockfile must be searched before ${countNoun(count, 'video')} ${count === 1 ? 'is' : 'are'} rendered and paid for, because it may have them`;
  const hints = planned.unsearched.flatMap(({ hint }) => hint ?? []);
  return errorAt('history_unsearched', undefined, message, [...hints, 'To pay anyway: --allow-unsearched'].join('. '));
}

/**
 * Asks whether to pay for videos that the unsearched history of the lockfile may have.
 *
 * @throws ReelformError `not_approved`
 */
export async function approveUnsearched(planned: Planned, config: Config, options: Options, io: Io): Promise<void> {
  const count = countAtRisk(planned, config, options);
  if (count === 0) return;
  const answer = await io.ask(unsearchedQuestion(count));
  if (answer.trim() === 'yes') return;
  throw new ReelformError('not_approved', 'Rendering without the history was not approved; nothing was changed');
}

/** Number of videos to pay for that the history may have. */
function countAtRisk({ plan, unsearched }: Planned, { service }: Config, { allowUnsearched }: Options): number {
  if (unsearched.length === 0 || service === 'embedded' || allowUnsearched === true) return 0;
  return plan.changes.filter(rendersOtherContent).length;
}

function canAsk({ autoApprove }: Options, { interactive }: Io): boolean {
  return interactive && autoApprove !== true;
}
