import { request as beginRequest, type ClientRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { smallZip } from '../service/server/templates/open-style-versions.ts';
import { openReceiver, type Receiver } from '../service/server/webhooks/open-test-webhooks.ts';
import { type Api, type ApiAnswer, openApi, untilEnded } from '../support/api.ts';
import { openFarm } from '../support/farm.ts';
import { farmSession } from '../support/farm-sessions.ts';
import { startServer, type TestServer } from '../support/http-server.ts';
import { postgresPackage } from '../support/postgres-server.ts';
import { count, IS_WHOLE, percentile, tell } from '../support/proof.ts';
import { smallAnimation, solidPng } from '../support/small-package.ts';

/** Length of each turn of the victim's work, and number of quiet and attacked turns. */
const SECONDS = count(30, 6);
const ROUNDS = count(5, 1);
/** A shared machine with a single turn gives rough figures, so the loose bound only catches work that waits for an attacker. */
const BOUND = IS_WHOLE ? { factor: 2, extraMs: 10 } : { factor: 6, extraMs: 8_000 };
const SESSIONS = '/v2/render_sessions';

let silent: TestServer;
let number = 0;

/** Body of a session that has never been rendered. */
const another = (template: 'short' | 'long') => ({ render: 'preview', ...body(template) });
const body = (template: 'short' | 'long') => {
  const { title, mapping } = farmSession(template, ++number);
  return { title, mapping };
};

/** A picture that has never been uploaded. */
const picture = (): Uint8Array => solidPng(`#${(++number).toString(16).padStart(6, '0')}`);

interface Turn {
  readonly requests: number[];
  readonly renders: number[];
}

/** Ordinary work of a tenant: reads, dry runs, renders and downloads. Every call has to succeed. */
async function work(api: Api, rendered: string[]): Promise<Turn> {
  const until = performance.now() + SECONDS * 1000;
  const turn: Turn = { requests: [], renders: [] };
  const timed = async (expected: number, ...asked: Parameters<Api>): Promise<ApiAnswer> => {
    const at = performance.now();
    const answer = await api(...asked);
    turn.requests.push(performance.now() - at);
    expect([asked[0], asked[1], answer.status, answer.status === expected ? null : answer.body]).toEqual([
      ...[asked[0], asked[1], expected, null],
    ]);
    return answer;
  };
  const read = async (): Promise<void> => {
    while (performance.now() < until) {
      await timed(200, 'GET', `${SESSIONS}?limit=20`);
      await timed(200, 'POST', `${SESSIONS}?dry_run=true`, { body: another('short') });
      await timed(201, 'POST', '/v2/source_uploads', {
        body: picture(),
        headers: { 'content-type': 'image/png' },
      });
      await sleep(50);
    }
  };
  const render = async (): Promise<void> => {
    while (performance.now() < until) {
      const at = performance.now();
      const { body: made } = await timed(201, 'POST', SESSIONS, { body: another('short') });
      const session = await untilEnded(api, made.render_session.id);
      turn.renders.push(performance.now() - at);
      expect([session.status, session.errors]).toEqual(['preview_rendered', []]);
      rendered.push(session.id);
      expect((await fetch(session.download_url)).status).toBe(200);
    }
  };
  await Promise.all([read(), render()]);
  return turn;
}

/** Attacks every lane at once until it is stopped, and then removes its sessions. */
async function attack(url: string, api: Api, token: string): Promise<{ stop(): Promise<Map<string, number>> }> {
  let isOver = false;
  const sent = new Map<string, number>();
  const sessions: string[] = [];
  const endpoints: string[] = [];
  const stalled: ClientRequest[] = [];
  const repeat = async (what: string, everyMs: number, once: () => Promise<unknown>): Promise<void> => {
    while (!isOver) {
      await once().catch(() => undefined);
      sent.set(what, (sent.get(what) ?? 0) + 1);
      await sleep(everyMs);
    }
  };
  const create = async (session: object): Promise<void> => {
    const answer = await api('POST', SESSIONS, { body: session });
    if (answer.status === 201) sessions.push(answer.body.render_session.id);
  };
  const slowly = (): object => {
    const session = another('short');
    const photo = { source: { remote_url: `${silent.url}/${number}.png` } };
    const resources = { ...session.mapping.resources, '(Footage)/USER/photo.png': photo };
    return { ...session, mapping: { ...session.mapping, resources } };
  };
  const zip = (): Uint8Array =>
    smallZip({ 'animation.json': JSON.stringify({ ...smallAnimation(), nm: `attack ${++number}` }) });
  for (let index = 0; index < 6; index++) {
    const answer = await api('POST', '/v2/webhook_endpoints', { body: { url: `${silent.url}/hook/${index}` } });
    expect(answer.status).toBe(201);
    endpoints.push(answer.body.webhook_endpoint.id);
  }
  for (let index = 0; index < 4; index++) {
    const path = index % 2 === 0 ? '/v2/source_uploads' : '/v2/template_style_versions';
    const type = index % 2 === 0 ? 'image/png' : 'application/zip';
    const headers = { authorization: `Bearer ${token}`, 'content-type': type, 'content-length': '1000000' };
    const upload = beginRequest(url + path, { method: 'POST', headers });
    upload.on('error', () => undefined).write('x');
    stalled.push(upload);
  }
  const unknown = openApi(url, 'rf_unknown');
  const loops = [
    repeat('long videos', 1_000, () => create(another('long'))),
    repeat('sources of silent servers', 200, () => create(slowly())),
    repeat('stills of silent servers', 500, () => create({ ...slowly(), output: { format: 'png' } })),
    repeat('stills', 500, () => create({ ...another('short'), output: { format: 'png' } })),
    repeat('packages', 200, () =>
      api('POST', '/v2/template_style_versions', { body: zip(), headers: { 'content-type': 'application/zip' } }),
    ),
    repeat('source uploads', 50, () =>
      api('POST', '/v2/source_uploads', {
        body: picture(),
        headers: { 'content-type': 'image/png' },
      }),
    ),
    repeat('dry runs', 50, () => api('POST', `${SESSIONS}?dry_run=true`, { body: another('short') })),
    repeat('dry runs of silent servers', 200, () =>
      Promise.race([api('POST', `${SESSIONS}?dry_run=true`, { body: slowly() }), sleep(100)]),
    ),
    repeat('webhooks to silent endpoints', 100, () =>
      api('POST', `/v2/webhook_endpoints/${endpoints[++number % endpoints.length]}/test`, { body: {} }),
    ),
    repeat('requests without a right', 20, () => unknown('GET', SESSIONS)),
  ];
  await sleep(3_000);
  return {
    async stop() {
      isOver = true;
      for (const upload of stalled) upload.destroy();
      await Promise.all(loops);
      for (const id of endpoints) await api('DELETE', `/v2/webhook_endpoints/${id}`);
      for (const id of sessions) await api('POST', `${SESSIONS}/${id}/cancel`);
      await sleep(3_000);
      return sent;
    },
  };
}

it.skipIf(postgresPackage() === null)('a tenant works as before while another attacks every lane at once', async () => {
  silent = await startServer(() => undefined);
  onTestFinished(() => silent.close());
  const receiver = await openReceiver();
  const farm = await openFarm({
    concurrency: 2,
    receivers: [receiver, silent],
    env: { REELFORM_TENANT_CONCURRENCY: '1', REELFORM_ALLOW_SOURCES: new URL(silent.url).host },
  });
  onTestFinished(async () => void (await farm.close()));
  const [victim, attackers] = [await farm.token('victim'), await farm.token('attackers')];
  const [api, hostile] = [openApi(farm.url, victim), openApi(farm.url, attackers)];
  expect((await api('POST', '/v2/webhook_endpoints', { body: { url: receiver.url } })).status).toBe(201);
  const rendered: string[] = [];
  await work(api, rendered);
  const figures = {
    requests: { quiet: [] as number[], attacked: [] as number[] },
    renders: { quiet: [] as number[], attacked: [] as number[] },
  };
  const note = (which: 'quiet' | 'attacked', { requests, renders }: Turn): void => {
    figures.requests[which].push(percentile(requests, 0.99));
    figures.renders[which].push(percentile(renders, 0.99));
  };
  for (let round = 0; round < ROUNDS; round++) {
    note('quiet', await work(api, rendered));
    const attacking = await attack(farm.url, hostile, attackers);
    const turn = await work(api, rendered);
    note('attacked', turn);
    const sent = await attacking.stop();
    tell(
      `round ${round + 1}: ${turn.renders.length} renders beside ${[...sent].map(([what, times]) => `${times} ${what}`).join(', ')}`,
    );
  }
  for (const [what, { quiet, attacked }] of Object.entries(figures)) {
    const [before, meanwhile] = [percentile(quiet, 0.5), percentile(attacked, 0.5)];
    tell(
      `${what}: p99 ${meanwhile.toFixed(0)} ms, quiet ${before.toFixed(0)} ms, ratio ${(meanwhile / before).toFixed(2)}`,
    );
    expect(meanwhile).toBeLessThan(BOUND.factor * before + BOUND.extraMs);
  }
  // Every rendered session must have been reported to the receiver.
  await expect.poll(() => endedSessions(receiver)).toEqual(new Set(rendered));
});

/** Sessions whose end the receiver was notified of. */
function endedSessions({ arrived }: Receiver): Set<string> {
  const sessions = arrived.flatMap(({ text }) => JSON.parse(text).data.render_session ?? []);
  return new Set(sessions.flatMap(({ id, status }) => (status === 'preview_rendered' ? [id] : [])));
}
