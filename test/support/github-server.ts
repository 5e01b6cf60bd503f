import type { IncomingMessage, ServerResponse } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import type { GitRepository } from './git-repository.ts';
import { GitHubGit } from './github-git.ts';
import { answerQuery } from './github-graphql.ts';
import { answerRest } from './github-rest.ts';
import { startServer } from './http-server.ts';

/** A fault that the server injects once, in place of the answer to a request. */
export type GitHubFault =
  /** Cuts the connection before the request is accepted, or after it was performed. */
  | { readonly kind: 'cut'; readonly afterDoing?: boolean }
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: unknown;
      /** Performs the request all the same, like a gateway that timed out. */
      readonly afterDoing?: boolean;
    }
  /**
   * Holds the answer until released, then performs the request unless that was done before, and answers if the client
   * still listens.
   */
  | { readonly kind: 'hold'; readonly afterDoing?: boolean; onHeld(): void; readonly released: Promise<void> };

export interface GitHubUser {
  readonly login: string;
  /** `read` as for the token of a fork's job; `none`: every request is 404. */
  readonly rights: 'write' | 'read' | 'none';
}

export interface SeenComment {
  readonly id: number;
  readonly number: number;
  readonly user: string;
  body: string;
  isMinimized: boolean;
}

export interface SeenIssue {
  readonly number: number;
  readonly user: string;
  title: string;
  body: string;
  state: 'open' | 'closed';
  labels: string[];
  /** Absent for an issue. */
  pull?: SeenPull;
}

export interface SeenPull {
  readonly headOwner: string;
  readonly headBranch: string;
  /** Commit of the head; absent for the current tip of its branch in the repository. */
  headSha?: string;
  readonly base: string;
  mergedAs?: string;
}

export interface SeenCheckRun {
  readonly id: number;
  readonly headSha: string;
  fields: Record<string, unknown>;
  readonly annotations: Record<string, unknown>[];
}

/** The state that answers are made from. */
export interface GitHubState {
  readonly repository: string;
  readonly url: () => string;
  readonly git: GitHubGit | null;
  readonly comments: SeenComment[];
  readonly issues: SeenIssue[];
  readonly checkRuns: SeenCheckRun[];
  /** Protected branches, with the kind of their rules. */
  readonly protectedBranches: Map<string, 'classic' | 'ruleset'>;
  nextId(): number;
}

/** Answer of one route. */
export interface Reply {
  readonly route: string;
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request as routes receive it. */
export interface Asked {
  readonly method: string;
  readonly url: URL;
  readonly body: Record<string, unknown>;
  readonly user: GitHubUser;
}

/** GitHub on this machine, as its documentation describes it: REST, GraphQL, and a real repository behind them. */
export interface GitHubServer extends Omit<GitHubState, 'nextId' | 'url' | 'git'> {
  readonly apiUrl: string;
  readonly graphqlUrl: string;
  /** Number of requests to a route, such as `POST issues/{n}/comments` or `GraphQL createCommitOnBranch`. */
  count(route: string): number;
  /** All requested routes in order. */
  readonly seen: readonly string[];
  /** Received `Authorization` headers. */
  readonly authorizations: ReadonlySet<string>;
  /** Queues faults for the next requests to a route. */
  force(route: string, ...faults: GitHubFault[]): void;
  /** Drops queued faults. */
  calm(): void;
  /** Adds a comment by a user. */
  comment(number: number, user: string, body: string): SeenComment;
  /** Opens a pull request, or an issue without `pull`. */
  open(issue: Partial<Omit<SeenIssue, 'number'>> & { readonly number?: number }): SeenIssue;
  /** Complete environment of a job. */
  env(token: string): Record<string, string>;
  close(): Promise<void>;
}

/**
 * Starts the server.
 *
 * @param options.users user names by token
 * @param options.remote bare repository that branches, contents and commits refer to
 */
export async function startGitHub(options: {
  readonly users: Readonly<Record<string, GitHubUser>>;
  readonly remote?: GitRepository;
  readonly repository?: string;
}): Promise<GitHubServer> {
  const { users, remote, repository = 'acme/videos' } = options;
  const seen: string[] = [];
  const authorizations = new Set<string>();
  const faults = new Map<string, GitHubFault[]>();
  let lastId = 1000;
  const state: GitHubState = {
    repository,
    url: () => server.url,
    git: remote === undefined ? null : new GitHubGit(remote.root),
    comments: [],
    issues: [],
    checkRuns: [],
    protectedBranches: new Map(),
    nextId: () => ++lastId,
  };

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const { authorization = '' } = request.headers;
    authorizations.add(authorization);
    const text = await readText(request);
    const body = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
    const user = users[authorization.replace(/^(?:Bearer|token) /, '')];
    const answer = (reply: Omit<Reply, 'route'>): void => {
      const headers = { 'content-type': 'application/json; charset=utf-8', 'x-ratelimit-remaining': '4999' };
      response.writeHead(reply.status, { ...headers, ...reply.headers });
      response.end(reply.status === 204 ? undefined : JSON.stringify(reply.body ?? {}));
    };
    const does = (dry: boolean): Reply => {
      if (user === undefined) return { route: 'unauthorized', status: 401, body: { message: 'Bad credentials' } };
      const asked = { method: request.method ?? 'GET', url, body, user };
      return url.pathname === '/graphql' ? answerQuery(state, asked, dry) : answerRest(state, asked, dry);
    };
    const { route } = does(true);
    seen.push(route);
    const fault = faults.get(route)?.shift();
    if (fault === undefined) return answer(does(false));
    const done = fault.afterDoing === true ? does(false) : null;
    if (fault.kind === 'hold') {
      fault.onHeld();
      await fault.released;
      answer(done ?? does(false));
    } else if (fault.kind === 'cut') response.destroy();
    else answer(fault);
  };
  const server = await startServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  });

  return {
    ...state,
    apiUrl: server.url,
    graphqlUrl: `${server.url}/graphql`,
    seen,
    authorizations,
    count: (route) => seen.filter((one) => one === route).length,
    force(route, ...more) {
      faults.set(route, [...(faults.get(route) ?? []), ...more]);
    },
    calm: () => faults.clear(),
    comment(number, user, body) {
      const comment = { id: state.nextId(), number, user, body, isMinimized: false };
      state.comments.push(comment);
      return comment;
    },
    open({ number, ...fields }) {
      const issue: SeenIssue = {
        number: number ?? Math.max(0, ...state.issues.map((one) => one.number)) + 1,
        user: 'someone',
        title: 'Title',
        body: '',
        state: 'open',
        labels: [],
        ...fields,
      };
      state.issues.push(issue);
      return issue;
    },
    env: (token) => ({
      GITHUB_ACTIONS: 'true',
      GITHUB_API_URL: server.url,
      GITHUB_GRAPHQL_URL: `${server.url}/graphql`,
      GITHUB_REPOSITORY: repository,
      GITHUB_SERVER_URL: 'https://github.com',
      GITHUB_RUN_ID: '77',
      GITHUB_TOKEN: token,
    }),
    close: () => server.close(),
  };
}
