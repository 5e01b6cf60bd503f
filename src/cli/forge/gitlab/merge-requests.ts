import { isRecord } from '../../../kernel/json.ts';
import { ForgeError, parseAnswer } from '../forge-client.ts';
import type { GitLab } from './gitlab.ts';

/** An open merge request. */
interface MergeRequest {
  readonly number: number;
  /** Id of the project that it would be merged into. */
  readonly projectId: number;
  readonly headSha: string;
}

/** A finished job of a merge request. Its code, and so its artifact, is untrusted. */
interface FinishedJob {
  readonly id: number;
  /** URL of the page of the job. */
  readonly url: string;
}

/**
 * Reason why a merge request has no finished job: it has no pipeline, only the project of the fork has a pipeline, the newest
 * pipeline is for an earlier commit, it has no such job, or the job is not finished.
 */
export type MissingJob = 'no_pipeline' | 'fork' | 'outdated' | 'no_job' | 'unfinished';

/**
 * Lists the open merge requests that were updated lately, oldest update first.
 *
 * @param since milliseconds since the epoch
 * @throws ForgeError
 * @see https://docs.gitlab.com/api/merge_requests/#list-project-merge-requests
 */
export async function openMergeRequests({ client, path }: GitLab, since: number): Promise<readonly MergeRequest[]> {
  const after = encodeURIComponent(new Date(since).toISOString());
  const query = `state=opened&updated_after=${after}&order_by=updated_at&sort=asc&per_page=100`;
  const found = await client.list(`${path}/merge_requests?${query}`);
  const requests = found.map(({ iid, project_id: projectId, sha }) => ({
    number: id(iid),
    projectId: id(projectId),
    // GitLab returns null for a source branch that was deleted.
    headSha: typeof sha === 'string' ? sha : '',
  }));
  // An update during the listing moves a request to a later page, so that it can occur twice.
  return [...new Map(requests.map((request) => [request.number, request])).values()];
}

/**
 * Finds a job by name in the newest merge request pipeline of the project itself. A fork's pipeline runs in the project of the
 * fork, unless a member starts it in this project.
 *
 * @throws ForgeError
 * @see https://docs.gitlab.com/api/merge_requests/#list-merge-request-pipelines
 */
export async function finishedJob(
  gitlab: GitLab,
  request: MergeRequest,
  name: string,
): Promise<FinishedJob | MissingJob> {
  const { client, path } = gitlab;
  const found = await client.list(`${path}/merge_requests/${request.number}/pipelines?per_page=100`);
  const pipelines = found
    // A merge request also lists the pipelines of its branch.
    .filter(({ ref }) => typeof ref === 'string' && /^refs\/merge-requests\/\d+\/(?:head|merge)$/.test(ref))
    .sort((a, b) => id(b.id) - id(a.id));
  const newest = pipelines.find(({ project_id: projectId }) => (projectId ?? request.projectId) === request.projectId);
  if (newest === undefined) return pipelines.length === 0 ? 'no_pipeline' : 'fork';
  if (!(await isForHead(gitlab, request, newest))) return 'outdated';
  const jobs = await client.list(`${path}/pipelines/${id(newest.id)}/jobs?per_page=100`);
  const job = jobs.find((candidate) => candidate.name === name);
  if (job === undefined) return 'no_job';
  if (job.status !== 'success' && job.status !== 'failed') return 'unfinished';
  if (typeof job.web_url === 'string' && /^https?:\/\/[^\s<>|\\`]{1,2000}$/.test(job.web_url)) {
    return { id: id(job.id), url: job.web_url };
  }
  throw new ForgeError('forge_answer_invalid', 'The response of GitLab is not a job');
}

/** A pipeline for merged results runs for a merge commit, whose parents are the target branch and the head. */
async function isForHead(
  { client, path }: GitLab,
  { headSha }: MergeRequest,
  pipeline: Readonly<Record<string, unknown>>,
): Promise<boolean> {
  if (pipeline.sha === headSha || !String(pipeline.ref).endsWith('/merge')) return pipeline.sha === headSha;
  const commit = `${path}/repository/commits/${encodeURIComponent(String(pipeline.sha))}`;
  const answer = parseAnswer(await client.send('GET', commit), `GET ${commit}`, 'GitLab');
  return isRecord(answer) && Array.isArray(answer.parent_ids) && answer.parent_ids.includes(headSha);
}

/**
 * Downloads one file of a job's artifact, at most 48 MiB.
 *
 * @param file path in the artifact, with `/`
 * @returns null if there is no such file, or no longer
 * @throws ForgeError
 * @see https://docs.gitlab.com/api/job_artifacts/#download-a-single-artifact-file-by-job-id
 */
export async function artifactFile({ client, path }: GitLab, job: FinishedJob, file: string): Promise<string | null> {
  const escaped = file.split('/').map(encodeURIComponent).join('/');
  try {
    return (await client.send('GET', `${path}/jobs/${job.id}/artifacts/${escaped}`)).text;
  } catch (error) {
    if (error instanceof ForgeError && error.status === 404) return null;
    throw error;
  }
}

function id(value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) return value;
  throw new ForgeError('forge_answer_invalid', 'The response of GitLab contains no id');
}
