import type { ApplyOutcome } from '../../apply/events.ts';
import { countRestored } from '../../apply/run-record.ts';
import type { StreamEvent } from '../../report/json/event-json.ts';

/** What had become of the videos when something ended a run that could not say it itself. */
export function countEvent(outcome: ApplyOutcome, event: StreamEvent): ApplyOutcome {
  switch (event.kind) {
    case 'video-rendered': {
      const restored = countRestored(outcome.restored, event.restored);
      return { ...outcome, rendered: outcome.rendered + 1, ...(restored && { restored }) };
    }
    case 'video-undelivered':
      return { ...outcome, undelivered: [...outcome.undelivered, { id: event.id, failures: event.failures }] };
    case 'video-recorded':
      return { ...outcome, recorded: outcome.recorded + 1 };
    case 'video-failed':
      return { ...outcome, failed: [...outcome.failed, { id: event.id, failures: event.failures }] };
    case 'video-unknown':
      return {
        ...outcome,
        unknown: [...outcome.unknown, { id: event.id, askedAt: event.askedAt, session: event.session }],
      };
    case 'video-left':
      return { ...outcome, inProgress: [...outcome.inProgress, { id: event.id, session: event.session }] };
    case 'video-skipped':
      return { ...outcome, skipped: [...outcome.skipped, event.id] };
    default:
      return outcome;
  }
}
