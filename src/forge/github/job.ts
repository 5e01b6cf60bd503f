import { isRecord } from '../../json.ts';
import type { GitHubAddress } from './github.ts';

/** What a job of GitHub Actions says it runs for. */
export interface GitHubJob {
  readonly address: GitHubAddress;
  readonly serverUrl: string;
  /** The pull request, where the event names it. */
  readonly number: number | null;
  /** `owner:branch` of the pull request, for events of a fork that do not name it. */
  readonly head: string | null;
  /** The commit of the pull request that the job is about; of a push, the commit that was pushed. */
  readonly headSha: string | null;
  /** Whether the commit is on its branch for good: the pull request is one that was merged. */
  readonly isPush: boolean;
  /** The page of the run that planned. */
  readonly runUrl: string | null;
}

const SHA = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;
const REPOSITORY = /^(?!\.{1,2}\/)[\w.-]+\/(?!\.{1,2}$)[\w.-]+$/;

/**
 * Reads a job's environment and its event. Of a `workflow_run` the pull request is what GitHub says of it: what the run
 * itself left behind may be anybody's.
 *
 * @param event the JSON of `GITHUB_EVENT_PATH`; null where there is none
 * @returns null where no repository is named
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
  const asked = flags.number ?? null;
  if (isRecord(pull)) {
    const isAsked = asked === null || asked === pull.number;
    return { ...job, number: asked ?? whole(pull.number), headSha: isAsked ? shaOf(pull.head) : null };
  }
  if (isRecord(run)) return { ...job, ...ofRun(run, asked, repository, serverUrl, ownRun) };
  const sha = set('GITHUB_SHA');
  const isPush = asked === null && isRecord(event) && typeof event.ref === 'string' && typeof event.after === 'string';
  return { ...job, number: asked, headSha: isPush && sha !== undefined && SHA.test(sha) ? sha : null, isPush };
}

function ofRun(
  run: Readonly<Record<string, unknown>>,
  asked: number | null,
  repository: string,
  serverUrl: string,
  ownRun: string | null,
): Pick<GitHubJob, 'number' | 'head' | 'headSha' | 'runUrl'> {
  const headSha = typeof run.head_sha === 'string' && SHA.test(run.head_sha) ? run.head_sha : null;
  const owner = isRecord(run.head_repository) ? run.head_repository.owner : null;
  const login = isRecord(owner) && typeof owner.login === 'string' ? owner.login : null;
  const head = login !== null && typeof run.head_branch === 'string' ? `${login}:${run.head_branch}` : null;
  // Empty for pull requests of forks. Of this repository's own, one that is still at this commit.
  const pulls = Array.isArray(run.pull_requests) ? run.pull_requests.filter(isRecord) : [];
  const named = pulls.find((one) => shaOf(one.head) === headSha);
  const id = whole(run.id);
  const runUrl = id === null ? ownRun : `${serverUrl}/${repository}/actions/runs/${id}`;
  return { number: asked ?? whole(named?.number), head, headSha, runUrl };
}

function shaOf(side: unknown): string | null {
  return isRecord(side) && typeof side.sha === 'string' && SHA.test(side.sha) ? side.sha : null;
}

function whole(value: unknown): number | null {
  return Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : null;
}
