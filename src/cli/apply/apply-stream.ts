import { NOTHING_DONE } from '../../apply/events.ts';
import type { JsonDiagnostic } from '../../report/json/diagnostics-json.ts';
import { eventJson, type StreamEvent } from '../../report/json/event-json.ts';
import { VERSION } from '../global-options.ts';
import type { Io } from '../io.ts';
import type { ApplyView } from './apply-view.ts';
import { countEvent } from './count-event.ts';

/** What `apply --json` prints: the version first, then what happens; an outcome last, whatever ends it. */
export class ApplyStream implements ApplyView {
  readonly #io: Io;
  #isBegun = false;
  #isEnded = false;
  /** What had become of the videos when something ended the run. */
  #outcome = NOTHING_DONE;

  constructor(io: Io) {
    this.#io = io;
  }

  tell(event: StreamEvent): void {
    // A process that is left has said how, while it still does this and that.
    if (this.#isEnded) return;
    if (!this.#isBegun) this.#write({ kind: 'version', toolVersion: VERSION });
    this.#isBegun = true;
    if (event.kind === 'outcome') this.#isEnded = true;
    else this.#outcome = countEvent(this.#outcome, event);
    this.#write(event);
  }

  /** The outcome of a run that something unforeseen ended, unless it was told. */
  fail(diagnostics: readonly JsonDiagnostic[]): void {
    if (!this.#isEnded) this.tell({ kind: 'outcome', outcome: this.#outcome, diagnostics });
  }

  #write(event: StreamEvent): void {
    this.#io.stdout.write(eventJson(event, this.#io.now()));
  }
}
