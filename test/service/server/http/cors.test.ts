import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HEADERS } from '../../../../src/service/server/http/schemas/responses.ts';
import { startApp, type TestApp, TOKENS } from '../../../support/service-app.ts';
import { smallRequest } from '../../../support/small-sessions.ts';

const APP = 'https://app.example.com';

let [off, exact, any]: TestApp[] = [];
beforeAll(async () => {
  off = await startApp();
  exact = await startApp({ settings: { corsOrigins: [APP, 'http://localhost:5173'] } });
  any = await startApp({ settings: { corsOrigins: ['*'] } });
});
afterAll(() => Promise.all([off!.close(), exact!.close(), any!.close()]));

function preflight(service: TestApp, origin: string, path = '/v2/render_sessions'): Promise<Response> {
  const asked = {
    'access-control-request-method': 'PATCH',
    'access-control-request-headers': 'authorization,content-type,idempotency-key',
  };
  return fetch(`${service.url}${path}`, { method: 'OPTIONS', headers: { origin, ...asked } });
}

function corsOf({ headers }: Response): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-')));
}

describe('a preflight request', () => {
  it('from an allowed origin succeeds without a token', async () => {
    const answer = await preflight(exact!, APP);
    expect(answer.status).toBe(204);
    expect(corsOf(answer)).toMatchObject({
      'access-control-allow-origin': APP,
      'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
      'access-control-allow-headers': 'authorization,content-type,idempotency-key',
      'access-control-max-age': '600',
    });
    expect(answer.headers.get('vary')).toMatch(/\bOrigin\b/i);
    expect(answer.headers.get('x-request-id')).toMatch(/^req_/);
    expect(corsOf(await preflight(exact!, 'http://localhost:5173'))['access-control-allow-origin']).toBe(
      'http://localhost:5173',
    );
    expect(corsOf(await preflight(any!, 'https://evil.example'))['access-control-allow-origin']).toBe('*');
  });

  it.each(['https://app.example.com.evil.example', 'http://app.example.com', 'https://app.example.com:8443', 'null'])(
    'from %s fails',
    async (origin) => {
      expect(corsOf(await preflight(exact!, origin))).not.toHaveProperty('access-control-allow-origin');
    },
  );

  it('is an unsupported method when no origin is allowed', async () => {
    const answer = await preflight(off!, APP);
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('GET, HEAD, POST');
    expect(corsOf(answer)).toEqual({});
    expect(answer.headers.get('vary')).toBeNull();
  });
});

describe('answers to a page of an allowed origin', () => {
  it('expose the headers that clients need, on errors too', async () => {
    const headers = { origin: APP, 'idempotency-key': 'from-a-page' };
    const made = await exact!.api('POST', '/v2/render_sessions', { body: smallRequest(), headers });
    expect(made.status).toBe(201);
    expect(made.headers.get('access-control-allow-origin')).toBe(APP);
    const exposed = made.headers.get('access-control-expose-headers')!.split(', ');
    const needed = Object.values(HEADERS).flatMap((described) => Object.keys(described));
    expect(exposed).toEqual(expect.arrayContaining([...needed, 'Content-Disposition', 'Accept-Ranges']));
    expect(exposed).toEqual(
      expect.arrayContaining(['Location', 'Retry-After', 'ETag', 'RateLimit', 'X-Request-Id', 'Idempotency-Key']),
    );
    const refusals: [string, string, Record<string, string>][] = [
      ['GET', '/v2/render_sessions', { authorization: 'Bearer rf_unknown' }],
      ['GET', '/v2/nothing', {}],
      ['PUT', '/v2/render_sessions', {}],
      ['GET', '/v2/render_sessions?x=1', { authorization: `Bearer ${TOKENS.acme}` }],
    ];
    for (const [method, path, more] of refusals) {
      const answer = await fetch(`${exact!.url}${path}`, { method, headers: { origin: APP, ...more } });
      expect([path, answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([
        path,
        expect.toSatisfy((status) => status >= 400 && status < 500),
        APP,
      ]);
    }
  });

  it('never allow credentials or other origins', async () => {
    for (const service of [off!, exact!, any!]) {
      for (const answer of [
        await preflight(service, 'https://evil.example'),
        await fetch(`${service.url}/openapi.json`, { headers: { origin: 'https://evil.example' } }),
      ]) {
        expect(answer.headers.has('access-control-allow-credentials')).toBe(false);
        expect(answer.headers.get('access-control-allow-origin')).toBe(service === any ? '*' : null);
      }
    }
  });

  it('vary by origin, even for requests without one', async () => {
    const answer = await fetch(`${exact!.url}/openapi.json`);
    expect(answer.headers.get('vary')).toMatch(/\bOrigin\b/i);
  });
});

describe('CORS has no effect on', () => {
  it.each(['/healthz', '/readyz', '/metrics'])('%s, which is for operators', async (path) => {
    expect(corsOf(await fetch(`${any!.url}${path}`, { headers: { origin: APP } }))).toEqual({});
    const answer = await preflight(any!, APP, path);
    expect([answer.status, corsOf(answer)]).toEqual([405, {}]);
  });

  it('OPTIONS requests that are not preflights', async () => {
    const answer = await fetch(`${any!.url}/v2/render_sessions`, { method: 'OPTIONS' });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('GET, HEAD, POST');
  });
});
