import { expect, it } from 'vitest';
import { anyDatabases } from '../../../support/databases.ts';
import { sessionBody, startService } from '../../../support/running-service.ts';

it('the queue is limited per tenant and in total before anything is stored, and replays still succeed', async () => {
  const limits = { maxQueued: 2, tenantMaxQueued: new Map([['large', 3]]), maxQueuedTotal: 5 };
  const service = await startService(await anyDatabases.address(), { concurrency: 0, ...limits });
  const body = sessionBody(service.styleVersion);
  const ask = async (tenant: string) => {
    const { api } = await service.client(tenant);
    let count = 0;
    return {
      api,
      post: (key = `${tenant}-${count++}`, asked: object = body) =>
        api('POST', '/v2/render_sessions', { body: asked, headers: { 'idempotency-key': key } }),
    };
  };
  const [small, large, other] = await Promise.all(['small', 'large', 'other'].map(ask));
  const made = await small!.post();
  expect(made.status).toBe(201);
  expect((await small!.post()).status).toBe(201);
  const refused = await small!.post('refused');
  expect(refused).toMatchObject({ status: 429, body: { code: 'queue_full' } });
  expect(refused.headers.get('retry-after')).toBe('10');
  expect((await small!.post('small-0')).headers.get('idempotent-replayed')).toBe('true');
  const draft = await small!.post('draft', { ...body, render: undefined });
  expect(draft.status).toBe(201);
  const path = `/v2/render_sessions/${draft.body.render_session.id}`;
  expect(await small!.api('POST', `${path}/render`)).toMatchObject({ status: 429 });
  expect((await small!.api('GET', path)).body.render_session.status).toBe('draft');

  // Canceling a waiting session makes room for a retry with the same key.
  await small!.api('POST', `/v2/render_sessions/${made.body.render_session.id}/cancel`);
  expect((await small!.post('refused')).status).toBe(201);
  expect((await small!.api('GET', '/v2/render_sessions')).body.render_sessions).toHaveLength(4);

  expect((await large!.post()).status).toBe(201);
  expect((await large!.post()).status).toBe(201);
  // The job of the canceled session still counts until a worker has claimed it.
  const full = await other!.post();
  expect(full).toMatchObject({ status: 503, body: { code: 'service_full' } });
  expect(full.headers.get('retry-after')).toBe('10');
});
