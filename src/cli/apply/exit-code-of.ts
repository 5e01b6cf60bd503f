import type { ApplyOutcome } from '../../apply/events.ts';
import { EXIT } from '../../diagnostic.ts';

/**
 * What the exit status of an apply says about how it ended. What a person has to look at comes before what the next run does
 * by itself; a run that was asked to end when all was at work already, and lost nothing by it, is one that was done.
 */
export function exitCodeOf({ failed, undelivered, unknown, inProgress, skipped, endedBy }: ApplyOutcome): number {
  const isRefused = [...failed, ...undelivered].some(({ failures }) =>
    failures.some(({ code }) => code === 'service_unauthorized'),
  );
  // No other attempt will mend it.
  if (isRefused) return EXIT.authentication;
  if (failed.length + undelivered.length + unknown.length > 0) return EXIT.renderFailed;
  if (inProgress.length + skipped.length === 0) return EXIT.ok;
  return endedBy === 'interrupted' ? EXIT.interrupted : EXIT.deadline;
}
