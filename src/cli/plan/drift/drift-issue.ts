import { ReelformError } from '../../../kernel/diagnostic.ts';
import { repositoryPath } from '../../../reconciler/git/revisions.ts';
import { LOCK_FILE } from '../../../reconciler/project/repository-layout.ts';
import { DRIFT_TITLE, driftMarkdown } from '../../../report/markdown/issue-bodies.ts';
import type { DriftReport } from '../../../report/wording/drift-words.ts';
import { loadGitHubJob, openJobGitHub, printWarning } from '../../forge/forge-job.ts';
import { reuseIssue } from '../../forge/github/issues.ts';
import type { Io } from '../../io.ts';

/**
 * Maintains an issue on GitHub that lists lost and changed videos, and closes it when there are none. Leaves the issue
 * as it is if nothing was found but not everything could be verified. Errors become warnings.
 */
export async function updateDriftIssue(root: string, report: DriftReport, isWhole: boolean, io: Io): Promise<void> {
  try {
    const [{ runUrl }, path] = [await loadGitHubJob({}, io), await repositoryPath(root, LOCK_FILE)];
    const body = driftMarkdown(report, runUrl);
    const isUnclear = report.unclear.length > 0 || report.specs.some(({ kind }) => kind === 'unclear');
    if (body === null && (isUnclear || !isWhole)) return;
    const marker = `<!-- reelform:drift:${encodeURIComponent(path)} -->`;
    const mended = 'All rendered videos exist and are unchanged.';
    await reuseIssue(await openJobGitHub(io), { marker, title: DRIFT_TITLE, body, mended });
  } catch (error) {
    if (!(error instanceof ReelformError)) throw error;
    printWarning(error, io);
  }
}
