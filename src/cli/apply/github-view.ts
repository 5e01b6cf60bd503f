import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RepositoryFiles } from '../../project/repository-files.ts';
import { LOCK_FILE } from '../../project/repository-layout.ts';
import { applyMarkdown } from '../../report/markdown/apply-markdown.ts';
import { githubAnnotations, githubApplyOutputs } from '../../report/terminal/github-commands.ts';
import { failureDiagnostics, groupFailures } from '../../report/wording/failure-groups.ts';
import { filesUrl } from '../forge/forge-job.ts';
import { appendToJobFile, relativeFolder, summaryBudget } from '../forge/github-step.ts';
import { type GlobalOptions, repositoryRoot } from '../global-options.ts';
import type { Io } from '../io.ts';
import { RunSummary } from './apply-view.ts';

/**
 * Reports a run in a step of GitHub Actions when it ends: failures as annotations of the definitions, the whole run in the
 * summary of the job, and the outputs of the step.
 */
export class GitHubView extends RunSummary {
  readonly #io: Io;
  /** Null if there is no repository. */
  readonly #root: string | null;
  readonly #lockBefore: string | null;

  constructor(options: GlobalOptions, io: Io) {
    super();
    this.#io = io;
    this.#root = repositoryRoot(options, io);
    this.#lockBefore = this.#lockText();
  }

  async close(): Promise<void> {
    const io = this.#io;
    const { outcome, published, commit, diagnostics } = this;
    const files = this.#root === null ? null : new RepositoryFiles(this.#root);
    const changes = this.document?.changes ?? [];
    const troubles = groupFailures(outcome, { changes, source: (file) => files?.source(file) });
    const folder = this.#root === null ? '' : relativeFolder(io.env.GITHUB_WORKSPACE, this.#root);
    const annotated = [...diagnostics, ...failureDiagnostics(troubles)];
    io.stdout.write(githubAnnotations({ diagnostics: annotated }, folder));
    await appendToJobFile('GITHUB_STEP_SUMMARY', io, async (file) => {
      const links = this.#root === null ? null : await filesUrl(this.#root, io);
      return applyMarkdown({ ...this, diagnostics, troubles, filesUrl: links }, await summaryBudget(file));
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
      // The plan reports a lockfile that cannot be read.
      return null;
    }
  }
}
