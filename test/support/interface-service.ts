import type { IncomingMessage, ServerResponse } from 'node:http';
import type {
  CreateRenderSession,
  ExternalUpload,
  ExternalUploadRequest,
  RenderSession,
} from '../../src/contract/wire/render-session.ts';
import type { StyleVersion } from '../../src/contract/wire/style-version.ts';
import { startServer } from './http-server.ts';

/** A fault that the service injects once, in place of its answer. */
export type Fault =
  /** Cuts the connection before the request is accepted, or after it was performed. */
  | { readonly kind: 'cut'; readonly afterDoing?: boolean }
  /** Performs the request and never answers. */
  | { readonly kind: 'silent' }
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string | Uint8Array;
      /** Performs the request before this response. */
      readonly afterDoing?: boolean;
      /** Cuts the connection after this response. */
      readonly cut?: boolean;
    };

interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** A real server that implements the interface document and the requested extensions. */
export interface InterfaceService {
  readonly url: string;
  readonly token: string;
  readonly sessions: ReadonlyMap<string, RenderSession>;
  readonly seen: readonly SeenRequest[];
  /** Number of requests to `METHOD /path`; ids count as `{id}`. */
  count(route: string): number;
  /** Queues faults for the next requests to a route. */
  force(route: string, ...faults: Fault[]): void;
  /** Fields of ended sessions, merged over a rendered video. */
  end: Partial<RenderSession>;
  /** Fields of one ended session; by default `end`. */
  endOf(session: RenderSession): Partial<RenderSession>;
  /** Ends sessions at their next poll, from now on. */
  finish(): void;
  /** Changes the sessions in the answers of one kind of request; default unchanged. */
  alters(kind: 'post' | 'get' | 'list', session: RenderSession): unknown;
  /** Whether an existing session answers 404, by its title and age; default never. */
  hides(title: string, ageMs: number): boolean;
  close(): Promise<void>;
}

export interface InterfaceServiceOptions {
  readonly styleVersions?: readonly StyleVersion[];
  /** Keeps idempotency keys and announces it. */
  readonly keepsKeys?: boolean;
  /** Number of polls until a session has ended; default 2. */
  readonly looks?: number;
  /** Whether a session has ended, by its title and age; replaces counting polls. */
  readonly hasEnded?: (title: string, ageMs: number) => boolean;
  /** Called before the end of a session is reported for the first time. */
  readonly onEnded?: (session: RenderSession) => void;
  /** Accepts files and templates; the value supplies the id of every template. */
  readonly uploads?: { readonly styleVersion: StyleVersion };
  /** Supports `external_uploads`: each delivery is reported as finished after this many polls. */
  readonly deliversAfter?: number;
  /** Lists its sessions. */
  readonly lists?: boolean;
  /** Sessions that the service has from the start, such as those of the same service at another address. */
  readonly store?: ReadonlyMap<string, RenderSession>;
  /** Further access tokens. Each is an account of its own, which has its own idempotency keys. */
  readonly otherTokens?: readonly string[];
  /** Its clock, in milliseconds since the epoch; `Date.now` by default. */
  readonly now?: () => number;
  /** Whether its answers have a `Date`; default true. */
  readonly sendsDate?: boolean;
}

/** Keys are forgotten after a day. */
const KEY_LIFETIME_MS = 86_400_000;

const STARTED_AT = '2026-01-01T00:00:00.000Z';

/**
 * Starts a service that follows the interface document literally: three calls, only the listed fields, and nothing the
 * document does not mention.
 */
