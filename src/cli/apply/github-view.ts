import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ApplyOutcome, NOTHING_DONE } from '../../apply/events.ts';
import { isReelformError } from '../../diagnostic.ts';
import type { Published } from '../../lock/publish-lock.ts';
import type { PlanDocument } from '../../plan/plan-document.ts';
import { findRoot } from '../../project/find-root.ts';
import { RepositoryFiles } from '../../project/repository-files.ts';
import { LOCK_FILE } from '../../project/repository-names.ts';
import { applyMarkdown, type DoneEvent } from '../../report/apply-markdown.ts';
import type { JsonDiagnostic } from '../../report/diagnostics-json.ts';
import type { StreamEvent } from '../../report/event-json.ts';
import { githubAnnotations, githubApplyOutputs } from '../../report/github-commands.ts';
import { runTroubles, troubleDiagnostics } from '../../report/run-troubles.ts';
import { filesUrl } from '../commit/files-url.ts';
import { directoryOf } from '../diagnose.ts';
import type { GlobalOptions } from '../global-options.ts';
import type { Io } from '../io.ts';
import { appendToJobFile } from '../job-file.ts';
import { folderWithin } from '../plan/folder-within.ts';
import { summaryRoom } from '../plan/print-for-github.ts';
import type { ApplyView } from './apply-view.ts';
import { countEvent } from './count-event.ts';

/**
 * An apply for a step of GitHub Actions: failures as annotations of the definitions, all of it in the summary of the job, and the
 * outputs of the step; at the end of the run, whatever that is.
 */
export class GitHubView implements ApplyView {
  readonly #io: Io;
  /** Null where there is no repository. */
  readonly #root: string | null;
  readonly #lockBefore: string | null;
  readonly #done: DoneEvent[] = [];
  #document: PlanDocument | null = null;
  #outcome: ApplyOutcome = NOTHING_DONE;
  #diagnostics: readonly JsonDiagnostic[] = [];
  #published: Published | null = null;
  #commit: string | null = null;

  constructor(options: GlobalOptions, io: Io) {
    this.#io = io;
    this.#root = rootOf(options, io);
    this.#lockBefore = this.#lockText();
  }

  tell(event: StreamEvent): void {
    switch (event.kind) {
      case 'planned':
        this.#document = event.document;
        return;
      case 'lock-published':
        this.#published = event.published;
        if (event.published.kind === 'committed') this.#commit = event.published.commit;
        return;
      case 'outcome':
        this.#outcome = event.outcome;
        this.#diagnostics = [...this.#diagnostics, ...event.diagnostics];
        return;
      default:
        if (event.kind === 'video-rendered' || event.kind === 'video-recorded') this.#done.push(event);
        this.#outcome = countEvent(this.#outcome, event);
    }
  }

  fail(diagnostics: readonly JsonDiagnostic[]): void {
    this.#diagnostics = [...this.#diagnostics, ...diagnostics];
  }

  async close(): Promise<void> {
    const [io, outcome, published] = [this.#io, this.#outcome, this.#published];
    const files = this.#root === null ? null : new RepositoryFiles(this.#root);
    const context = {
      changes: this.#document?.changes ?? [],
      source: (file: string) => files?.source(file),
    };
    const troubles = runTroubles(outcome, context);
    const diagnostics = [...this.#diagnostics, ...troubleDiagnostics(troubles)];
    const folder = this.#root === null ? '' : folderWithin(io.env.GITHUB_WORKSPACE, this.#root);
    io.stdout.write(githubAnnotations({ diagnostics }, folder));
    await appendToJobFile('GITHUB_STEP_SUMMARY', io, async (file) => {
      const run = { outcome, published, troubles, document: this.#document, done: this.#done };
      const links = this.#root === null ? null : await filesUrl(this.#root, io);
      return applyMarkdown({ ...run, diagnostics: this.#diagnostics, filesUrl: links }, await summaryRoom(file));
    });
    await appendToJobFile('GITHUB_OUTPUT', io, () => {
      const isLockChanged = this.#lockText() !== this.#lockBefore;
      return githubApplyOutputs(
        { outcome, published, commit: this.#commit, isLockChanged },
        `reelform_${randomUUID()}`,
      );
    });
  }

  #lockText(): string | null {
    if (this.#root === null) return null;
    try {
      return readFileSync(join(this.#root, LOCK_FILE), 'utf8');
    } catch {
      // One that cannot be read is told by who has to.
      return null;
    }
  }
}

function rootOf(options: GlobalOptions, io: Io): string | null {
  try {
    return findRoot(directoryOf(options, io));
  } catch (error) {
    if (isReelformError(error)) return null;
    throw error;
  }
}
