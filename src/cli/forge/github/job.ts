import { isRecord } from '../../../kernel/json.ts';
import type { GitHubAddress } from './github.ts';

/** Context of a GitHub Actions job. */
export interface GitHubJob {
  readonly address: GitHubAddress;
  readonly serverUrl: string;
  /** Number of the pull request, if the event contains it. */
  readonly number: number | null;
  /** `owner:branch` of the pull request, for events of a fork without a number. */
  readonly head: string | null;
  /** Commit of the pull request; for a push, the pushed commit. */
  readonly headSha: string | null;
  /** True if the commit is on its branch for good, so that the pull request is merged. */
  readonly isPush: boolean;
  /** URL of the run that planned. */
  readonly runUrl: string | null;
}

const SHA = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;
const REPOSITORY = /^(?!\.{1,2}\/)[\w.-]+\/(?!\.{1,2}$)[\w.-]+$/;

/**
 * Reads a job's environment and its event. For a `workflow_run`, trusts only GitHub's data about the pull request,
 * because anyone may control the artifacts of the run.
 *
 * @param event JSON of `GITHUB_EVENT_PATH`; null when there is none
 * @returns null without a repository
 */
export function readGitHubJob(
  env: Readonly<Record<string, string | undefined>>,
  event: unknown,
  flags: { readonly number?: number | undefined } = {},
): GitHubJob | null {
  const set = (name: string): string | undefined => (env[name] === '' ? undefined : env[name]);
  const repository = set('GITHUB_REPOSITORY') ?? '';
  if (!REPOSITORY.test(repository)) return null;
  const apiUrl = set('GITHUB_API_URL') ?? 'https://api.github.com';
  const address = { apiUrl, graphqlUrl: set('GITHUB_GRAPHQL_URL') ?? `${apiUrl}/graphql`, repository };
  const serverUrl = set('GITHUB_SERVER_URL') ?? 'https://github.com';
  const runId = set('GITHUB_RUN_ID');
  const ownRun = runId === undefined ? null : `${serverUrl}/${repository}/actions/runs/${runId}`;
  const job = { address, serverUrl, runUrl: ownRun, head: null, isPush: false };

  const { pull_request: pull, workflow_run: run } = isRecord(event) ? event : {};
  const requestedNumber = flags.number ?? null;
  if (isRecord(pull)) {
    const isAsked = requestedNumber === null || requestedNumber === pull.number;
    return { ...job, number: requestedNumber ?? whole(pull.number), headSha: isAsked ? shaOf(pull.head) : null };
  }
  if (isRecord(run)) return { ...job, ...ofRun(run, requestedNumber, repository, serverUrl, ownRun) };
  const sha = set('GITHUB_SHA');
  const isPush =
    requestedNumber === null && isRecord(event) && typeof event.ref === 'string' && typeof event.after === 'string';
  return {
    ...job,
    number: requestedNumber,
    headSha: isPush && sha !== undefined && SHA.test(sha) ? sha : null,
    isPush,
  };
}

function ofRun(
  run: Readonly<Record<string, unknown>>,
  requestedNumber: number | null,
  repository: string,
  serverUrl: string,
  ownRun: string | null,
): Pick<GitHubJob, 'number' | 'head' | 'headSha' | 'runUrl'> {
  const headSha = typeof run.head_sha === 'string' && SHA.test(run.head_sha) ? run.head_sha : null;
  const owner = isRecord(run.head_repository) ? run.head_repository.owner : null;
  const login = isRecord(owner) && typeof owner.login === 'string' ? owner.login : null;
  const head = login !== null && typeof run.head_branch === 'string' ? `${login}:${run.head_branch}` : null;
  // Empty for pull requests of forks. In this repository, the pull request at this commit counts.
  const pulls = Array.isArray(run.pull_requests) ? run.pull_requests.filter(isRecord) : [];
  const named = pulls.find((pull) => shaOf(pull.head) === headSha);
  const id = whole(run.id);
  const runUrl = id === null ? ownRun : `${serverUrl}/${repository}/actions/runs/${id}`;
  return { number: requestedNumber ?? whole(named?.number), head, headSha, runUrl };
}

function shaOf(side: unknown): string | null {
  return isRecord(side) && typeof side.sha === 'string' && SHA.test(side.sha) ? side.sha : null;
}

function whole(value: unknown): number | null {
  return Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : null;
}
