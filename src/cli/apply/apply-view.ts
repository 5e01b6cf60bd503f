import type { JsonDiagnostic } from '../../report/json/diagnostics-json.ts';
import type { StreamEvent } from '../../report/json/event-json.ts';

/** Who is told of a run beside the people who watch it. */
export interface ApplyView {
  tell(event: StreamEvent): void;
  /** Something unforeseen ended the run. */
  fail(diagnostics: readonly JsonDiagnostic[]): void;
  /** The run is over, whatever ended it. */
  close?(): Promise<void>;
}
