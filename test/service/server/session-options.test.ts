import { expect, it, onTestFinished, vi } from 'vitest';
import { deployFile } from '../../deploy/deploy-files.ts';
import { type Api, untilEnded } from '../../support/api.ts';
import { anyDatabases, describeOnDatabases } from '../../support/databases.ts';
import { keptRenderPool } from '../../support/kept-render-pools.ts';
import { sessionBody, startService } from '../../support/running-service.ts';
import { startApp } from '../../support/service-app.ts';
import { smallRequest } from '../../support/small-sessions.ts';
import { startWebhookReceiver } from '../../support/webhook-receiver.ts';

const SESSIONS = '/v2/render_sessions';
/** Frames and duration of the video of the small package, see `smallPackage`. */
const FRAMES = 10;
const SECONDS = 1;

async function createOn(api: Api, styleVersion: string, options: object, text = 'Hi') {
  const body = { ...sessionBody(styleVersion, { t_01: { source: { text } } }), ...options };
  return api('POST', SESSIONS, { body });
}

describeOnDatabases('metadata', (databases) => {
  it('is repeated in answers, and lists are filtered by it and by time', async () => {
    const service = await startService(await databases.address(), { concurrency: 0 });
    const { api } = await service.client();
    const ids: string[] = [];
    for (const metadata of [{ order: '1', shop: 'a:b' }, { order: '2', shop: 'a:b' }, undefined]) {
      const made = await createOn(api, service.styleVersion, { metadata });
      expect(made.body.render_session.metadata).toEqual(metadata);
      ids.push(made.body.render_session.id);
    }
    const [first, second, third] = ids as [string, string, string];
    const list = async (query: string): Promise<string[]> => {
      const { status, body } = await api('GET', `${SESSIONS}?${query}`);
      expect(status).toBe(200);
      return body.render_sessions.map(({ id }: { id: string }) => id);
    };
    expect(await list('metadata=order:1')).toEqual([first]);
    expect(await list('metadata=shop:a:b')).toEqual([second, first]);
    expect(await list('metadata=shop:a:b&metadata=order:2')).toEqual([second]);
    expect(await list('metadata=order:3')).toEqual([]);
    const { created_at: at } = (await api('GET', `${SESSIONS}/${second}`)).body.render_session;
    expect(await list(`created_since=${at}`)).toEqual([third, second]);
    expect(await list(`created_before=${at}`)).toEqual([first]);

    const page = await api('GET', `${SESSIONS}?limit=1&metadata=shop:a:b&created_since=2026-01-01`);
    const next = /<(.*)>; rel="next"/.exec(page.headers.get('link')!)![1]!;
    expect((await api('GET', next)).body.render_sessions).toMatchObject([{ id: first }]);

    for (const query of ['metadata=order', 'created_since=2026-99-99', 'created_before=yesterday']) {
      expect(await api('GET', `${SESSIONS}?${query}`), query).toMatchObject({
        status: 400,
        body: { code: 'bad_request' },
      });
    }
    for (const metadata of [{ 'a b': '1' }, { order: 1 }, { order: 'x'.repeat(501) }, { order: '\0' }]) {
      expect((await createOn(api, service.styleVersion, { metadata })).status).toBe(400);
    }
  });
});

it('webhook_url receives the events of its session in place of the endpoint with its origin', async () => {
  const service = await startService(await anyDatabases.address(), { allowWebhooks: ['127.0.0.1:*'] });
  const { api } = await service.client();
  const receiver = await startWebhookReceiver();
  onTestFinished(receiver.close);
  const url = `${receiver.url}?order=4711`;
  const refused = await createOn(api, service.styleVersion, { webhook_url: url });
  expect(refused).toMatchObject({
    status: 422,
    body: { code: 'webhook_url_refused', errors: [{ pointer: '#/webhook_url' }] },
  });
  // Subscribed to another type: only the session's URL makes it receive these events.
  const types = ['template_style_version.status.changed'];
  const made = await api('POST', '/v2/webhook_endpoints', { body: { url: receiver.url, types } });
  const { id, secret } = made.body.webhook_endpoint;
  receiver.trust(secret);
  await untilEnded(api, (await createOn(api, service.styleVersion, {}, 'Plain')).body.render_session.id);
  const options = { webhook_url: url, metadata: { order: '4711' } };
  const session = (await createOn(api, service.styleVersion, options)).body.render_session;
  expect(session).toMatchObject(options);
  await vi.waitUntil(() => receiver.received.length === 2, { timeout: 40_000 });
  for (const { body } of receiver.received)
    expect(body.data.render_session).toMatchObject({ id: session.id, ...options });
  const { body } = await api('GET', `/v2/webhook_endpoints/${id}/deliveries`);
  expect(body.deliveries.map((delivery: { url: string }) => delivery.url)).toEqual([url, url]);
});

