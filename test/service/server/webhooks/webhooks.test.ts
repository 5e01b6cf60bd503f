import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { MAX_ENDPOINTS } from '../../../../src/service/server/webhooks/webhooks.ts';
import { describeOnDatabases } from '../../../support/databases.ts';
import { ACME, OTHER } from '../store/sessions.ts';
import { believes, openReceiver, openTestWebhooks } from './open-test-webhooks.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const never = new AbortController().signal;

describeOnDatabases('webhooks', (databases) => {
  it('verify as sent and fail with any change', async () => {
    const webhooks = openTestWebhooks((await databases.open()).database);
    const receiver = await openReceiver();
    const { secret } = await webhooks.endpoint(receiver.url);
    await webhooks.happen();
    await webhooks.due();
    const [message] = receiver.arrived;
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(believes(secret, message!)).toBe(true);
    expect(message!.headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': 'reelform' });
    expect(JSON.parse(message!.text)).toEqual({
      type: 'render_session.external_upload.complete',
      timestamp: new Date(webhooks.clock.nowMs).toISOString(),
      data: { render_session_id: expect.stringMatching(/^rs_/), to: 's3://videos/grüße.mp4', remote_id: null },
    });
    const { headers, text } = message!;
    const changed: [string, Record<string, string>][] = [
      [text.replace('s3', 's4'), headers],
      [`${text} `, headers],
      [JSON.stringify(JSON.parse(text), null, 1), headers],
      [text, { ...headers, 'webhook-id': 'msg_other' }],
      [text, { ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) + 1) }],
      [text, { ...headers, 'webhook-signature': headers['webhook-signature']!.replace(/.=$/, '_=') }],
      [text, { ...headers, 'webhook-signature': `v1a,${headers['webhook-signature']!.slice(3)}` }],
      [text, signedAt(secret, headers['webhook-id']!, text, Date.now() - 301_000)],
      [text, signedAt(secret, headers['webhook-id']!, text, Date.now() + 360_000)],
    ];
    for (const [index, [body, signed]] of changed.entries()) {
      expect(believes(secret, { text: body, headers: signed }), String(index)).toBe(false);
    }
    expect(believes(secret, { text, headers: signedAt(secret, 'msg_1', text, Date.now()) })).toBe(true);
    const other = await webhooks.endpoint(receiver.url);
    expect(believes(other.secret, message!)).toBe(false);
  });

  it('follow the schedule with one id and a new timestamp each, and then fail', async () => {
    const webhooks = openTestWebhooks((await databases.open()).database);
    const receiver = await openReceiver();
    receiver.answer = { status: 302, headers: { location: '/elsewhere' } };
    const { id } = await webhooks.endpoint(receiver.url);
    await webhooks.happen();
    const waited: number[] = [];
    while (webhooks.jobs.length > 0) waited.push((await webhooks.next()) / 1000);
    expect(waited).toEqual([0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]);
    expect(new Set(receiver.arrived.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(new Set(receiver.arrived.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(10);
    expect(webhooks.outcomes).toEqual([...Array(9).fill('retried'), 'failed']);
    const { deliveries } = await webhooks.api.deliveries(ACME, id, { limit: 10, cursor: null, status: null });
    expect(deliveries).toHaveLength(1);
    expect(deliveries[0]).toMatchObject({ status: 'failed', next_attempt_at: null });
    expect(deliveries[0]!.attempts.map((one) => [one.status_code, one.error])).toEqual(
      Array(10).fill([302, 'redirect']),
    );
    // All its messages fail; the endpoint is disabled after five days without a success.
    const failing = await webhooks.api.get(ACME, id);
    expect(failing).toMatchObject({ enabled: true, failing_since: new Date(webhooks.clock.nowMs).toISOString() });
    await webhooks.happen();
    webhooks.clock.nowMs += 5 * DAY_MS;
    await webhooks.next();
    expect(await webhooks.api.get(ACME, id)).toMatchObject({ enabled: false, disabled_because: 'failing' });
    await webhooks.next();
    expect(receiver.arrived).toHaveLength(11);
    const enabled = await webhooks.api.change(ACME, id, { enabled: true });
    expect(enabled).toMatchObject({ enabled: true, disabled_because: null, failing_since: null });
  });

  it('wait as long as the receiver asks and count the success', async () => {
    const webhooks = openTestWebhooks((await databases.open()).database);
    const receiver = await openReceiver();
    const { id } = await webhooks.endpoint(receiver.url);
    await webhooks.happen();
    receiver.answer = { status: 503, headers: { 'retry-after': '90' } };
    await webhooks.next();
    receiver.answer = { status: 200 };
    expect(await webhooks.next()).toBe(90_000);
    const [delivery] = (await webhooks.api.deliveries(ACME, id, { limit: 1, cursor: null, status: 'delivered' }))
      .deliveries;
    expect(delivery!.attempts.map((one) => [one.status_code, one.error])).toEqual([
      [503, 'status'],
      [200, null],
    ]);
    expect(webhooks.jobs).toEqual([]);
  });

  it("stop at a 410 together with the endpoint's pending messages", async () => {
    const webhooks = openTestWebhooks((await databases.open()).database);
    const receiver = await openReceiver();
    const { id } = await webhooks.endpoint(receiver.url);
    receiver.answer = { status: 500 };
    await webhooks.happen();
    await webhooks.due();
    receiver.answer = { status: 410 };
    await webhooks.happen();
    await webhooks.due();
    expect(await webhooks.api.get(ACME, id)).toMatchObject({ enabled: false, disabled_because: 'gone' });
    await webhooks.happen();
    while (webhooks.jobs.length > 0) await webhooks.next();
    expect(receiver.arrived).toHaveLength(2);
    const { deliveries } = await webhooks.api.deliveries(ACME, id, { limit: 10, cursor: null, status: null });
    expect(deliveries.map(({ status }) => status).toSorted()).toEqual(['canceled', 'failed']);
    await expect(webhooks.api.test(ACME, id)).rejects.toMatchObject({ code: 'endpoint_disabled' });
    await expect(webhooks.api.redeliver(ACME, id, deliveries[0]!.id)).rejects.toMatchObject({ status: 409 });
  });

  it('are signed with both secrets during the overlap and never with a third', async () => {
    const { database } = await databases.open();
    const webhooks = openTestWebhooks(database);
    const receiver = await openReceiver();
    const first = await webhooks.endpoint(receiver.url);
    const told = async (): Promise<boolean[]> => {
      await webhooks.happen();
      await webhooks.due();
      const message = receiver.arrived.at(-1)!;
      return secrets.map((secret) => believes(secret, message));
    };
    const secrets = [first.secret];
    const rotate = async (keepHours: number): Promise<void> => {
      secrets.push((await webhooks.api.rotate(ACME, first.id, keepHours)).endpoint.secret);
    };
    await rotate(24);
    expect(await told()).toEqual([true, true]);
    await rotate(1);
    expect(await told()).toEqual([false, true, true]);
    await database.query(`update reelform.webhook_endpoints set previous_secret_until = $1::timestamptz`, [
      new Date(webhooks.clock.nowMs).toISOString(),
    ]);
    expect(await told()).toEqual([false, false, true]);
    await rotate(0);
    expect(await told()).toEqual([false, false, false, true]);
  });

  it('are redelivered on request from the first try with the same id', async () => {
    const { database } = await databases.open();
    const webhooks = openTestWebhooks(database);
    const receiver = await openReceiver();
    const { id } = await webhooks.endpoint(receiver.url);
    await webhooks.happen();
    await webhooks.due();
    const page = async () =>
      (await webhooks.api.deliveries(ACME, id, { limit: 1, cursor: null, status: null })).deliveries;
    const [delivered] = await page();
    const again = await webhooks.api.redeliver(ACME, id, delivered!.id);
    expect(again).toMatchObject({ id: delivered!.id, status: 'pending', ended_at: null });
    receiver.answer = { status: 500 };
    await webhooks.due();
    // Requested while it waits for its next try, which is then skipped.
    await webhooks.api.redeliver(ACME, id, delivered!.id);
    receiver.answer = { status: 204 };
    while (webhooks.jobs.length > 0) await webhooks.next();
    expect(receiver.arrived).toHaveLength(3);
    expect(new Set(receiver.arrived.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect((await page())[0]).toMatchObject({ status: 'delivered', attempts: [{}, {}, {}] });
    // Requested while its last try is running.
    await webhooks.api.redeliver(ACME, id, delivered!.id);
    await database.query('update reelform.webhook_deliveries set step = 9');
    const failing = webhooks.sender2(async () => {
      await webhooks.api.redeliver(ACME, id, delivered!.id);
      return { kind: 'answered', status: 500, retryAfterMs: null };
    });
    await failing.run(webhooks.jobs.shift()!.id, never);
    expect((await page())[0]).toMatchObject({ status: 'pending' });
    await webhooks.due();
    expect((await page())[0]).toMatchObject({ status: 'delivered', next_attempt_at: null });
    await expect(webhooks.api.redeliver(ACME, id, 'whd_none')).rejects.toMatchObject({ status: 404 });
  });

  it('test an endpoint with one try whatever types it subscribes to', async () => {
    const webhooks = openTestWebhooks((await databases.open()).database);
    const receiver = await openReceiver();
    const types = ['render_session.status.changed' as const];
    const { endpoint } = await webhooks.api.create(ACME, { url: receiver.url, types });
    await webhooks.happen();
    expect(webhooks.jobs).toEqual([]);
    receiver.answer = { status: 500 };
    expect(await webhooks.api.test(ACME, endpoint.id)).toMatchObject({
      status: 'pending',
      type: 'webhook_endpoint.test',
    });
    await webhooks.next();
    expect(webhooks.jobs).toEqual([]);
    expect(JSON.parse(receiver.arrived[0]!.text)).toMatchObject({ data: { webhook_endpoint_id: endpoint.id } });
    expect(await webhooks.api.get(ACME, endpoint.id)).toMatchObject({ failing_since: null });
  });

  it('record only the last of several concurrent tries', async () => {
    const { database } = await databases.open();
    const receiver = await openReceiver();
    const webhooks = openTestWebhooks(database);
    const { id } = await webhooks.endpoint(receiver.url);
    await webhooks.happen();
    const { id: job } = webhooks.jobs.shift()!;
    let begun!: () => void;
    let goOn!: () => void;
    const isBegun = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const slow = webhooks.sender2(async () => {
      begun();
      await new Promise<void>((resolve) => {
        goOn = resolve;
      });
      return { kind: 'answered', status: 500, retryAfterMs: null };
    });
    const running = slow.run(job, never);
    await isBegun;
    // Another worker has claimed its job.
    await webhooks.sender.run(job, never);
    goOn();
    await running;
    await webhooks.sender.run(job, never);
    const [delivery] = (await webhooks.api.deliveries(ACME, id, { limit: 1, cursor: null, status: null })).deliveries;
    expect(delivery).toMatchObject({ status: 'delivered', attempts: [{ status_code: 204 }] });
    expect(webhooks.jobs).toEqual([]);
    expect(receiver.arrived).toHaveLength(1);
  });

  it('continue the schedule after every process died during a try', async () => {
    const webhooks = openTestWebhooks((await databases.open()).database);
    const receiver = await openReceiver();
    const { id } = await webhooks.endpoint(receiver.url);
    await webhooks.happen();
    await webhooks.sender.onDead(webhooks.jobs.shift()!.id);
    expect(await webhooks.next()).toBe(5000);
    const [delivery] = (await webhooks.api.deliveries(ACME, id, { limit: 1, cursor: null, status: null })).deliveries;
    expect(delivery!.attempts).toMatchObject([{ status_code: null, error: 'interrupted' }, { status_code: 204 }]);
  });

  it('are dropped when the transaction of their event is rolled back', async () => {
    const { database } = await databases.open();
    const webhooks = openTestWebhooks(database);
    await webhooks.endpoint('https://example.com/');
    const at = new Date().toISOString();
    const data = { render_session_id: 'rs_1', to: '', remote_id: null };
    const gaveUp = database.transaction(async (tx) => {
      await webhooks.outbox.write(tx, {
        tenant: ACME,
        type: 'render_session.external_upload.complete',
        at,
        data,
        sessionUrl: null,
      });
      throw new Error('no');
    });
    await expect(gaveUp).rejects.toThrow('no');
    expect(await database.query('select 1 from reelform.webhook_messages')).toEqual([]);
    await webhooks.happen(OTHER);
    expect(await database.query('select 1 from reelform.webhook_messages')).toEqual([]);
  });

  it('have private endpoints, at most twenty per tenant, each created once', async () => {
    const { database } = await databases.open();
    const { api } = openTestWebhooks(database);
    const url = 'https://example.com/';
    const claim = { key: 'k', request: 'a' as never, expiresAt: Date.now() + HOUR_MS };
    const first = await api.create(ACME, { url }, claim);
    const replay = await api.create(ACME, { url }, claim);
    expect(replay).toEqual({ ...first, isReplay: true });
    const made = await Promise.allSettled(Array.from({ length: MAX_ENDPOINTS + 2 }, () => api.create(ACME, { url })));
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(MAX_ENDPOINTS - 1);
    expect(made.find((one) => one.status === 'rejected')).toMatchObject({ reason: { code: 'too_many_endpoints' } });
    const listed = await api.list(ACME);
    expect(listed).toHaveLength(MAX_ENDPOINTS);
    expect(JSON.stringify(listed)).not.toContain('whsec_');

    const { id } = first.endpoint;
    expect(await api.list(OTHER)).toEqual([]);
    const foreign: (() => Promise<unknown>)[] = [
      () => api.get(OTHER, id),
      () => api.change(OTHER, id, { enabled: false }),
      () => api.rotate(OTHER, id, 24),
      () => api.test(OTHER, id),
      () => api.deliveries(OTHER, id, { limit: 1, cursor: null, status: null }),
      () => api.redeliver(OTHER, id, 'whd_1'),
      () => api.remove(OTHER, id),
    ];
    for (const call of foreign) await expect(call()).rejects.toMatchObject({ status: 404 });
    await api.remove(ACME, id);
    await expect(api.get(ACME, id)).rejects.toMatchObject({ status: 404 });
  });

  it('keep secrets and URL queries out of the log', async () => {
    const webhooks = openTestWebhooks((await databases.open()).database);
    const receiver = await openReceiver();
    const { secret } = await webhooks.endpoint(receiver.url);
    for (const status of [500, 204]) {
      receiver.answer = { status };
      await webhooks.happen();
      await webhooks.due();
    }
    expect(webhooks.logged).toHaveLength(2);
    const log = webhooks.logged.join('\n');
    for (const word of [secret.slice(6), 'whsec_', 'canary-of-the-query', 'grüße']) expect(log).not.toContain(word);
  });

  it('list deliveries in pages, newest first', async () => {
    const webhooks = openTestWebhooks((await databases.open()).database);
    const { id } = await webhooks.endpoint('https://example.com/');
    for (let message = 0; message < 5; message++) {
      webhooks.clock.nowMs += 1000;
      await webhooks.happen();
    }
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await webhooks.api.deliveries(ACME, id, { limit: 2, cursor, status: 'pending' });
      seen.push(...page.deliveries.map(({ created_at }) => created_at));
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(seen).toHaveLength(5);
    expect(seen).toEqual(seen.toSorted().toReversed());
  });
});

/** Builds headers as a holder of the secret does. */
function signedAt(secret: string, id: string, text: string, atMs: number): Record<string, string> {
  const seconds = Math.floor(atMs / 1000);
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${seconds}.${text}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': String(seconds), 'webhook-signature': `v1,${signature}` };
}