export async function startInterfaceService(options: InterfaceServiceOptions = {}): Promise<InterfaceService> {
  const token = 'rf_canary-4d2f8a61b7';
  const sessions = new Map(options.store);
  const byKey = new Map<string, { readonly id: string; readonly at: number }>();
  const now = options.now ?? Date.now;
  const styleVersions = new Map(options.styleVersions?.map((one) => [one.id, one]));
  const uploaded = new Map<string, { looks: number; version: StyleVersion }>();
  const seen: SeenRequest[] = [];
  const looks = new Map<string, number>();
  const begunAt = new Map<string, number>();
  const faults = new Map<string, Fault[]>();
  let url = '';
  let isFinished = false;
  let deliveryLooks = 0;

  const create = (request: CreateRenderSession, key: string | undefined): RenderSession => {
    const known = options.keepsKeys === true && key !== undefined ? byKey.get(key) : undefined;
    if (known !== undefined && now() - known.at < KEY_LIFETIME_MS) return sessions.get(known.id)!;
    const id = `session-${sessions.size + 1}`;
    const session: RenderSession = {
      id,
      title: request.title,
      status: 'preview_rendering',
      render_progress: 0,
      thumbnails: [],
      video_url: null,
      errors: [],
      created_at: STARTED_AT,
      updated_at: STARTED_AT,
      mapping: { id: `mapping-${id}`, ...request.mapping },
      audio_tracks: {},
      font_changes: {},
      source_uploads: [],
      fonts: [],
      ...(options.deliversAfter === undefined ? {} : { external_uploads: asked(request.external_uploads ?? []) }),
    };
    sessions.set(id, session);
    begunAt.set(id, Date.now());
    if (key !== undefined) byKey.set(key, { id, at: now() });
    return session;
  };

  const look = (id: string): RenderSession | null => {
    const session = sessions.get(id);
    if (session === undefined || service.hides(session.title ?? '', Date.now() - begunAt.get(id)!)) return null;
    const looked = (looks.get(id) ?? 0) + 1;
    looks.set(id, looked);
    const hasEnded = options.hasEnded ?? (() => looked >= (options.looks ?? 2));
    if (!isFinished && !hasEnded(session.title ?? '', Date.now() - begunAt.get(id)!)) return session;
    if (session.status === 'preview_rendered' && options.deliversAfter !== undefined) return deliver(session);
    const ended: RenderSession = {
      ...session,
      status: 'preview_rendered',
      render_progress: 100,
      video_url: `${url}/videos/${id}.mp4`,
      thumbnails: [`${url}/videos/${id}.jpg`],
      ...service.endOf(session),
    };
    sessions.set(id, ended);
    if (session.status !== ended.status) options.onEnded?.(ended);
    return ended;
  };

  const asked = (uploads: readonly ExternalUploadRequest[]): ExternalUpload[] =>
    uploads.map((one) => ({ ...one, status: 'pending', remote_id: null, url: null, error: null }));

  const deliver = (session: RenderSession): RenderSession => {
    deliveryLooks += 1;
    if (options.deliversAfter === undefined || deliveryLooks < options.deliversAfter) return session;
    const external_uploads = (session.external_uploads ?? []).map((one): ExternalUpload => {
      if (one.to.includes('closed')) {
        return {
          ...one,
          status: 'failed',
          error: { code: 'delivery_failed', title: 'Not delivered', detail: 'closed' },
        };
      }
      return { ...one, status: 'complete', remote_id: '"etag"', url: `https://cdn.example.com/${one.to.slice(5)}` };
    });
    const delivered = { ...session, external_uploads };
    sessions.set(session.id, delivered);
    return delivered;
  };

  const answer = ({ method, path, headers, body }: SeenRequest): [status: number, body: unknown, headers?: object] => {
    const account = [token, ...(options.otherTokens ?? [])].find((one) => headers.authorization === `Bearer ${one}`);
    if (account === undefined) return [401, { detail: `${headers.authorization} is unknown` }];
    const specs = /^\/v2\/template_style_versions\/([^/]+)\/specs$/.exec(path);
    const session = /^\/v2\/render_sessions\/([^/]+)$/.exec(path);
    const version = /^\/v2\/template_style_versions\/([^/]+)$/.exec(path);
    if (method === 'GET' && specs !== null) {
      const found = styleVersions.get(decodeURIComponent(specs[1]!));
      return found === undefined ? [404, {}] : [200, { style_version: found }];
    }
    if (method === 'POST' && path === '/v2/render_sessions') {
      const key = headers['idempotency-key'] === undefined ? undefined : `${account} ${headers['idempotency-key']}`;
      const kept =
        options.keepsKeys === true
          ? { 'idempotency-key-expires': new Date(now() + KEY_LIFETIME_MS).toUTCString() }
          : {};
      const created = create(JSON.parse(body.toString()) as CreateRenderSession, key);
      return [201, { render_session: service.alters('post', created) }, kept];
    }
    if (method === 'GET' && session !== null) {
      const found = look(decodeURIComponent(session[1]!));
      return found === null ? [404, {}] : [200, { render_session: service.alters('get', found) }];
    }
    if (method === 'GET' && /^\/v2\/render_sessions(?:\?|$)/.test(path) && options.lists === true) {
      const listed = [...sessions.keys()].reverse().map((id) => service.alters('list', look(id)!));
      return [200, { render_sessions: listed, next_cursor: null }];
    }
    const delivery = /^\/v2\/render_sessions\/([^/]+)\/external_uploads$/.exec(path);
    if (method === 'POST' && delivery !== null && options.deliversAfter !== undefined) {
      const found = sessions.get(decodeURIComponent(delivery[1]!));
      if (found === undefined) return [404, {}];
      deliveryLooks = 0;
      const wanted = asked((JSON.parse(body.toString()) as CreateRenderSession).external_uploads ?? []);
      const others = (found.external_uploads ?? []).filter(({ to }) => !wanted.some((one) => one.to === to));
      const delivering = { ...found, external_uploads: [...others, ...wanted] };
      sessions.set(found.id, delivering);
      return [201, { render_session: delivering }];
    }
    if (options.uploads === undefined) return [404, '<html>Not here</html>'];
    if (method === 'POST' && path === '/v2/source_uploads') {
      return [201, { remote_url: `${url}/sources/${body.length}`, sha256: '', bytes: body.length }];
    }
    if (method === 'POST' && path === '/v2/template_style_versions') {
      const { styleVersion } = options.uploads;
      uploaded.set(styleVersion.id, { looks: 0, version: styleVersion });
      return [201, { style_version: { ...styleVersion, status: 'processing', errors: [] } }];
    }
    const upload = method === 'GET' && version !== null ? uploaded.get(decodeURIComponent(version[1]!)) : undefined;
    if (upload === undefined) return [404, {}];
    upload.looks += 1;
    const status = upload.looks > 1 ? 'edit_ready' : 'processing';
    return [200, { style_version: { ...upload.version, status, errors: [] } }];
  };

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const method = request.method ?? '';
    const path = request.url ?? '';
    const one: SeenRequest = { method, path, headers: request.headers, body: Buffer.concat(chunks) };
    seen.push(one);
    response.sendDate = false;
    if (options.sendsDate !== false) response.setHeader('date', new Date(now()).toUTCString());
    const fault = faults.get(routeOf(one))?.shift();
    if (fault?.kind === 'answer') {
      if (fault.afterDoing === true) answer(one);
      response.writeHead(fault.status, fault.headers);
      if (fault.cut === true) response.write(fault.body ?? '', () => response.destroy());
      else response.end(fault.body ?? '');
      return;
    }
    if (fault?.kind === 'cut' && fault.afterDoing !== true) {
      request.socket.destroy();
      return;
    }
    const [status, body, headers = {}] = answer(one);
    if (fault?.kind === 'cut') request.socket.destroy();
    if (fault !== undefined) return;
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
  };

  const server = await startServer((request, response) => void handle(request, response));
  url = server.url;
  const service: InterfaceService = {
    url,
    token,
    sessions,
    seen,
    end: {},
    endOf: () => service.end,
    finish() {
      isFinished = true;
    },
    hides: () => false,
    alters: (_, session) => session,
    count: (route) => seen.filter((one) => routeOf(one) === route).length,
    force: (route, ...forced) => void faults.set(route, [...forced]),
    close: () => server.close(),
  };
  return service;
}

function routeOf({ method, path }: SeenRequest): string {
  const route = path
    .replace(/\?.*$/, '')
    .replace(/^(\/v2\/render_sessions)\/[^/]+(?=$|\/)/, '$1/{id}')
    .replace(/^(\/v2\/template_style_versions)\/[^/]+/, '$1/{id}');
  return `${method} ${route}`;
}
