import { createHmac, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { SCOPES } from '../../../src/service/server/ports.ts';
import type { TenantId } from '../../../src/service/sessions/ports.ts';
import { type Api, openApi, untilEnded } from '../../support/api.ts';
import { type After, describeOnDatabases } from '../../support/databases.ts';
import { type RunningService, startService } from '../../support/running-service.ts';
import { believes, openReceiver } from './webhooks/open-test-webhooks.ts';

const TEXT = { t_01: { source: { text: 'Sale' } } };
const EDITOR = 'https://editor.example.com';
const PHOTO = '(Footage)/USER/photo.png';
const COLOR = { c_01: { source: { text: 'EEADA7' } } };

/** Sends requests as public clients of the interface do: client id and secret, JSON, no other headers. */
describeOnDatabases('clients of the interface', (databases) => {
  let service: RunningService;
  const undoing: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    const after: After = (undo) => void undoing.unshift(undo);
    service = await startService(
      await databases.address(after),
      { allowWebhooks: ['127.0.0.1:*'], corsOrigins: [EDITOR] },
      after,
    );
  });
  afterAll(async () => {
    for (const undo of undoing) await undo();
  });

  async function createClient(tenant = `t${randomBytes(6).toString('hex')}`) {
    const { text, record } = await service.server.tokens.create({
      tenant: tenant as TenantId,
      name: 'client',
      scopes: SCOPES,
      expiresAt: null,
    });
    const credentials = { client_id: record.id, client_secret: text };
    const answer = await openApi(service.url, null)('POST', '/oauth/token', {
      body: { ...credentials, grant_type: 'client_credentials' },
    });
    expect(answer.status).toBe(200);
    return { credentials, api: openApi(service.url, answer.body.access_token as string) };
  }

  /** Acts as an editor in a browser, which has only the edit token. */
  async function createDraft(api: Api, mapping: object) {
    const { styleVersion: template_style_version_id } = service;
    const created = await api('POST', '/v2/render_sessions', {
      body: { title: 'TESTING', mapping: { template_style_version_id, ...mapping }, edit_token: true },
    });
    expect(created).toMatchObject({ status: 201, body: { edit_token: expect.stringMatching(/^rf_/) } });
    const { id } = created.body.render_session;
    return {
      id: id as string,
      session: created.body.render_session,
      editor: openApi(service.url, created.body.edit_token),
    };
  }

  it('creates a session that an editor fills and renders with its edit token', async () => {
    const { api } = await createClient();
    const { id, session, editor } = await createDraft(api, {});
    expect(session).toMatchObject({ status: 'draft', missing_editables: ['t_01', 'c_01'], mapping: { resources: {} } });
    expect((await editor('GET', `/v2/render_sessions/${id}`)).body.render_session.status).toBe('draft');
    const specs = await editor('GET', `/v2/template_style_versions/${service.styleVersion}/specs`);
    expect(Object.keys(specs.body.style_version.editables)).toContain('t_01');

    const early = await editor('POST', `/v2/render_sessions/${id}/render`);
    expect(early).toMatchObject({ status: 422, body: { code: 'mapping_invalid' } });
    expect(early.body.errors.map(({ code }: { code: string }) => code)).toEqual([
      'missing_editable',
      'missing_editable',
    ]);

    const patch = (resources: object) =>
      editor('PATCH', `/v2/render_sessions/${id}`, { body: { mapping: { resources } } });
    expect((await patch(TEXT)).body.render_session.missing_editables).toEqual(['c_01']);
    expect((await patch(COLOR)).body.render_session.missing_editables).toEqual([]);
    expect((await editor('POST', `/v2/render_sessions/${id}/render`)).status).toBe(200);
    const ended = await untilEnded(editor, id);
    expect(ended).toMatchObject({ status: 'preview_rendered', mapping: { resources: { ...TEXT, ...COLOR } } });
    expect(ended).not.toHaveProperty('missing_editables');
    expect((await patch(TEXT)).status).toBe(409);
  });

  it('prefills resources and copies a finished mapping into another session', async () => {
    const { api } = await createClient();
    const { id, session, editor } = await createDraft(api, { resources: TEXT });
    expect(session.missing_editables).toEqual(['c_01']);
    await editor('PATCH', `/v2/render_sessions/${id}`, { body: { mapping: { ...session.mapping, resources: COLOR } } });
    await editor('POST', `/v2/render_sessions/${id}/render`);
    await untilEnded(editor, id);
    const { mapping } = (await api('GET', `/v2/render_sessions/${id}`)).body.render_session;
    const { resources, audio_tracks, font_changes } = mapping;
    for (const copied of [
      mapping,
      { template_style_version_id: service.styleVersion, resources, audio_tracks, font_changes },
    ]) {
      const copy = await api('POST', '/v2/render_sessions', {
        body: { title: 'TESTING', render: 'preview', mapping: copied },
      });
      expect(copy).toMatchObject({ status: 201, body: { render_session: { status: 'preview_rendering' } } });
      expect(copy.body.render_session.mapping.id).not.toBe(mapping.id);
    }
  });

  it('restricts an edit token to its session', async () => {
    const { api } = await createClient();
    const { id, editor } = await createDraft(api, {});
    const other = await createDraft(api, {});
    const path = `/v2/render_sessions/${other.id}`;
    const { styleVersion } = service;
    const calls: readonly (readonly [method: string, path: string, status: number])[] = [
      ['GET', path, 404],
      ['PATCH', path, 404],
      ['POST', `${path}/render`, 404],
      ['GET', '/v2/template_style_versions/tsv_other/specs', 404],
      ['GET', `/v3/videos/${id}`, 403],
      ['POST', '/v3/videos', 403],
      ['GET', '/v2/render_sessions', 403],
      ['POST', '/v2/render_sessions', 403],
      ['DELETE', `/v2/render_sessions/${id}`, 403],
      ['POST', `/v2/render_sessions/${id}/cancel`, 403],
      ['POST', `/v2/render_sessions/${id}/external_uploads`, 403],
      ['POST', '/v2/source_uploads', 403],
      ['GET', '/v2/template_style_versions', 403],
      ['GET', `/v2/template_style_versions/${styleVersion}`, 403],
      ['POST', '/v2/template_style_versions', 403],
      ['GET', '/v2/webhook_endpoints', 403],
      ['POST', '/v2/webhook_endpoints', 403],
    ];
    for (const [method, place, status] of calls) {
      const request = method === 'PATCH' ? { body: { mapping: {} } } : {};
      expect([method, place, (await editor(method, place, request)).status]).toEqual([method, place, status]);
    }
    expect((await editor('GET', `/v2/render_sessions/${id}`)).status).toBe(200);
    await api('DELETE', `/v2/render_sessions/${id}`);
    expect((await editor('GET', `/v2/render_sessions/${id}`)).status).toBeGreaterThanOrEqual(401);
  });

  it('accepts the edit token from a page of an allowed origin', async () => {
    const { api } = await createClient();
    const { id, editor } = await createDraft(api, {});
    const path = `/v2/render_sessions/${id}`;
    const preflight = await fetch(service.url + path, {
      method: 'OPTIONS',
      headers: {
        origin: EDITOR,
        'access-control-request-method': 'PATCH',
        'access-control-request-headers': 'authorization, content-type',
      },
    });
    expect(preflight.ok).toBe(true);
    expect(preflight.headers.get('access-control-allow-methods')).toContain('PATCH');
    expect(preflight.headers.get('access-control-allow-headers')).toContain('authorization');
    const answer = await editor('PATCH', path, { body: { mapping: {} }, headers: { origin: EDITOR } });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, EDITOR]);
  });

  it('renders a video immediately and returns it at the top level', async () => {
    const { api } = await createClient();
    const body = {
      title: 'My video',
      mapping: { template_style_version_id: service.styleVersion, resources: { ...TEXT, ...COLOR } },
    };
    const created = await api('POST', '/v3/videos', { body });
    expect(created).toMatchObject({
      status: 201,
      body: { id: expect.stringMatching(/^rs_/), status: 'preview_rendering' },
    });
    const ended = await untilEnded(api, created.body.id);
    expect((await api('GET', `/v3/videos/${created.body.id}`)).body).toEqual(ended);
    const incomplete = { ...body, mapping: { ...body.mapping, resources: TEXT } };
    expect((await api('POST', '/v3/videos', { body: incomplete })).status).toBe(422);
    expect((await api('POST', '/v3/videos', { body: { ...body, render: 'preview' } })).status).toBe(400);
  });

  it("signs webhooks with the client's id over the body only", async () => {
    const { api, credentials } = await createClient();
    const receiver = await openReceiver();
    const body = { url: receiver.url, signature: 'shakr' };
    const standard = await api('POST', '/v2/webhook_endpoints', { body: { url: receiver.url } });
    expect(standard.body.webhook_endpoint).toMatchObject({ signature: 'standard', client_id: null });
    await api('DELETE', `/v2/webhook_endpoints/${standard.body.webhook_endpoint.id}`);
    const made = await api('POST', '/v2/webhook_endpoints', { body });
    expect(made).toMatchObject({
      status: 201,
      body: { webhook_endpoint: { signature: 'shakr', client_id: credentials.client_id } },
    });
    const { id, secret } = made.body.webhook_endpoint;
    expect((await api('PATCH', `/v2/webhook_endpoints/${id}`, { body: { signature: 'standard' } })).status).toBe(400);
    const mapping = { template_style_version_id: service.styleVersion, resources: { ...TEXT, ...COLOR } };
    const video = await untilEnded(api, (await api('POST', '/v3/videos', { body: { title: 'a', mapping } })).body.id);
    const gone = {
      ...mapping,
      resources: { ...mapping.resources, [PHOTO]: { source: { remote_url: 'http://127.0.0.1:1/' } } },
    };
    const failed = await untilEnded(
      api,
      (await api('POST', '/v3/videos', { body: { title: 'b', mapping: gone } })).body.id,
    );
    await api('POST', `/v2/webhook_endpoints/${id}/test`);
    await vi.waitUntil(() => receiver.arrived.length >= 3, { timeout: 40_000, interval: 20 });
    expect(receiver.arrived.map(({ text }) => JSON.parse(text))).toEqual(
      expect.arrayContaining([
        { video_id: video.id, event: 'finish', output_url: video.video_url },
        { video_id: failed.id, event: 'fail', output_url: null },
        { video_id: null, event: 'test', output_url: null },
      ]),
    );
    for (const arrived of receiver.arrived) {
      const digest = createHmac('sha256', credentials.client_id).update(arrived.text).digest('hex');
      expect(arrived.headers['x-shakr-signature']).toBe(`sha256=${digest}`);
      expect(believes(secret, arrived)).toBe(true);
    }
    expect(receiver.arrived).toHaveLength(3);
  });

  it('expires access tokens and edit tokens together with their client', async () => {
    const { api, credentials } = await createClient();
    const { id, editor } = await createDraft(api, {});
    await service.server.tokens.revoke(credentials.client_id);
    expect((await api('GET', '/v2/render_sessions')).status).toBe(401);
    expect((await editor('GET', `/v2/render_sessions/${id}`)).status).toBe(401);
    const again = await openApi(service.url, null)('POST', '/oauth/token', {
      body: { ...credentials, grant_type: 'client_credentials' },
    });
    expect(again).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
  });
});
