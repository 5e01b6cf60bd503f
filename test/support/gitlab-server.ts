import { text as readText } from 'node:stream/consumers';
import { startServer } from './http-server.ts';

export interface SeenNote {
  readonly id: number;
  readonly author: { readonly id: number };
  readonly system: boolean;
  body: string;
}

/** A merge request pipeline and its jobs. `project_id` is 7 unless it runs in the project of a fork. */
export interface SeenPipeline {
  readonly id: number;
  readonly ref: string;
  readonly sha: string;
  readonly project_id?: number;
  readonly jobs: readonly {
    readonly id: number;
    readonly name: string;
    readonly status: string;
    /** Files of the artifact by path. */
    readonly files?: Readonly<Record<string, string>>;
  }[];
}

/** An open merge request. */
export interface SeenRequest {
  readonly sha: string;
  readonly updatedAt: string;
  readonly pipelines: SeenPipeline[];
  readonly notes: SeenNote[];
}

/** Merge requests, pipelines, artifacts and notes at GitLab, as its documentation describes them: project 7. */
export interface GitLabServer {
  /** Notes of request 3. */
  readonly notes: SeenNote[];
  /** Open merge requests by number; without request 3 until it is added. */
  readonly requests: Map<number, SeenRequest>;
  /** Parents of merge commits. */
  readonly parents: Map<string, readonly string[]>;
  readonly seen: readonly string[];
  /** Answers all writes with this status from now on. */
  refuseWith(status: number): void;
  /** Environment of a job for this merge request. */
  env(token: string): Record<string, string>;
  close(): Promise<void>;
}

const PAGES = 'https://gitlab.example.com/acme/videos';

/** @param users user ids by token */
export async function startGitLab(users: Readonly<Record<string, number>>): Promise<GitLabServer> {
  const ofThree: SeenNote[] = [];
  const seen: string[] = [];
  let refusal: number | null = null;
  let lastId = 1000;
  const requests = new Map<number, SeenRequest>();
  const parents = new Map<string, readonly string[]>();
  const project = '/api/v4/projects/7';
  const notesOf = (number: number): SeenNote[] => requests.get(number)?.notes ?? ofThree;
  /** Returns the text of a file, or another answer to a GET; undefined for 404. */
  const readProject = (url: URL): unknown => {
    const path = decodeURIComponent(url.pathname.slice(project.length));
    const all = [...requests.values()].flatMap(({ pipelines }) => pipelines);
    if (path === '/merge_requests') {
      const after = Date.parse(url.searchParams.get('updated_after') ?? '1970-01-01');
      return [...requests]
        .filter(([, { updatedAt }]) => Date.parse(updatedAt) >= after)
        .map(([iid, { sha }]) => ({ id: 900 + iid, iid, project_id: 7, sha, state: 'opened', title: '::error::' }));
    }
    const [, number] = /^\/merge_requests\/(\d+)\/pipelines$/.exec(path) ?? [];
    if (number !== undefined) {
      const pipelines = requests.get(Number(number))?.pipelines ?? [];
      return pipelines.map(({ jobs: _, ...pipeline }) => ({ project_id: 7, status: 'success', ...pipeline }));
    }
    const [, pipeline] = /^\/pipelines\/(\d+)\/jobs$/.exec(path) ?? [];
    if (pipeline !== undefined) {
      const jobs = all.find((one) => one.id === Number(pipeline))?.jobs;
      return jobs?.map(({ files: _, ...job }) => ({ ...job, web_url: `${PAGES}/-/jobs/${job.id}` }));
    }
    const [, job, file = ''] = /^\/jobs\/(\d+)\/artifacts\/(.*)$/.exec(path) ?? [];
    if (job !== undefined) return all.flatMap(({ jobs }) => jobs).find((one) => one.id === Number(job))?.files?.[file];
    const [, commit = ''] = /^\/repository\/commits\/(\w+)$/.exec(path) ?? [];
    return parents.has(commit) ? { id: commit, parent_ids: parents.get(commit) } : undefined;
  };
  const server = await startServer((request, response) => {
    const answer = (status: number, body: unknown, headers = {}): void => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(status === 204 ? undefined : JSON.stringify(body));
    };
    void readText(request).then((text) => {
      const url = new URL(request.url ?? '/', 'http://localhost');
      const id = users[String(request.headers['private-token'])];
      const [, number = '3'] = /merge_requests\/(\d+)\//.exec(url.pathname) ?? [];
      const notes = notesOf(Number(number));
      const root = `${project}/merge_requests/${number}/notes`;
      const route = `${request.method} ${url.pathname.replace(root, 'notes')}`;
      seen.push(route);
      const note = notes.find((one) => url.pathname === `${root}/${one.id}`);
      const body = text === '' ? '' : (JSON.parse(text) as { body: string }).body;
      if (id === undefined) return answer(401, { message: '401 Unauthorized' });
      if (refusal !== null && request.method !== 'GET') return answer(refusal, { message: 'No' });
      if (route === 'GET /api/v4/user') return answer(200, { id, username: 'bot' });
      if (url.pathname.startsWith(project) && !url.pathname.startsWith(root)) {
        const found = request.method === 'GET' ? readProject(url) : undefined;
        if (typeof found !== 'string')
          return answer(found === undefined ? 404 : 200, found ?? { message: '404 Not found' });
        response.writeHead(200, { 'content-type': 'application/octet-stream' });
        response.end(found);
        return;
      }
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
    notes: ofThree,
    requests,
    parents,
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
      CI_JOB_URL: `${PAGES}/-/jobs/9`,
      GITLAB_TOKEN: token,
    }),
    close: () => server.close(),
  };
}
