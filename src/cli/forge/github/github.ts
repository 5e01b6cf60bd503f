import type { Repeatability } from '../../../kernel/http/send-request.ts';
import { isRecord } from '../../../kernel/json.ts';
import { type ForgeClient, type ForgeClock, ForgeError, openForgeClient, parseAnswer } from '../forge-client.ts';

/** Access to one GitHub repository with a token. */
export type GitHub = ReturnType<typeof openGitHub>;

export interface GitHubAddress {
  /** `https://api.github.com` */
  readonly apiUrl: string;
  /** `https://api.github.com/graphql` */
  readonly graphqlUrl: string;
  /** `owner/name` */
  readonly repository: string;
}

/** Opens the client without sending a request. */
export function openGitHub(address: GitHubAddress, token: string, clock: ForgeClock) {
  const headers = (secret: string): Record<string, string> => ({
    accept: 'application/vnd.github+json',
    authorization: `Bearer ${secret}`,
    'x-github-api-version': '2022-11-28',
  });
  const open = (baseUrl: string): ForgeClient =>
    openForgeClient({ name: 'GitHub', baseUrl: baseUrl.replace(/\/+$/, ''), token, headers, clock });
  const queries = open(address.graphqlUrl);
  return {
    /** `owner/name` */
    repository: address.repository,
    /** REST client; paths begin with `/`, those of the repository with `root`. */
    rest: open(address.apiUrl),
    /** `/repos/owner/name`, URL-encoded. */
    root: `/repos/${address.repository.split('/').map(encodeURIComponent).join('/')}`,
    /**
     * Sends a GraphQL request.
     *
     * @returns its `data`
     * @throws ForgeError with `types` for reported errors
     */
    async graphql(
      query: string,
      variables: Readonly<Record<string, unknown>>,
      repeatability: Repeatability = 'once',
    ): Promise<Readonly<Record<string, unknown>>> {
      const answer = await queries.send('POST', address.graphqlUrl, { body: { query, variables }, repeatability });
      const value = parseAnswer(answer, 'GraphQL', 'GitHub');
      const errors = isRecord(value) && Array.isArray(value.errors) ? value.errors.filter(isRecord) : [];
      if (errors.length > 0) {
        const words = errors.map(({ message }) => String(message)).join('; ');
        throw new ForgeError(
          'forge_refused',
          `GraphQL: GitHub returned: ${words.replaceAll(/\s+/g, ' ').slice(0, 500)}`,
          {
            status: answer.status,
            types: errors.map(({ type }) => String(type)),
          },
        );
      }
      if (!isRecord(value) || !isRecord(value.data)) {
        throw new ForgeError('forge_answer_invalid', 'GraphQL: GitHub returned no data');
      }
      return value.data;
    },
  };
}

/** Sends a REST request and parses the JSON of its answer. @throws ForgeError */
export async function requestJson(
  { rest }: Pick<GitHub, 'rest'>,
  method: 'GET' | 'POST',
  path: string,
  options?: Parameters<ForgeClient['send']>[2],
): Promise<unknown> {
  return parseAnswer(await rest.send(method, path, options), `${method} ${path}`, 'GitHub');
}

/** Returns a required text field of an answer. */
export function textField(value: unknown, field: string): string {
  const found = isRecord(value) ? value[field] : undefined;
  if (typeof found === 'string') return found;
  throw new ForgeError('forge_answer_invalid', `The response of GitHub has no "${field}"`);
}

/** Returns a required number field of an answer. */
export function numberOf(value: unknown, field: string): number {
  const found = isRecord(value) ? value[field] : undefined;
  if (typeof found === 'number') return found;
  throw new ForgeError('forge_answer_invalid', `The response of GitHub has no "${field}"`);
}

export const VIEWER_QUERY = 'query { viewer { login } }';

/**
 * Returns the login that REST shows as author for this token; an app's ends with `[bot]`. The token of a job may not
 * call `GET /user`.
 */
export async function viewerLogin(github: GitHub): Promise<string> {
  const { viewer } = await github.graphql(VIEWER_QUERY, {}, 'safe');
  return textField(viewer, 'login');
}
