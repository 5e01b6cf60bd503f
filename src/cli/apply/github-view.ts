import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RepositoryFiles } from '../../project/repository-files.ts';
import { LOCK_FILE } from '../../project/repository-layout.ts';
import type { JsonDiagnostic } from '../../report/json/diagnostics-json.ts';
import type { StreamEvent } from '../../report/json/event-json.ts';
import { applyMarkdown } from '../../report/markdown/apply-markdown.ts';
import { githubAnnotations, githubApplyOutputs } from '../../report/terminal/github-commands.ts';
import { failureDiagnostics, groupFailures } from '../../report/wording/failure-groups.ts';
import { filesUrl } from '../commit/files-url.ts';
import type { GlobalOptions } from '../global-options.ts';
import type { Io } from '../io.ts';
import { appendToJobFile } from '../job-file.ts';
import { folderWithin } from '../plan/folder-within.ts';
import { summaryRoom } from '../plan/print-for-github.ts';
import type { ApplyView } from './apply-view.ts';
import { rootOf } from './root-of.ts';
import { RunNotes } from './run-notes.ts';

/**
 * An apply for a step of GitHub Actions: failures as annotations of the definitions, all of it in the summary of the job, and the
 * outputs of the step; at the end of the run, whatever that is.
 */
export class GitHubView implements ApplyView {
  readonly #io: Io;
  /** Null where there is no repository. */
  readonly #root: string | null;
  readonly #lockBefore: string | null;
  readonly #notes = new RunNotes();

  constructor(options: GlobalOptions, io: Io) {
    this.#io = io;
    this.#root = rootOf(options, io);
    this.#lockBefore = this.#lockText();
  }

  tell(event: StreamEvent): void {
    this.#notes.tell(event);
  }

  fail(diagnostics: readonly JsonDiagnostic[]): void {
    this.#notes.fail(diagnostics);
  }

  async close(): Promise<void> {
    const io = this.#io;
    const { outcome, document, published, commit } = this.#notes;
    const files = this.#root === null ? null : new RepositoryFiles(this.#root);
    const context = {
      changes: document?.changes ?? [],
      source: (file: string) => files?.source(file),
    };
    const troubles = groupFailures(outcome, context);
    const told = this.#notes.diagnostics;
    const diagnostics = [...told, ...failureDiagnostics(troubles)];
    const folder = this.#root === null ? '' : folderWithin(io.env.GITHUB_WORKSPACE, this.#root);
    io.stdout.write(githubAnnotations({ diagnostics }, folder));
    await appendToJobFile('GITHUB_STEP_SUMMARY', io, async (file) => {
      const links = this.#root === null ? null : await filesUrl(this.#root, io);
      return applyMarkdown({ ...this.#notes, diagnostics: told, troubles, filesUrl: links }, await summaryRoom(file));
    });
    await appendToJobFile('GITHUB_OUTPUT', io, () => {
      const isLockChanged = this.#lockText() !== this.#lockBefore;
      return githubApplyOutputs({ outcome, published, commit, isLockChanged }, `reelform_${randomUUID()}`);
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