it('410 from a webhook_url ends the event and does not disable the endpoint', async () => {
  const service = await startService(await anyDatabases.address(), { allowWebhooks: ['127.0.0.1:*'] });
  const { api } = await service.client();
  const receiver = await startWebhookReceiver({ answer: () => 410 });
  onTestFinished(receiver.close);
  const made = await api('POST', '/v2/webhook_endpoints', { body: { url: receiver.url } });
  const { id, secret } = made.body.webhook_endpoint;
  receiver.trust(secret);
  await createOn(api, service.styleVersion, { webhook_url: `${receiver.url}?gone` });
  const statuses = async (): Promise<string[]> => {
    const { body } = await api('GET', `/v2/webhook_endpoints/${id}/deliveries`);
    return body.deliveries.map(({ status }: { status: string }) => status);
  };
  await expect.poll(statuses, { timeout: 40_000 }).toEqual(['failed', 'failed']);
  expect((await api('GET', `/v2/webhook_endpoints/${id}`)).body.webhook_endpoint.enabled).toBe(true);
});

it('retention_days shortens the retention of a session and cannot exceed that of the service', async () => {
  const service = await startService(await anyDatabases.address(), { retentionDays: 30 });
  const { api } = await service.client();
  const days = async (options: object): Promise<number> => {
    const { body } = await createOn(api, service.styleVersion, options);
    const { expires_at, updated_at } = await untilEnded(api, body.render_session.id);
    return (Date.parse(expires_at) - Date.parse(updated_at)) / 86_400_000;
  };
  expect(await days({ retention_days: 2 })).toBe(2);
  expect(await days({})).toBe(30);
  const refused = await createOn(api, service.styleVersion, { retention_days: 31 });
  expect(refused).toMatchObject({ status: 422, body: { errors: [{ pointer: '#/retention_days' }] } });
});

describeOnDatabases('priority', (databases) => {
  it('orders the waiting sessions of a tenant and does not affect other tenants', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const service = await startService(await databases.address(), { concurrency: 1 }, onTestFinished, (options) => {
      const pool = keptRenderPool(options);
      return {
        ...pool,
        async run(kind, input, given) {
          if (kind === 'keys') await held;
          return pool.run(kind, input, given);
        },
      };
    });
    const [acme, other] = [await service.client('acme'), await service.client('other')];
    const made: { readonly api: Api; readonly id: string; readonly name: string }[] = [];
    const create = async (api: Api, name: string, priority?: string): Promise<void> => {
      const { body } = await createOn(api, service.styleVersion, { priority, title: name }, name);
      made.push({ api, id: body.render_session.id, name });
    };
    await create(acme.api, 'running');
    await expect
      .poll(async () => (await acme.api('GET', `${SESSIONS}/${made[0]!.id}`)).body.render_session.phase)
      .not.toBe('queued');
    for (const [name, priority] of [
      ['low 1', 'low'],
      ['normal 1', 'normal'],
      ['low 2', 'low'],
      ['high 1', 'high'],
      ['normal 2', undefined],
      ['high 2', 'high'],
    ] as const) {
      await create(acme.api, name, priority);
    }
    for (const name of ['other 1', 'other 2', 'other 3']) await create(other.api, name);
    release();
    const ended = await Promise.all(
      made.map(async ({ api, id, name }) => ({ name, at: Date.parse((await untilEnded(api, id)).updated_at) })),
    );
    const order = ended.sort((a, b) => a.at - b.at).map(({ name }) => name);
    const ofAcme = order.filter((name) => !name.startsWith('other'));
    // One more session may have been claimed, for its sources, before the others existed.
    expect(ofAcme.filter((name) => name !== 'running' && name !== 'low 1')).toEqual([
      'high 1',
      'high 2',
      'normal 1',
      'normal 2',
      'low 2',
    ]);
    expect(order.filter((name) => name.startsWith('other'))).toEqual(['other 1', 'other 2', 'other 3']);
    // The tenants alternate.
    expect(order.indexOf('other 3')).toBeLessThan(8);
  });
});

