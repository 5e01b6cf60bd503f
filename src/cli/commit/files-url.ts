import { ReelformError } from '../../diagnostic.ts';
import { headCommit, repositoryPath } from '../../git/revisions.ts';
import { openGitHubJob } from '../comment/open-github-job.ts';
import type { Io } from '../io.ts';

/**
 * Where the files of a repository can be looked at on GitHub, as they are checked out: ended by `/`, for a repository-relative path
 * behind it. Null where GitHub or git do not say it.
 */
export async function filesUrl(root: string, io: Io): Promise<string | null> {
  try {
    const { serverUrl, address } = await openGitHubJob({}, io);
    const [commit, folder] = await Promise.all([headCommit(root), repositoryPath(root, '')]);
    const path = folder.split('/').map(encodeURIComponent).join('/');
    return `${serverUrl}/${address.repository}/blob/${commit}/${path}`;
  } catch (error) {
    if (error instanceof ReelformError) return null;
    throw error;
  }
}
