import { ReelformError } from '../../diagnostic.ts';
import { reuseIssue } from '../../forge/github/issues.ts';
import { repositoryPath } from '../../git/revisions.ts';
import { LOCK_FILE } from '../../project/repository-layout.ts';
import { DRIFT_TITLE, driftMarkdown } from '../../report/markdown/drift-markdown.ts';
import type { DriftReport } from '../../report/terminal/drift-text.ts';
import { openGitHubJob } from '../comment/open-github-job.ts';
import { tellWarning } from '../comment/tell-warning.ts';
import type { Io } from '../io.ts';
import { gitHubOf } from './open-commit.ts';

/**
 * Tells in one issue on GitHub what does not stand any more; it is closed when all does. What could not be told leaves the
 * issue as it is, where nothing was found. Whatever this meets is a warning.
 */
export async function reportDrift(root: string, report: DriftReport, isWhole: boolean, io: Io): Promise<void> {
  try {
    const [{ runUrl }, path] = [await openGitHubJob({}, io), await repositoryPath(root, LOCK_FILE)];
    const body = driftMarkdown(report, runUrl);
    const isUnclear = report.unclear.length > 0 || report.specs.some(({ kind }) => kind === 'unclear');
    if (body === null && (isUnclear || !isWhole)) return;
    const marker = `<!-- reelform:drift:${encodeURIComponent(path)} -->`;
    const mended = 'All that was rendered stands.';
    await reuseIssue(await gitHubOf(io), { marker, title: DRIFT_TITLE, body, mended });
  } catch (error) {
    if (!(error instanceof ReelformError)) throw error;
    tellWarning(error, io);
  }
}
