import { RepositoryFiles } from '../../project/repository-files.ts';
import type { JsonDiagnostic } from '../../report/json/diagnostics-json.ts';
import type { StreamEvent } from '../../report/json/event-json.ts';
import { problemsOf } from '../../report/markdown/problem-tables.ts';
import { groupFailures } from '../../report/wording/failure-groups.ts';
import type { Io } from '../io.ts';
import type { ApplyOptions } from './apply-options.ts';
import type { ApplyView } from './apply-view.ts';
import { rootOf } from './root-of.ts';
import { RunNotes } from './run-notes.ts';

/** What says nothing of the videos: the run was not to be, and another one does its work. */
const NO_FAILURES = new Set([
  'already_running',
  'checkout_stale',
  'interrupted',
  'not_approved',
  'options_conflict',
  'plan_invalid',
  'plan_stale',
]);

/** Tells at the end of a run on GitHub what it could not do: `--report-failures`. */
export class FailureView implements ApplyView {
  readonly #options: ApplyOptions;
  readonly #io: Io;
  readonly #notes = new RunNotes();

  constructor(options: ApplyOptions, io: Io) {
    this.#options = options;
    this.#io = io;
  }

  tell(event: StreamEvent): void {
    this.#notes.tell(event);
  }

  fail(diagnostics: readonly JsonDiagnostic[]): void {
    this.#notes.fail(diagnostics);
  }

  async close(): Promise<void> {
    const root = rootOf(this.#options, this.#io);
    if (root === null) return;
    const { outcome, document, diagnostics } = this.#notes;
    const errors = problemsOf({ diagnostics }).filter(({ severity }) => severity === 'error');
    const { source } = new RepositoryFiles(root);
    const { reportFailures } = await import('../commit/report-failures.ts');
    await reportFailures(
      {
        outcome,
        troubles: groupFailures(outcome, { changes: document?.changes ?? [], source }),
        problems: errors.filter(({ code }) => !NO_FAILURES.has(code)),
        root,
        isWell:
          document?.complete === true &&
          errors.length === 0 &&
          outcome.skipped.length + outcome.inProgress.length === 0,
      },
      this.#options,
      this.#io,
    );
  }
}
