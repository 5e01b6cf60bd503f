import { type ApplyOutcome, NOTHING_DONE } from '../../apply/events.ts';
import type { Published } from '../../lock/publish-lock.ts';
import type { PlanDocument } from '../../plan/plan-document.ts';
import type { JsonDiagnostic } from '../../report/json/diagnostics-json.ts';
import type { StreamEvent } from '../../report/json/event-json.ts';
import type { DoneEvent } from '../../report/markdown/apply-markdown.ts';
import { countEvent } from './count-event.ts';

const BROKEN_OFF: JsonDiagnostic = {
  code: 'internal',
  severity: 'error',
  message: 'The run broke off',
  hint: 'See its log, and please report it',
  ...{ file: null, line: null, column: null, end_line: null, end_column: null },
};

/** What is known of a run at its end, whatever ended it. */
export class RunNotes {
  /** In the order in which they happened. */
  readonly done: DoneEvent[] = [];
  readonly #diagnostics: JsonDiagnostic[] = [];
  #isEnded = false;
  /** Null: nothing was planned. */
  document: PlanDocument | null = null;
  outcome: ApplyOutcome = NOTHING_DONE;
  /** The last that became of the lockfile on its branch; null: nothing. */
  published: Published | null = null;
  /** The last commit of the lockfile; null: none was made. */
  commit: string | null = null;

  /** All that was told, and that the run broke off where it did and nobody said why: a mistake of ours. */
  get diagnostics(): readonly JsonDiagnostic[] {
    return this.#isEnded || this.#diagnostics.length > 0 ? this.#diagnostics : [BROKEN_OFF];
  }

  fail(diagnostics: readonly JsonDiagnostic[]): void {
    this.#diagnostics.push(...diagnostics);
  }

  tell(event: StreamEvent): void {
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
        this.outcome = countEvent(this.outcome, event);
    }
  }
}
