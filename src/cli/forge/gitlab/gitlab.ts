import { isRecord } from '../../../kernel/json.ts';
import { type ForgeClient, type ForgeClock, ForgeError, openForgeClient, parseAnswer } from '../forge-client.ts';
import type { CommentAccess, PostedComment } from '../write-comment.ts';

interface GitLabAddress {
  /** `https://gitlab.example.com/api/v4` */
  readonly apiUrl: string;
  readonly project: string;
}

interface GitLabJob extends GitLabAddress {
  readonly projectUrl: string | null;
  readonly number: number;
  readonly headSha: string | null;
  readonly baseSha: string | null;
  readonly jobUrl: string | null;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** @returns null if the environment names no project */
export function readGitLabAddress(env: Environment): GitLabAddress | null {
  const { CI_API_V4_URL: apiUrl = '', CI_PROJECT_ID: project = '' } = env;
  return !URL.canParse(apiUrl) || project === '' ? null : { apiUrl: apiUrl.replace(/\/+$/, ''), project };
}

/** @returns null when the job is not for a merge request and no number is given */
export function readGitLabJob(
  env: Environment,
  flags: { readonly number?: number | undefined } = {},
): GitLabJob | null {
  const set = (name: string): string | null => env[name] || null;
  const address = readGitLabAddress(env);
  const number = flags.number ?? Number(set('CI_MERGE_REQUEST_IID') ?? Number.NaN);
  if (address === null || !Number.isSafeInteger(number)) return null;
  return {
    ...address,
    projectUrl: set('CI_PROJECT_URL'),
    number,
    // In a pipeline for merged results, the pipeline's commit exists on no branch.
    headSha: set('CI_MERGE_REQUEST_SOURCE_BRANCH_SHA') ?? set('CI_COMMIT_SHA'),
    baseSha: set('CI_MERGE_REQUEST_DIFF_BASE_SHA'),
    jobUrl: set('CI_JOB_URL'),
  };
}

/** A project on GitLab, with the rights of one token. */
export interface GitLab {
  readonly client: ForgeClient;
  /** Path of the project in the API: `/projects/7`. */
  readonly path: string;
}

/** @throws ForgeError `forge_refused` for an unencrypted address, and for an invalid token */
export function openGitLab({ apiUrl, project }: GitLabAddress, token: string, clock: ForgeClock): GitLab {
  const headers = (secret: string): Record<string, string> => ({ 'private-token': secret });
  const client = openForgeClient({ name: 'GitLab', baseUrl: apiUrl, token, headers, clock });
  return { client, path: `/projects/${encodeURIComponent(project)}` };
}

/** Returns access to the notes of a merge request. GitLab cannot hide notes: `hide` deletes. */
export function gitLabComments({ client, path }: GitLab, number: number): CommentAccess {
  const notes = `${path}/merge_requests/${number}/notes`;
  const remove = async ({ id }: PostedComment): Promise<void> => {
    await client.send('DELETE', `${notes}/${id}`);
  };
  return {
    async listByAccount() {
      const user = parseAnswer(await client.send('GET', '/user'), 'GET /user', 'GitLab');
      const author = isRecord(user) ? user.id : undefined;
      const found = await client.list(`${notes}?sort=asc&order_by=created_at&per_page=100`);
      const posted = found.filter((note) => isRecord(note.author) && note.author.id === author && note.system !== true);
      return posted.map(readNote);
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
