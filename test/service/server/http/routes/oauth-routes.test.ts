import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp, TOKENS } from '../../../../support/service-app.ts';

let service: TestApp;
beforeAll(async () => {
  service = await startApp({ settings: { accessTokenMinutes: 30 } });
});
afterAll(() => service.close());

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const CLIENT = { client_id: 'tok_acme', client_secret: TOKENS.acme };
const GRANT = { grant_type: 'client_credentials' };

const post = (body: unknown, headers: Record<string, string> = {}) =>
  service.as(null)('POST', '/oauth/token', { body, headers });
const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` });

describe('POST /oauth/token', () => {
  it.each([
    ['JSON', () => post({ ...CLIENT, ...GRANT })],
    ['a form', () => post(new URLSearchParams({ ...CLIENT, ...GRANT }).toString(), FORM)],
    ['HTTP Basic', () => post(GRANT, basic(`tok_acme:${encodeURIComponent(TOKENS.acme)}`))],
    [
      'HTTP Basic with the id in the body too',
      () => post({ ...GRANT, client_id: 'tok_acme' }, basic(`tok_acme:${TOKENS.acme}`)),
    ],
    ['parameters that it does not know', () => post({ ...CLIENT, ...GRANT, audience: 'x', n: 1 })],
  ])('issues an access token for %s', async (_name, ask) => {
    const answer = await ask();
    expect(answer).toMatchObject({ status: 200, body: { token_type: 'Bearer' } });
    expect(answer.body.expires_in).toBeGreaterThan(1790);
    expect(answer.body.expires_in).toBeLessThanOrEqual(1800);
    expect(answer.body.scope.split(' ')).toContain('render_session:write');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect((await service.as(answer.body.access_token)('GET', '/v2/render_sessions')).status).toBe(200);
  });

  it('issues the requested scopes that the client has', async () => {
    const { body } = await post({ ...CLIENT, ...GRANT, scope: 'render_session:read' });
    expect(body.scope).toBe('render_session:read');
    expect((await service.as(body.access_token)('POST', '/v2/render_sessions', { body: {} })).status).toBe(403);
    const reader = { client_id: 'tok_reader', client_secret: TOKENS.reader };
    for (const scope of ['render_session:write', 'render_session:read render_session:write', 'x', '']) {
      expect(await post({ ...reader, ...GRANT, scope })).toMatchObject({
        status: 400,
        body: { error: 'invalid_scope' },
      });
    }
  });

  it.each([
    ['an unknown id', { ...CLIENT, client_id: 'tok_none' }],
    ['the id of another client', { ...CLIENT, client_id: 'tok_other' }],
    ['another secret', { ...CLIENT, client_secret: 'rf_x' }],
    ['the secret of another client', { ...CLIENT, client_secret: TOKENS.other }],
    ['an empty secret', { ...CLIENT, client_secret: '' }],
  ])('rejects %s with the same answer as any wrong client', async (_name, client) => {
    const answer = await post({ ...client, ...GRANT });
    const expected = await post({ client_id: 'a', client_secret: 'b', ...GRANT });
    expect(answer).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
    expect(answer.body).toEqual(expected.body);
    expect(answer.headers.get('www-authenticate')).toMatch(/^Basic /);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  it('rejects access tokens and edit tokens as client secrets', async () => {
    const { body } = await post({ ...CLIENT, ...GRANT });
    for (const client_id of ['tok_acme', 'tok_0', 'tok_1']) {
      const answer = await post({ client_id, client_secret: body.access_token, ...GRANT });
      expect(answer).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
    }
  });

  it.each([
    ['no grant_type', { ...CLIENT }, {}, 'invalid_request'],
    ['another grant_type', { ...CLIENT, grant_type: 'password' }, {}, 'unsupported_grant_type'],
    ['two ways to authenticate', { ...CLIENT, ...GRANT }, basic('a:b'), 'invalid_request'],
    ['no JSON', '{', { 'content-type': 'application/json' }, 'invalid_request'],
    ['a field twice', '{"grant_type":"x","grant_type":"y"}', { 'content-type': 'application/json' }, 'invalid_request'],
    ['a parameter twice', 'grant_type=x&grant_type=y', FORM, 'invalid_request'],
  ])('answers %s with 400', async (_name, body, headers, error) => {
    const answer = await post(body, headers as Record<string, string>);
    expect(answer).toMatchObject({ status: 400, body: { error, error_description: expect.any(String) } });
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  });

  it('asks a client without credentials to authenticate', async () => {
    for (const body of [
      GRANT,
      undefined,
      { ...GRANT, client_id: 'tok_acme' },
      { ...CLIENT, ...GRANT, client_secret: 7 },
    ]) {
      const answer = await post(body);
      expect(answer.status).toBe(401);
    }
  });

  it('rejects other content types and large bodies with a problem document', async () => {
    expect(await post('x', { 'content-type': 'text/plain' })).toMatchObject({
      status: 415,
      body: { code: 'unsupported_media_type', detail: expect.stringContaining('x-www-form-urlencoded') },
    });
    expect(await post({ ...CLIENT, ...GRANT, x: 'x'.repeat(20_000) })).toMatchObject({ status: 413 });
    expect((await service.as(null)('GET', '/oauth/token')).status).toBe(405);
  });

  it('issues at most 60 tokens a minute per client without affecting other clients', async () => {
    const limited = await startApp();
    const ask = (client: object) => limited.as(null)('POST', '/oauth/token', { body: { ...client, ...GRANT } });
    for (let n = 0; n < 60; n++) expect((await ask(CLIENT)).status).toBe(200);
    const refused = await ask(CLIENT);
    expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await ask({ client_id: 'tok_other', client_secret: TOKENS.other })).status).toBe(200);
    await limited.close();
  });
});
