import { readFile } from 'node:fs/promises';
import { ReelformError } from '../../diagnostic.ts';
import { type GitHubJob, readGitHubJob } from '../../forge/github/job.ts';
import type { Io } from '../io.ts';

/**
 * What the job runs for, from its environment and its event.
 *
 * @throws ReelformError `forge_unknown` where no repository is named
 */
export async function openGitHubJob(flags: { readonly number?: number | undefined }, io: Io): Promise<GitHubJob> {
  const path = io.env.GITHUB_EVENT_PATH ?? '';
  let event: unknown = null;
  if (path !== '') {
    try {
      event = JSON.parse(await readFile(path, 'utf8'));
    } catch {
      // Without it a flag has to say what the event would.
    }
  }
  const job = readGitHubJob(io.env, event, flags);
  if (job !== null) return job;
  throw new ReelformError('forge_unknown', 'GITHUB_REPOSITORY names no repository', {
    hint: 'In a job of GitHub Actions it does; elsewhere set it to owner/name',
  });
}