describeOnDatabases('usage', (databases) => {
  it('sums the rendered sessions of each tenant and day, and the budget refuses further ones', async () => {
    const limits = { monthlySeconds: 1_000_000, tenantMonthlySeconds: new Map([['acme', 2 * SECONDS]]) };
    const service = await startService(await databases.address(), limits);
    const [acme, other] = [await service.client('acme'), await service.client('other')];
    const first = (await createOn(acme.api, service.styleVersion, {}, 'One')).body.render_session;
    const rendered = await untilEnded(acme.api, first.id);
    const second = (await createOn(acme.api, service.styleVersion, {}, 'Two')).body.render_session;
    const refused = await createOn(acme.api, service.styleVersion, {}, 'Three');
    expect(refused).toMatchObject({ status: 403, body: { code: 'budget_exceeded' } });
    const draft = (await createOn(acme.api, service.styleVersion, { render: undefined })).body.render_session;
    expect(await acme.api('POST', `${SESSIONS}/${draft.id}/render`)).toMatchObject({ status: 403 });
    expect((await acme.api('GET', `${SESSIONS}/${draft.id}`)).body.render_session.status).toBe('draft');
    const last = await untilEnded(acme.api, second.id);
    await acme.api('DELETE', `${SESSIONS}/${first.id}`);

    const { body } = await acme.api('GET', '/v2/usage');
    const date = last.updated_at.slice(0, 10);
    const days = body.usage as {
      date: string;
      sessions: number;
      frames: number;
      bytes: number;
      video_seconds: number;
    }[];
    expect(days.at(-1)).toMatchObject({ date });
    const sum = (field: 'sessions' | 'frames' | 'bytes' | 'video_seconds'): number =>
      days.reduce((total, day) => total + day[field], 0);
    expect(sum('sessions')).toBe(2);
    expect(sum('frames')).toBe(2 * FRAMES);
    expect(sum('video_seconds')).toBeCloseTo(2 * SECONDS);
    expect(sum('bytes')).toBe(rendered.usage.bytes + last.usage.bytes);
    expect(body.budget).toEqual({ month: date.slice(0, 7), limit: 2 * SECONDS, used: 2 * SECONDS, reserved: 0 });
    expect((await acme.api('GET', '/v2/usage?before=2026-01-01')).body.usage).toEqual([]);
    const theirs = await other.api('GET', '/v2/usage');
    expect(theirs.body).toMatchObject({ usage: [], budget: { limit: 1_000_000, used: 0 } });
  });

  it('concurrent requests cannot exceed the budget together', async () => {
    const service = await startService(await databases.address(), { concurrency: 0, monthlySeconds: 3 * SECONDS });
    const { api } = await service.client();
    const many = Array.from({ length: 12 }, (_, at) => createOn(api, service.styleVersion, {}, `Video ${at}`));
    const statuses = (await Promise.all(many)).map(({ status }) => status).sort();
    expect(statuses).toEqual([201, 201, 201, ...Array.from({ length: 9 }, () => 403)]);
    expect((await api('GET', '/v2/usage')).body.budget).toMatchObject({ used: 0, reserved: 3 * SECONDS });
  });
});

