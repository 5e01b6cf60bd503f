import { type ApplyEvent, type ApplyOutcome, NOTHING_DONE } from '../../apply/events.ts';
import type { JsonDiagnostic } from '../../report/diagnostics-json.ts';
import { eventJson, type StreamEvent } from '../../report/event-json.ts';
import { VERSION } from '../global-options.ts';
import type { Io } from '../io.ts';

/** What `apply --json` prints: the version first, then what happens; an outcome last, whatever ends it. */
export class ApplyStream {
  readonly #io: Io;
  #isBegun = false;
  #isEnded = false;
  /** What had become of the videos when something ended the run. */
  #outcome = NOTHING_DONE;

  constructor(io: Io) {
    this.#io = io;
  }

  tell(event: StreamEvent): void {
    if (!this.#isBegun) this.#write({ kind: 'version', toolVersion: VERSION });
    this.#isBegun = true;
    if (event.kind === 'outcome') this.#isEnded = true;
    else if (event.kind !== 'version' && event.kind !== 'planned') this.#outcome = counted(this.#outcome, event);
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

function counted(outcome: ApplyOutcome, event: ApplyEvent): ApplyOutcome {
  switch (event.kind) {
    case 'video-rendered':
      return { ...outcome, rendered: outcome.rendered + 1 };
    case 'video-undelivered':
      return { ...outcome, undelivered: [...outcome.undelivered, { id: event.id, failures: event.failures }] };
    case 'video-recorded':
      return { ...outcome, recorded: outcome.recorded + 1 };
    case 'video-failed':
      return { ...outcome, failed: [...outcome.failed, { id: event.id, failures: event.failures }] };
    case 'video-unknown':
      return { ...outcome, unknown: [...outcome.unknown, { id: event.id, askedAt: event.askedAt }] };
    case 'video-left':
      return { ...outcome, inProgress: [...outcome.inProgress, { id: event.id, session: event.session }] };
    case 'video-skipped':
      return { ...outcome, skipped: [...outcome.skipped, event.id] };
    default:
      return outcome;
  }
}
