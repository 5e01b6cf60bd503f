import { describe, expect, it } from 'vitest';
import { SessionUnknown } from '../../../src/contract/render-service.ts';
import type { Fault } from '../../support/interface-service.ts';
import { BODY, create, json, openClient, POST, thrown } from '../../support/remote-client.ts';

describe('createRenderSession() of an HTTP service', () => {
  it.each<[string, Fault, boolean]>([
    ['an answer that never comes', { kind: 'cut', afterDoing: true }, true],
    ['503', { kind: 'answer', status: 503 }, true],
    ['422', { kind: 'answer', status: 422 }, false],
  ])(
    'posts only once to a service that has not shown that it stores idempotency keys: %s',
    async (_, fault, isUnknown) => {
      const { server, service } = await openClient();
      server.force(POST, fault);
      const error = await thrown(create(service));
      expect(server.count(POST)).toBe(1);
      expect(error instanceof SessionUnknown).toBe(isUnknown);
      expect(error.message.includes('it is unknown whether the service created a session')).toBe(isUnknown);
    },
  );

  it('retries after a 429, which created nothing', async () => {
    const { server, service, waits } = await openClient();
    server.force(POST, { kind: 'answer', status: 429, headers: { 'retry-after': '3600' } });
    expect(await create(service)).toMatchObject({ id: 'session-1' });
    expect(waits).toEqual([30_000]);
  });

  it('stops waiting after a 429 when the signal is aborted', async () => {
    const stop = new AbortController();
    const wait = async (_: number, signal?: AbortSignal): Promise<void> => {
      stop.abort();
      signal?.throwIfAborted();
    };
    const { server, service } = await openClient({}, { wait });
    server.force(POST, { kind: 'answer', status: 429 });
    const options = { idempotencyKey: 'key', outputName: 'x', signal: stop.signal };
    expect(await thrown(service.createRenderSession(BODY, options))).toMatchObject({ status: 429 });
    expect(server.count(POST)).toBe(1);
  });

  it('treats a refusal as inconclusive when the request was sent before', async () => {
    const { server, service } = await openClient();
    server.force(POST, { kind: 'answer', status: 401 }, { kind: 'answer', status: 422 });
    const again = () =>
      service.createRenderSession(BODY, { idempotencyKey: 'key', outputName: 'x', wasSentBefore: true });
    expect(await thrown(again())).toBeInstanceOf(SessionUnknown);
    expect(await thrown(again())).toBeInstanceOf(SessionUnknown);
  });

  it('learns the lifetime of keys from answers, earlier runs and declared capabilities', async () => {
    const { service } = await openClient({ keepsKeys: true });
    expect(service.keyLifetimeMs()).toBeNull();
    await create(service);
    expect(service.keyLifetimeMs()).toBeGreaterThan(0);
    const { service: forgetful } = await openClient({}, { keyLifetimeMs: 5000 });
    expect(forgetful.keyLifetimeMs()).toBe(5000);
    await create(forgetful);
    expect(forgetful.keyLifetimeMs()).toBeNull();
    const { service: declared } = await openClient({}, { capabilities: { keyLifetimeMs: 7000 } });
    await create(declared);
    expect(declared.keyLifetimeMs()).toBe(7000);
    const { service: denied } = await openClient({ keepsKeys: true }, { capabilities: { keyLifetimeMs: 0 } });
    await create(denied);
    expect(denied.keyLifetimeMs()).toBeNull();
  });

  it('treats a session as created when the answer breaks off after a Location header', async () => {
    const { server, service } = await openClient();
    const headers = { location: `${server.url}/v2/render_sessions/rs%201`, 'content-length': '500' };
    server.force(POST, { kind: 'answer', status: 201, headers, body: '{"render_session":{"id":', cut: true });
    expect(await create(service)).toMatchObject({ id: 'rs 1', status: 'preview_rendering' });
    server.force(POST, { kind: 'answer', status: 201, headers: { 'content-length': '500' }, body: '{', cut: true });
    expect(await thrown(create(service))).toBeInstanceOf(SessionUnknown);
    expect(server.count(POST)).toBe(2);
  });

  it('retries with the same key and bytes when the service stores keys', async () => {
    const { server, service, waits } = await openClient({ keepsKeys: true });
    await create(service, 'key-0');
    server.force(
      POST,
      { kind: 'cut', afterDoing: true },
      json({ code: 'idempotency_in_progress', detail: 'still at work' }, 409),
      { kind: 'answer', status: 503 },
    );
    expect(await create(service, 'key-1')).toMatchObject({ id: 'session-2' });
    const [, ...posts] = server.seen;
    expect(posts.map(({ headers, body }) => [headers['idempotency-key'], body.toString()])).toEqual(
      Array.from({ length: 4 }, () => ['key-1', BODY]),
    );
    expect(waits).toEqual([500, 1000, 2000]);
    expect(server.sessions.size).toBe(2);
  });
});
