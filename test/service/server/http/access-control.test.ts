import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OTHER, startApp, type TestApp, TOKENS } from '../../../support/service-app.ts';
import { SMALL, smallRequest } from '../../../support/small-sessions.ts';

let service: TestApp;
beforeAll(async () => {
  service = await startApp();
});
afterAll(() => service.close());

const PROTECTED: readonly (readonly [string, string, string])[] = [
  ['GET', '/v2/render_sessions', 'render_session:read'],
  ['GET', '/v2/render_sessions/rs_1', 'render_session:read'],
  ['POST', '/v2/render_sessions', 'render_session:write'],
  ['PATCH', '/v2/render_sessions/rs_1', 'render_session:write'],
  ['POST', '/v2/render_sessions/rs_1/render', 'render_session:write'],
  ['POST', '/v3/videos', 'render_session:write'],
  ['GET', '/v3/videos/rs_1', 'render_session:read'],
  ['POST', '/v2/render_sessions/rs_1/cancel', 'render_session:write'],
  ['DELETE', '/v2/render_sessions/rs_1', 'render_session:write'],
  ['POST', '/v2/source_uploads', 'render_session:write'],
  ['GET', '/v2/webhook_endpoints', 'webhook_endpoint:read'],
  ['POST', '/v2/webhook_endpoints/whe_1/rotate_secret', 'webhook_endpoint:write'],
  ['GET', '/v2/template_style_versions', 'template_style_version:read'],
  ['GET', '/v2/template_style_versions/tsv_1', 'template_style_version:read'],
  ['GET', '/v2/template_style_versions/tsv_1/specs', 'template_style_version:read'],
  ['GET', '/v2/template_style_versions/tsv_1/stillcuts/a.png', 'template_style_version:read'],
  ['POST', '/v2/template_style_versions', 'template_style_version:write'],
];

describe('guardRoutes()', () => {
  it.each(PROTECTED)('%s %s requires a token', async (method, path) => {
    const answer = await service.as(null)(method, path);
    expect(answer).toMatchObject({ status: 401, body: { status: 401, code: 'unauthorized' } });
    expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="reelform"');
  });

  it.each(PROTECTED)('%s %s rejects an unknown token', async (method, path) => {
    const answer = await service.as('rf_unknown')(method, path);
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="reelform", error="invalid_token"');
    expect(JSON.stringify(answer.body)).not.toContain('rf_unknown');
  });

  it.each(PROTECTED)('%s %s requires the scope %s', async (method, path, scope) => {
    const answer = await service.as(TOKENS.nothing)(method, path);
    expect(answer).toMatchObject({ status: 403, body: { code: 'missing_scope' } });
    expect(answer.body.detail).toContain(scope);
    expect(answer.headers.get('www-authenticate')).toContain(`scope="${scope}"`);
  });

  it('allows a token exactly what its scopes permit', async () => {
    const reader = service.as(TOKENS.reader);
    expect((await reader('GET', '/v2/render_sessions')).status).toBe(200);
    expect((await reader('POST', '/v2/render_sessions', { body: smallRequest() })).status).toBe(403);
  });

  it.each(['Basic cmY6eA==', 'Bearer', 'Bearer ', 'Bearer a b', 'rf_x', `Bearer ${TOKENS.acme}, Bearer x`])(
    'rejects Authorization: %s',
    async (authorization) => {
      const answer = await service.as(null)('GET', '/v2/render_sessions', { headers: { authorization } });
      expect(answer.status).toBe(401);
    },
  );

  it('accepts the scheme in any case', async () => {
    const headers = { authorization: `bearer ${TOKENS.acme}` };
    expect((await service.as(null)('GET', '/v2/render_sessions', { headers })).status).toBe(200);
  });

  it('answers 404 for resources of another tenant', async () => {
    const { body } = await service.api('POST', '/v2/render_sessions', { body: smallRequest() });
    const other = service.as(TOKENS.other);
    const path = `/v2/render_sessions/${body.render_session.id}`;
    for (const [method, place] of [
      ['GET', path],
      ['POST', `${path}/render`],
      ['POST', `${path}/cancel`],
      ['DELETE', path],
    ] as const) {
      expect((await other(method, place)).status).toBe(404);
    }
    expect((await other('GET', '/v2/render_sessions')).body.render_sessions).toEqual([]);
    expect((await service.api('GET', path)).status).toBe(200);
  });

  it('does not replay answers to the key of another tenant', async () => {
    const request = { body: smallRequest(), headers: { 'idempotency-key': 'shared-between-tenants' } };
    const first = await service.api('POST', '/v2/render_sessions', request);
    const second = await service.as(TOKENS.other)('POST', '/v2/render_sessions', request);
    expect(second.status).toBe(201);
    expect(second.headers.get('idempotent-replayed')).toBeNull();
    expect(second.body.render_session.id).not.toBe(first.body.render_session.id);
  });
});

describe('createTokenLimiter()', () => {
  it('limits an edit token to 120 requests a minute without counting them for its tenant', async () => {
    const { render: _render, ...draft } = smallRequest();
    const { body } = await service.api('POST', '/v2/render_sessions', { body: { ...draft, edit_token: true } });
    const read = (api = service.as(body.edit_token)) => api('GET', `/v2/render_sessions/${body.render_session.id}`);
    for (let n = 0; n < 120; n++) expect((await read()).status).toBe(200);
    const refused = await read();
    expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await read(service.api)).status).toBe(200);
  });
});

describe('createRateLimiter()', () => {
  it('reports the remaining requests in each answer and rejects those over the limit', async () => {
    const limited = await startApp({ settings: { rateLimit: 2, tenantRateLimits: new Map([[OTHER, 1]]) } });
    try {
      const first = await limited.api('GET', '/v2/render_sessions');
      expect(first.headers.get('ratelimit-policy')).toBe('"default";q=2;w=60');
      expect(first.headers.get('ratelimit')).toMatch(/^"default";r=1;t=(?:60|59)$/);
      const second = await limited.api('GET', `/v2/template_style_versions/${SMALL.spec.id}/specs`);
      expect(second.headers.get('ratelimit')).toMatch(/^"default";r=0;t=\d+$/);
      const third = await limited.api('GET', '/v2/render_sessions');
      expect(third).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
      const [, seconds] = /;t=(\d+)$/.exec(third.headers.get('ratelimit')!)!;
      expect(third.headers.get('ratelimit-policy')).toBe('"default";q=2;w=60');
      expect(Number(third.headers.get('retry-after'))).toBeGreaterThanOrEqual(Number(seconds));
      expect((await limited.as(TOKENS.other)('GET', '/v2/render_sessions')).status).toBe(200);
      expect((await limited.as(TOKENS.other)('GET', '/v2/render_sessions')).status).toBe(429);
      expect((await limited.as('rf_unknown')('GET', '/v2/render_sessions')).status).toBe(401);
      expect((await limited.as(null)('GET', '/healthz')).headers.get('ratelimit')).toBeNull();
    } finally {
      await limited.close();
    }
  });

  it('sends no headers without a limit', async () => {
    expect((await service.api('GET', '/v2/render_sessions')).headers.get('ratelimit-policy')).toBeNull();
  });
});
