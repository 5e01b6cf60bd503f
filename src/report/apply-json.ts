import type { ApplyOutcome } from '../apply/events.ts';
import type { JsonDiagnostic } from './diagnostics-json.ts';

/** The outcome of a run as one JSON document. */
export function applyJson(outcome: ApplyOutcome, interrupted: boolean, diagnostics: readonly JsonDiagnostic[]): string {
  const document = {
    format_version: '1.0',
    interrupted,
    rendered: outcome.rendered,
    recorded: outcome.recorded,
    failed: outcome.failed,
    skipped: outcome.skipped,
    elapsed_ms: outcome.elapsedMs,
    diagnostics,
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}
