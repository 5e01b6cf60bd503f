import type { ApplyEvent, ApplyOutcome } from '../../apply/events.ts';
import { NOTHING_DONE } from '../../apply/events.ts';
import type { VideoId } from '../../definition/video.ts';
import { countEvent } from './count-event.ts';

/** What can be said of a run that is left in the middle: nobody waits for it to say that itself. */
export class OutcomeSoFar {
  #counted = NOTHING_DONE;
  /** Not begun. */
  readonly #waiting = new Set<VideoId>();
  /** With the session that the service has for it. */
  readonly #atWork = new Map<VideoId, string>();
  readonly #delivered = new Set<VideoId>();

  take(event: ApplyEvent): void {
    this.#counted = countEvent(this.#counted, event);
    if (event.kind === 'run-started') for (const id of event.ids) this.#waiting.add(id);
    else if (event.kind === 'video-submitted') this.#atWork.set(event.id, event.session);
    else if ('id' in event) {
      this.#waiting.delete(event.id);
      if (ENDS.has(event.kind)) this.#atWork.delete(event.id);
      if ('deliveries' in event && event.deliveries.length > 0) this.#delivered.add(event.id);
      // Some of its places; it is told after what arrived.
      if (event.kind === 'video-undelivered') this.#delivered.delete(event.id);
    }
  }

  /** As if everything else were left to the service now. A request that has no answer yet is in none of the lists. */
  interrupted(elapsedMs: number): ApplyOutcome {
    const { inProgress, skipped } = this.#counted;
    return {
      ...this.#counted,
      delivered: this.#delivered.size,
      inProgress: [...inProgress, ...Array.from(this.#atWork, ([id, session]) => ({ id, session }))],
      skipped: [...skipped, ...this.#waiting],
      endedBy: 'interrupted',
      elapsedMs,
    };
  }
}

const ENDS: ReadonlySet<ApplyEvent['kind']> = new Set([
  ...(['video-rendered', 'video-undelivered', 'video-recorded', 'video-failed'] as const),
  ...(['video-unknown', 'video-left', 'video-skipped'] as const),
]);
