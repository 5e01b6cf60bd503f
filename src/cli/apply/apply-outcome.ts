import { EXIT } from '../../kernel/diagnostic.ts';
import { type ApplyEvent, type ApplyOutcome, NOTHING_DONE } from '../../reconciler/apply/events.ts';
import { countRendered, sortedById, unknownVideo } from '../../reconciler/apply/run-record.ts';
import type { VideoId } from '../../reconciler/definition/video.ts';
import type { JsonDiagnostic } from '../../report/json/diagnostics-json.ts';
import type { StreamEvent } from '../../report/json/event-json.ts';

/** Observes a run besides the progress on stderr. */
export interface ApplyView {
  take(event: StreamEvent): void;
  /** Takes the diagnostics of an error that ended the run. */
  fail(diagnostics: readonly JsonDiagnostic[]): void;
  /** Called at the end of every run. */
  close?(): Promise<void>;
}

/** Adds an event to the outcome of a run, for a run that may end without an outcome. */
export function updateOutcome(outcome: ApplyOutcome, event: StreamEvent): ApplyOutcome {
  switch (event.kind) {
    case 'video-rendered':
      return { ...outcome, ...countRendered(outcome, event) };
    case 'video-undelivered':
      return { ...outcome, undelivered: [...outcome.undelivered, { id: event.id, failures: event.failures }] };
    case 'video-recorded':
      return { ...outcome, recorded: outcome.recorded + 1 };
    case 'video-failed':
      return { ...outcome, failed: [...outcome.failed, { id: event.id, failures: event.failures }] };
    case 'video-unknown':
      return {
        ...outcome,
        unknown: [...outcome.unknown, unknownVideo(event)],
      };
    case 'video-left':
      return { ...outcome, inProgress: [...outcome.inProgress, { id: event.id, session: event.session }] };
    case 'video-skipped':
      return { ...outcome, skipped: [...outcome.skipped, event.id] };
    default:
      return outcome;
  }
}

/**
 * Maps an outcome to an exit code. Results that need a person take precedence over those that the next run resolves. An
 * interrupted run whose renders had all finished counts as successful.
 */
export function applyExitCode({ failed, undelivered, unknown, inProgress, skipped, endedBy }: ApplyOutcome): number {
  const isRefused = [...failed, ...undelivered].some(({ failures }) =>
    failures.some(({ code }) => code === 'service_unauthorized'),
  );
  // Another attempt would be rejected as well.
  if (isRefused) return EXIT.authentication;
  if (failed.length + undelivered.length + unknown.length > 0) return EXIT.renderFailed;
  if (inProgress.length + skipped.length === 0) return EXIT.ok;
  return endedBy === 'interrupted' ? EXIT.interrupted : EXIT.deadline;
}

/** Tracks the outcome of a run so that it can be reported when the process is interrupted. */
export class PartialOutcome {
  #counted = NOTHING_DONE;
  /** Videos that have not been submitted yet. */
  readonly #waiting = new Set<VideoId>();
  /** Video → session of the service. */
  readonly #submitted = new Map<VideoId, string>();
  readonly #delivered = new Set<VideoId>();

  take(event: ApplyEvent): void {
    this.#counted = updateOutcome(this.#counted, event);
    if (event.kind === 'run-started') for (const id of event.ids) this.#waiting.add(id);
    else if (event.kind === 'video-submitted') this.#submitted.set(event.id, event.session);
    else if ('id' in event) {
      this.#waiting.delete(event.id);
      if (ENDS.has(event.kind)) this.#submitted.delete(event.id);
      if ('deliveries' in event && event.deliveries.length > 0) this.#delivered.add(event.id);
      // Only some of its destinations received the video. This event follows the deliveries that succeeded.
      if (event.kind === 'video-undelivered') this.#delivered.delete(event.id);
    }
  }

  /**
   * Returns the outcome if all pending renders were left to the service now. Requests without an answer are in none of
   * the lists.
   */
  interrupted(elapsedMs: number): ApplyOutcome {
    const { inProgress, skipped } = this.#counted;
    return sortedById({
      ...this.#counted,
      delivered: this.#delivered.size,
      inProgress: [...inProgress, ...Array.from(this.#submitted, ([id, session]) => ({ id, session }))],
      skipped: [...skipped, ...this.#waiting],
      endedBy: 'interrupted',
      elapsedMs,
    });
  }
}

const ENDS: ReadonlySet<ApplyEvent['kind']> = new Set([
  ...(['video-rendered', 'video-undelivered', 'video-recorded', 'video-failed'] as const),
  ...(['video-unknown', 'video-left', 'video-skipped'] as const),
]);
