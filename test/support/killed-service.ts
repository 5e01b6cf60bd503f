import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * Options of a program: a service with only the documented interface and scenes, which keeps running while its clients are killed
 * and records the sessions it was paid for. Takes the JSON of these options as its argument and prints `listening URL`.
 */
export interface KilledServiceOptions {
  /** Keeps idempotency keys and announces it. */
  readonly keepsKeys: boolean;
  /** Share of requests that are accepted but whose response is lost. */
  readonly lostAnswers: number;
  /** Share of requests that are refused with 503. */
  readonly refusals: number;
  /** Duration of a render. */
  readonly renderMs: number;
  /** Answer about every template; 404 if absent. */
  readonly styleVersion?: object;
}

/** A render that was paid for. */
export interface PaidSession {
  readonly id: string;
  readonly title: string;
  readonly mapping: unknown;
  /** The request. */
  readonly body: object;
  readonly endsAtMs: number;
}

const options = JSON.parse(process.argv[2]!) as KilledServiceOptions;
const sessions = new Map<string, PaidSession>();
const byKey = new Map<string, PaidSession>();

function create(text: string, key: string): PaidSession {
  const known = options.keepsKeys ? byKey.get(key) : undefined;
  if (known !== undefined) return known;
  const body = JSON.parse(text) as Pick<PaidSession, 'title' | 'mapping'> & {
    readonly scenes?: { mapping: unknown }[];
  };
  const { title, mapping = body.scenes?.[0]?.mapping } = body;
  const session = { id: `s-${sessions.size + 1}`, title, mapping, body, endsAtMs: Date.now() + options.renderMs };
  sessions.set(session.id, session);
  byKey.set(key, session);
  return session;
}

function shown({ id, title, mapping, body, endsAtMs }: PaidSession): object {
  const hasEnded = Date.now() >= endsAtMs;
  const at = '2026-01-01T00:00:00.000Z';
  return {
    audio_tracks: {},
    ...body,
    id,
    title,
    mapping: { id: `m-${id}`, ...(mapping as object) },
    errors: [],
    source_uploads: [],
    fonts: [],
    font_changes: {},
    created_at: at,
    updated_at: at,
    status: hasEnded ? 'preview_rendered' : 'preview_rendering',
    render_progress: hasEnded ? 100 : 0,
    video_url: hasEnded ? `https://videos.example.com/${id}.mp4` : null,
    thumbnails: [],
  };
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const say = (status: number, body: object, headers: object = {}): void => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
  if (pathname === '/paid') {
    const prefix = searchParams.get('prefix') ?? '';
    return say(
      200,
      [...sessions.values()].filter(({ title }) => title.startsWith(prefix)),
    );
  }
  if (pathname === '/v2/features') {
    return say(200, { features: { scenes: { max_scenes: 200, max_seconds: 1_800 } } });
  }
  if (pathname.startsWith('/v2/template_style_versions/') && options.styleVersion !== undefined) {
    return say(200, { style_version: options.styleVersion });
  }
  if (request.method === 'POST' && pathname === '/v2/render_sessions') {
    if (Math.random() < options.refusals) return say(503, { title: 'Come again' });
    const key = String(request.headers['idempotency-key']);
    const session = create(Buffer.concat(chunks).toString(), key);
    if (Math.random() < options.lostAnswers) return void request.socket.destroy();
    // Opens a window between payment and response.
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 10));
    const expires = new Date(Date.now() + 86_400_000).toISOString();
    const kept = { 'idempotency-key': key, 'idempotency-key-expires': expires };
    return say(201, { render_session: shown(session) }, options.keepsKeys ? kept : {});
  }
  const session = sessions.get(pathname.replace('/v2/render_sessions/', ''));
  if (request.method === 'GET' && session !== undefined) return say(200, { render_session: shown(session) });
  say(404, {});
}

const server = createServer((request, response) => {
  // A client killed during its request must not end the service.
  answer(request, response).catch(() => undefined);
});
server.listen(0, '127.0.0.1', () => {
  console.log(`listening http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
