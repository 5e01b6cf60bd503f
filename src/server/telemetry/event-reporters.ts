import type { PartEvent } from '../../session/parts/part-event.ts';
import type { RunnerEvent } from '../../session/session-runner.ts';
import type { Log } from './log.ts';
import type { ServiceMetrics } from './metrics.ts';

/** What became of an attempt, by the status that its session had at the end. */
const OUTCOMES: Readonly<Record<string, string>> = {
  preview_rendered: 'rendered',
  preview_failed: 'failed',
  // Somebody canceled or removed it, or this worker is being stopped.
  preview_rendering: 'stopped',
};

/** Tells the log and the metrics what happens to sessions at work. */
export function reportRuns(log: Log, metrics: ServiceMetrics): (event: RunnerEvent | PartEvent) => void {
  return (event) => {
    switch (event.kind) {
      case 'session-begun': {
        const { id, tenant, attempt } = event;
        log.info({ event: event.kind, session: id, tenant, attempt }, 'a session is taken up');
        break;
      }
      case 'scene-rendered': {
        const { id, scene, elapsedMs } = event;
        log.info({ event: event.kind, session: id, scene, ms: elapsedMs }, 'a scene is rendered');
        break;
      }
      case 'session-split': {
        const { id, attempt, parts } = event;
        log.info({ event: event.kind, session: id, attempt, parts }, 'a session is rendered in parts');
        break;
      }
      case 'session-waits':
        log.info({ event: event.kind, session: event.id }, 'a session waits for another one with the same scene');
        break;
      case 'part-rendered': {
        const { id, attempt, part, frames, elapsedMs } = event;
        log.info({ event: event.kind, session: id, attempt, part, frames, ms: elapsedMs }, 'a part is rendered');
        break;
      }
      case 'parts-unfit':
        log.warn(
          { event: event.kind, session: event.id },
          'parts cannot be joined; the video is rendered in one piece',
        );
        break;
      case 'session-ended': {
        const { id, tenant, status, codes, elapsedMs } = event;
        const outcome = OUTCOMES[status] ?? status;
        metrics.renderEnded(outcome, elapsedMs / 1000);
        if (outcome !== 'stopped') metrics.sessionEntered(status);
        const fields = { event: event.kind, session: id, tenant, outcome, codes, ms: elapsedMs };
        if (outcome === 'failed') log.warn(fields, 'a session failed');
        else log.info(fields, outcome === 'rendered' ? 'a session is rendered' : 'the work on a session was stopped');
      }
    }
  };
}
