import type { ApplyOutcome } from '../apply/events.ts';

/** The outcome of a run as one JSON document. */
export function applyJson(outcome: ApplyOutcome, interrupted: boolean): string {
  const document = {
    format_version: '1.0',
    interrupted,
    rendered: outcome.rendered,
    recorded: outcome.recorded,
    failed: outcome.failed,
    skipped: outcome.skipped,
    elapsed_ms: outcome.elapsedMs,
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}
