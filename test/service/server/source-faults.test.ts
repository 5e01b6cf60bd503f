import type { ServerResponse } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { untilEnded } from '../../support/api.ts';
import { anyDatabases } from '../../support/databases.ts';
import { startServer, type TestServer } from '../../support/http-server.ts';
import { type RunningService, sessionBody, startService } from '../../support/running-service.ts';
import { solidPng } from '../../support/small-package.ts';

const PHOTO = '(Footage)/USER/photo.png';

type Reply = (response: ServerResponse) => void;

const refuses =
  (status: number, seconds: number): Reply =>
  (response) =>
    void response.writeHead(status, { 'retry-after': String(seconds) }).end();
const resets: Reply = ({ socket }) => socket?.resetAndDestroy();
const cuts: Reply = (response) =>
  void response.writeHead(200, { 'content-length': '1000' }).write('x', () => response.destroy());

/** A host that gives the picture after these replies. */
async function startHost(replies: Iterable<Reply>, color: string): Promise<TestServer> {
  const left = replies[Symbol.iterator]();
  const picture = solidPng(color);
  const server = await startServer((_, response) => {
    const next = left.next();
    if (next.done === true) response.writeHead(200, { 'content-type': 'image/png' }).end(picture);
    else next.value(response);
  });
  onTestFinished(() => server.close());
  return server;
}

async function start(): Promise<RunningService> {
  return startService(await anyDatabases.address(), { allowSources: ['127.0.0.1:*'] });
}

async function renderFrom({ url }: TestServer, { client, styleVersion }: RunningService) {
  const { api } = await client();
  const body = sessionBody(styleVersion, { [PHOTO]: { source: { remote_url: `${url}/photo.png` } } });
  const { status, body: answer } = await api('POST', '/v2/render_sessions', { body });
  expect(status).toBe(201);
  return untilEnded(api, answer.render_session.id);
}

/** Numbers of the started attempts at a session. */
function attemptsAt(id: string, { log }: RunningService): unknown[] {
  const lines = log.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
  return lines
    .filter(({ event, session }) => event === 'session-begun' && session === id)
    .map(({ attempt }) => attempt);
}

it.each<[string, string, readonly Reply[]]>([
  ['503 and 429 with Retry-After', '#0000f1', [refuses(503, 1), refuses(429, 2), refuses(503, 0)]],
  ['a reset, a cut body and 502', '#0000f2', [resets, cuts, refuses(502, 0)]],
])(
  'a session is rendered in its first attempt although the host of its source answers %s',
  async (_, color, replies) => {
    const service = await start();
    const host = await startHost(replies, color);
    const { id, status, errors } = await renderFrom(host, service);
    expect({ status, errors }).toEqual({ status: 'preview_rendered', errors: [] });
    expect(attemptsAt(id, service)).toEqual([1]);
    expect(host.requests).toHaveLength(4);
  },
);

it('a session fails in its first attempt when the host of its source never answers otherwise', async () => {
  const service = await start();
  const host = await startHost(
    (function* () {
      for (;;) yield refuses(503, 0);
    })(),
    '#0000f3',
  );
  const { id, status, errors } = await renderFrom(host, service);
  expect({ status, errors }).toMatchObject({
    status: 'preview_failed',
    errors: [{ code: 'asset_unreachable', retryable: true, detail: expect.stringMatching(/503, after 4 tries$/) }],
  });
  expect(attemptsAt(id, service)).toEqual([1]);
  expect(host.requests).toHaveLength(4);
});
