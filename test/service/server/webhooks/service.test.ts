import { expect, it, vi } from 'vitest';
import { untilEnded } from '../../../support/api.ts';
import { anyDatabases } from '../../../support/databases.ts';
import { sessionBody, startService } from '../../../support/running-service.ts';
import { believes, openReceiver } from './open-test-webhooks.ts';

const PATH = '/v2/webhook_endpoints';

it('sends each session event once and signed, without revealing secrets', async () => {
  const service = await startService(await anyDatabases.address(), { allowWebhooks: ['127.0.0.1:*'] });
  const { api } = await service.client('acme');
  const { api: other } = await service.client('other');
  const receiver = await openReceiver();
  const refused = await api('POST', PATH, { body: { url: 'http://169.254.169.254/latest' } });
  expect([refused.status, refused.body.code, refused.body.errors[0].pointer]).toEqual([
    ...[422, 'webhook_url_refused', '#/url'],
  ]);
  const made = await api('POST', PATH, { body: { url: receiver.url } });
  expect(made.status).toBe(201);
  const { id, secret } = made.body.webhook_endpoint;
  const rotated = (await api('POST', `${PATH}/${id}/rotate_secret`)).body.webhook_endpoint.secret;
  expect((await other('GET', `${PATH}/${id}`)).status).toBe(404);

  const body = sessionBody(service.styleVersion);
  await other('POST', '/v2/render_sessions', { body });
  const draft = await api('POST', '/v2/render_sessions', { body: { ...body, render: undefined } });
  const session = draft.body.render_session.id as string;
  await api('POST', `/v2/render_sessions/${session}/render`);
  const rendered = await untilEnded(api, session);
  await api('POST', `${PATH}/${id}/test`, { body: {} });

  await vi.waitUntil(() => receiver.arrived.length >= 3, { timeout: 40_000, interval: 20 });
  const messages = receiver.arrived.map(({ text }) => JSON.parse(text));
  for (const one of receiver.arrived) expect([secret, rotated].map((key) => believes(key, one))).toEqual([true, true]);
  const sessions = messages.filter(({ type }) => type === 'render_session.status.changed');
  expect(sessions.map(({ data }) => data.render_session.status).toSorted()).toEqual([
    'preview_rendered',
    'preview_rendering',
  ]);
  const { download_url: _, ...kept } = rendered;
  expect(sessions.find(({ data }) => data.render_session.terminal).data.render_session).toEqual(kept);

  const deliveries = await api('GET', `${PATH}/${id}/deliveries?limit=1`);
  expect(deliveries.headers.get('link')).toContain(`${PATH}/${id}/deliveries?limit=1&cursor=`);
  const answers = JSON.stringify([
    deliveries.body,
    (await api('GET', PATH)).body,
    (await api('GET', `${PATH}/${id}`)).body,
  ]);
  // The receiver has a message a moment before the service has counted its answer.
  const metrics = await vi.waitFor(
    async () => {
      const text = (await api('GET', '/metrics')).body;
      expect(text).toMatch(/^reelform_webhook_deliveries_total\{outcome="delivered"\} [3-9]/m);
      return text;
    },
    { timeout: 10_000, interval: 20 },
  );
  expect(metrics).toMatch(/^reelform_webhook_pending \d/m);
  for (const text of [answers, metrics, service.log.join('\n')]) {
    for (const canary of [secret, rotated]) expect(text).not.toContain(canary.slice('whsec_'.length, 20));
  }
  expect(service.log.join('\n')).not.toContain('canary-of-the-query');
});
