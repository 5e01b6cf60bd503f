import { text as readText } from 'node:stream/consumers';
import { startServer } from './http-server.ts';

export interface SeenNote {
  readonly id: number;
  readonly author: { readonly id: number };
  readonly system: boolean;
  body: string;
}

/** The notes of one merge request at GitLab, as its documentation describes them: project 7, request 3. */
export interface GitLabServer {
  readonly notes: SeenNote[];
  readonly seen: readonly string[];
  /** Answers all writes with this status from now on. */
  refuseWith(status: number): void;
  /** Environment of a job for this merge request. */
  env(token: string): Record<string, string>;
  close(): Promise<void>;
}

/** @param users user ids by token */
export async function startGitLab(users: Readonly<Record<string, number>>): Promise<GitLabServer> {
  const notes: SeenNote[] = [];
  const seen: string[] = [];
  let refusal: number | null = null;
  let lastId = 1000;
  const root = '/api/v4/projects/7/merge_requests/3/notes';
  const server = await startServer((request, response) => {
    const answer = (status: number, body: unknown, headers = {}): void => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(status === 204 ? undefined : JSON.stringify(body));
    };
    void readText(request).then((text) => {
      const url = new URL(request.url ?? '/', 'http://localhost');
      const id = users[String(request.headers['private-token'])];
      const route = `${request.method} ${url.pathname.replace(root, 'notes')}`;
      seen.push(route);
      const note = notes.find((one) => url.pathname === `${root}/${one.id}`);
      const body = text === '' ? '' : (JSON.parse(text) as { body: string }).body;
      if (id === undefined) return answer(401, { message: '401 Unauthorized' });
      if (refusal !== null && request.method !== 'GET') return answer(refusal, { message: 'No' });
      if (route === 'GET /api/v4/user') return answer(200, { id, username: 'bot' });
      if (route === 'GET notes') {
        const [size, page] = [
          Number(url.searchParams.get('per_page') ?? 20),
          Number(url.searchParams.get('page') ?? 1),
        ];
        url.searchParams.set('page', String(page + 1));
        const link = { link: `<${server.url}${url.pathname}${url.search}>; rel="next"` };
        return answer(200, notes.slice((page - 1) * size, page * size), page * size < notes.length ? link : {});
      }
      if (route === 'POST notes') {
        notes.push({ id: ++lastId, author: { id }, system: false, body });
        return answer(201, notes.at(-1));
      }
      if (note === undefined) return answer(404, { message: '404 Not found' });
      if (request.method === 'PUT') note.body = body;
      else notes.splice(notes.indexOf(note), 1);
      return answer(request.method === 'PUT' ? 200 : 204, note);
    });
  });
  return {
    notes,
    seen,
    refuseWith(status) {
      refusal = status;
    },
    env: (token) => ({
      CI_API_V4_URL: `${server.url}/api/v4`,
      CI_PROJECT_ID: '7',
      CI_MERGE_REQUEST_IID: '3',
      CI_COMMIT_SHA: 'c'.repeat(40),
      CI_MERGE_REQUEST_DIFF_BASE_SHA: 'b'.repeat(40),
      CI_JOB_URL: 'https://gitlab.example.com/acme/videos/-/jobs/9',
      GITLAB_TOKEN: token,
    }),
    close: () => server.close(),
  };
}
