import { type ApplyOutcome, NOTHING_DONE } from '../../apply/events.ts';
import type { Published } from '../../lock/publish-lock.ts';
import type { PlanDocument } from '../../plan/plan-document.ts';
import type { JsonDiagnostic } from '../../report/json/diagnostics-json.ts';
import type { StreamEvent } from '../../report/json/event-json.ts';
import type { DoneEvent } from '../../report/markdown/apply-markdown.ts';
import { updateOutcome } from './apply-outcome.ts';

/** Observes a run besides the progress on stderr. */
export interface ApplyView {
  take(event: StreamEvent): void;
  /** Takes the diagnostics of an error that ended the run. */
  fail(diagnostics: readonly JsonDiagnostic[]): void;
  /** Called at the end of every run. */
  close?(): Promise<void>;
}

const INTERRUPTED_RUN: JsonDiagnostic = {
  code: 'internal',
  severity: 'error',
  message: 'The run was aborted',
  hint: 'See the log of the run, and please report it',
  ...{ file: null, line: null, column: null, end_line: null, end_column: null },
};

/** Collects what a view reports at the end of a run, even if an error ended the run. */
export class RunSummary implements ApplyView {
  /** In the order in which they happened. */
  readonly done: DoneEvent[] = [];
  readonly #diagnostics: JsonDiagnostic[] = [];
  #isEnded = false;
  /** Null before planning has finished. */
  document: PlanDocument | null = null;
  outcome: ApplyOutcome = NOTHING_DONE;
  /** Last result of publishing the lockfile; null if it was not published. */
  published: Published | null = null;
  /** Last commit of the lockfile; null without one. */
  commit: string | null = null;

  /** All diagnostics of the run. An internal error if the run ended without an outcome and without an error. */
  get diagnostics(): readonly JsonDiagnostic[] {
    return this.#isEnded || this.#diagnostics.length > 0 ? this.#diagnostics : [INTERRUPTED_RUN];
  }

  fail(diagnostics: readonly JsonDiagnostic[]): void {
    this.#diagnostics.push(...diagnostics);
  }

  take(event: StreamEvent): void {
    switch (event.kind) {
      case 'planned':
        this.document = event.document;
        return;
      case 'lock-published':
        this.published = event.published;
        if (event.published.kind === 'committed') this.commit = event.published.commit;
        return;
      case 'outcome':
        this.outcome = event.outcome;
        this.#isEnded = true;
        this.#diagnostics.push(...event.diagnostics);
        return;
      default:
        if (event.kind === 'video-rendered' || event.kind === 'video-recorded') this.done.push(event);
        this.outcome = updateOutcome(this.outcome, event);
    }
  }
}
