import { NOTHING_DONE } from '../../reconciler/apply/events.ts';
import type { JsonDiagnostic } from '../../report/json/diagnostics-json.ts';
import { eventJson, type StreamEvent } from '../../report/json/event-json.ts';
import { VERSION } from '../global-options.ts';
import type { Io } from '../io.ts';
import { type ApplyOptions, applyFormat } from './apply-options.ts';
import { type ApplyView, updateOutcome } from './apply-outcome.ts';

/**
 * Opens the views of a run that the options request; null if stderr and the final text are enough.
 *
 * @throws ReelformError `options_conflict`
 */
export async function openApplyView(
  options: ApplyOptions,
  io: Io,
  observer: ApplyView | null = null,
): Promise<ApplyView | null> {
  const views = [observer, await viewOfFormat(options, io), await viewOfFailures(options, io)].filter(
    (view) => view !== null,
  );
  if (views.length <= 1) return views[0] ?? null;
  return {
    take(event) {
      for (const view of views) view.take(event);
    },
    fail(diagnostics) {
      for (const view of views) view.fail(diagnostics);
    },
    async close() {
      for (const view of views) await view.close?.();
    },
  };
}

async function viewOfFormat(options: ApplyOptions, io: Io): Promise<ApplyView | null> {
  switch (applyFormat(options)) {
    case 'text':
      return null;
    case 'json': {
      if (options.refreshOnly === true) return null;
      return new ApplyStream(io);
    }
    case 'github': {
      const { GitHubView } = await import('./github-views.ts');
      return new GitHubView(options, io);
    }
  }
}

async function viewOfFailures(options: ApplyOptions, io: Io): Promise<ApplyView | null> {
  // The combination with --refresh-only is rejected elsewhere.
  if (options.reportFailures !== true || options.refreshOnly === true) return null;
  const { FailureReporter } = await import('./github-views.ts');
  return new FailureReporter(options, io);
}

/** Prints the events of `apply --json`: the version first, and an outcome last, even if an error ends the run. */
class ApplyStream implements ApplyView {
  readonly #io: Io;
  #isBegun = false;
  #isEnded = false;
  /** Outcome so far, for a run that ends with an error. */
  #outcome = NOTHING_DONE;

  constructor(io: Io) {
    this.#io = io;
  }

  take(event: StreamEvent): void {
    // Work that continues after an interruption must not add events behind the outcome.
    if (this.#isEnded) return;
    if (!this.#isBegun) this.#write({ kind: 'version', toolVersion: VERSION });
    this.#isBegun = true;
    if (event.kind === 'outcome') this.#isEnded = true;
    else this.#outcome = updateOutcome(this.#outcome, event);
    this.#write(event);
  }

  /** Prints the outcome of a run that an error ended, unless it was printed already. */
  fail(diagnostics: readonly JsonDiagnostic[]): void {
    if (!this.#isEnded) this.take({ kind: 'outcome', outcome: this.#outcome, diagnostics });
  }

  #write(event: StreamEvent): void {
    this.#io.stdout.write(eventJson(event, this.#io.now()));
  }
}