it('…/events streams the states of a session until it ends', async () => {
  const service = await startService(await anyDatabases.address());
  const { api, token } = await service.client();
  const { id } = (await createOn(api, service.styleVersion, {})).body.render_session;
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${service.url}${SESSIONS}/${id}/events`, { headers });
  expect(answer.headers.get('content-type')).toBe('text/event-stream');
  const events = (await answer.text()).split('\n\n').filter((event) => event.startsWith('event: render_session\n'));
  const states = events.map((event) => JSON.parse(event.split('\ndata: ')[1]!).render_session);
  expect(states.length).toBeGreaterThan(1);
  expect(states[0]).toMatchObject({ id, status: 'preview_rendering' });
  expect(states.at(-1)).toEqual((await api('GET', `${SESSIONS}/${id}`)).body.render_session);
  const { api: stranger } = await service.client('other');
  expect((await stranger('GET', `${SESSIONS}/${id}/events`)).status).toBe(404);
});

it('…/events is limited per tenant, sends comments while nothing changes, and ends after a time', async () => {
  const limits = { streamsOfTenant: 2, streamPollMs: 10, streamPingMs: 50, streamMs: 400 };
  const app = await startApp({ limits });
  onTestFinished(() => app.close());
  const { render: _, ...small } = smallRequest();
  const { id } = (await app.api('POST', SESSIONS, { body: small })).body.render_session;
  const path = `${SESSIONS}/${id}/events`;
  const open = [app.api('GET', path), app.api('GET', path)];
  await expect.poll(async () => (await app.api('GET', path)).status).toBe(429);
  for (const { status, body } of await Promise.all(open)) {
    expect(status).toBe(200);
    expect(body.match(/^event: render_session$/gm)).toHaveLength(1);
    expect(body).toContain(': open\n\n');
  }
  expect((await app.api('GET', path)).status).toBe(200);
});

it('an edit token reads its session and specification even if its client has only render_session:write', async () => {
  const service = await startService(await anyDatabases.address());
  const { api } = await service.client('default', ['render_session:write']);
  const options = { render: undefined, edit_token: true, metadata: { order: '1' } };
  const { body } = await createOn(api, service.styleVersion, options);
  const path = `${SESSIONS}/${body.render_session.id}`;
  expect((await api('GET', path)).status).toBe(403);
  const headers = { authorization: `Bearer ${body.edit_token}` };
  const read = await fetch(service.url + path, { headers });
  expect(read.status).toBe(200);
  const { render_session } = (await read.json()) as { render_session: object };
  expect(render_session).not.toHaveProperty('metadata');
  const specs = `/v2/template_style_versions/${service.styleVersion}/specs`;
  expect((await fetch(service.url + specs, { headers })).status).toBe(200);
});

it('a service that stops refuses new sessions and still answers', async () => {
  let isReleased = false;
  const service = await startService(await anyDatabases.address(), { drainSeconds: 30 }, onTestFinished, (options) => {
    const pool = keptRenderPool(options);
    return {
      ...pool,
      async run(kind, input, given) {
        if (kind === 'keys') await vi.waitUntil(() => isReleased, { timeout: 60_000 });
        return pool.run(kind, input, given);
      },
    };
  });
  const { api } = await service.client();
  const { id } = (await createOn(api, service.styleVersion, {})).body.render_session;
  await expect.poll(async () => (await api('GET', `${SESSIONS}/${id}`)).body.render_session.phase).not.toBe('queued');
  const closed = service.server.close();
  await expect.poll(async () => (await createOn(api, service.styleVersion, {}, 'Late')).status).toBe(503);
  expect((await api('GET', `${SESSIONS}/${id}`)).status).toBe(200);
  expect((await api('GET', SESSIONS)).body.render_sessions).toHaveLength(1);
  isReleased = true;
  await closed;
});

describeOnDatabases('the query of deploy/kubernetes/keda.yaml', (databases) => {
  it('counts waiting and running sessions by the length of their videos', async () => {
    const query = /query: >-\n((?: {10}.*\n)+)/.exec(deployFile('kubernetes/keda.yaml'))![1]!;
    const { database } = await databases.open();
    const pieces = async (): Promise<number> => Number(Object.values((await database.query<object>(query))[0]!)[0]);
    expect(await pieces()).toBe(0);
    const add = (id: string, status: string, videoSeconds: number): Promise<unknown> =>
      database.query(
        `insert into reelform.sessions (id, tenant, status, style_version_id, created_at, output_name, session, video_seconds)
          values ($1, 'acme', $2, 'tsv', now(), $1, '{}', $3)`,
        [id, status, videoSeconds],
      );
    await add('still', 'preview_rendering', 0);
    await add('short', 'preview_rendering', 10.8);
    await add('long', 'preview_rendering', 600);
    await add('rendered', 'preview_rendered', 600);
    expect(await pieces()).toBe(1 + 1 + 38);
  });
});
