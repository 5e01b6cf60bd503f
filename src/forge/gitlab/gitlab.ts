import { isRecord } from '../../json.ts';
import { type ForgeClient, type ForgeClock, ForgeError, openForgeClient, parseAnswer } from '../forge-client.ts';
import type { CommentAccess, PostedComment } from '../write-comment.ts';

interface GitLabJob {
  /** `https://gitlab.example.com/api/v4` */
  readonly apiUrl: string;
  readonly project: string;
  readonly projectUrl: string | null;
  readonly number: number;
  readonly headSha: string | null;
  readonly baseSha: string | null;
  readonly jobUrl: string | null;
}

/** @returns null when the job is not for a merge request and no number is given */
export function readGitLabJob(
  env: Readonly<Record<string, string | undefined>>,
  flags: { readonly number?: number | undefined } = {},
): GitLabJob | null {
  const set = (name: string): string | null => env[name] || null;
  const [apiUrl, project] = [set('CI_API_V4_URL'), set('CI_PROJECT_ID')];
  const number = flags.number ?? Number(set('CI_MERGE_REQUEST_IID') ?? Number.NaN);
  if (apiUrl === null || !URL.canParse(apiUrl) || project === null || !Number.isSafeInteger(number)) return null;
  return {
    apiUrl: apiUrl.replace(/\/+$/, ''),
    project,
    projectUrl: set('CI_PROJECT_URL'),
    number,
    // In a pipeline for merged results, the pipeline's commit exists on no branch.
    headSha: set('CI_MERGE_REQUEST_SOURCE_BRANCH_SHA') ?? set('CI_COMMIT_SHA'),
    baseSha: set('CI_MERGE_REQUEST_DIFF_BASE_SHA'),
    jobUrl: set('CI_JOB_URL'),
  };
}

/** Returns access to the notes of a merge request. GitLab cannot hide notes: `hide` deletes. */
export function gitLabComments(job: GitLabJob, token: string, clock: ForgeClock): CommentAccess {
  const headers = (secret: string): Record<string, string> => ({ 'private-token': secret });
  const client: ForgeClient = openForgeClient({ name: 'GitLab', baseUrl: job.apiUrl, token, headers, clock });
  const notes = `/projects/${encodeURIComponent(job.project)}/merge_requests/${job.number}/notes`;
  const remove = async ({ id }: PostedComment): Promise<void> => {
    await client.send('DELETE', `${notes}/${id}`);
  };
  return {
    async own() {
      const user = parseAnswer(await client.send('GET', '/user'), 'GET /user', 'GitLab');
      const author = isRecord(user) ? user.id : undefined;
      const found = await client.list(`${notes}?sort=asc&order_by=created_at&per_page=100`);
      const ours = found.filter((note) => isRecord(note.author) && note.author.id === author && note.system !== true);
      return ours.map(readNote);
    },
    async create(body) {
      return readNote(parseAnswer(await client.send('POST', notes, { body: { body } }), `POST ${notes}`, 'GitLab'));
    },
    async update({ id }, body) {
      await client.send('PUT', `${notes}/${id}`, { body: { body } });
    },
    remove,
    hide: remove,
  };
}

function readNote(value: unknown): PostedComment {
  if (isRecord(value) && typeof value.id === 'number' && typeof value.body === 'string') {
    return { id: value.id, body: value.body, url: null };
  }
  throw new ForgeError('forge_answer_invalid', 'The response of GitLab is not a note');
}
