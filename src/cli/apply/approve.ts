import { ReelformError } from '../../diagnostic.ts';
import { approvalQuestion } from '../../report/terminal/apply-text.ts';
import type { Io } from '../io.ts';

/**
 * Asks a person, unless that was answered on the command line.
 *
 * @throws ReelformError `not_approved`
 */
export async function approve(renderCount: number, options: { readonly autoApprove?: boolean }, io: Io): Promise<void> {
  if (options.autoApprove === true) return;
  if (!io.interactive) {
    throw new ReelformError('not_approved', 'There is nobody to ask for approval', {
      hint: 'Pass --auto-approve, or a plan that was saved with `reelform plan --out FILE`',
    });
  }
  const answer = await io.ask(approvalQuestion(renderCount));
  if (answer.trim() !== 'yes') throw new ReelformError('not_approved', 'The plan was not approved; nothing was done');
}
