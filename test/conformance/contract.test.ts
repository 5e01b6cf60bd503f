import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { defined } from '../../src/kernel/defined.ts';
import type { Api, ApiAnswer } from '../support/api.ts';
import { openTarget, PATIENCE_MS, requestFor, type Target, untilDone } from './target.ts';

/**
 * Our additions to the interface document. A service without an addition answers 404 or 405, and its test is skipped.
 * Our own service must have all of them.
 */
let target: Target;
let api: Api;
let request: Record<string, unknown>;
let draft: Record<string, unknown>;
/** A rendered session. */
// biome-ignore lint/suspicious/noExplicitAny: any JSON
let rendered: any;

beforeAll(async () => {
  target = await openTarget();
  api = target.api;
  const specs = await api('GET', `/v2/template_style_versions/${target.styleVersionId}/specs`);
  request = requestFor(specs.body.style_version, target);
  const { render: _, ...rest } = request;
  draft = rest;
  const { body } = await api('POST', '/v2/render_sessions', { body: request });
  rendered = await ended(body.render_session.id);
}, PATIENCE_MS);
afterAll(() => target.close());

async function ended(id: string): Promise<typeof rendered> {
  return (await untilDone(target, id)).at(-1)!.body.render_session;
}

/** Skips the rest of a test when the service lacks the tested addition. Our own service may not lack it. */
function needs(context: TestContext, isThere: boolean, what: string): void {
  if (!isThere && !target.isOurs) context.skip(`the service lacks ${what}`);
}

/** Returns the answer of an endpoint that a service may lack. */
async function ask(context: TestContext, ...call: Parameters<Api>): Promise<ApiAnswer> {
  const answer = await api(...call);
  needs(context, ![404, 405, 501].includes(answer.status), `${call[0]} ${call[1]}`);
  return answer;
}

function isProblem(answer: ApiAnswer, status: number, code?: string): void {
  expect(answer.status).toBe(status);
  expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  for (const field of ['type', 'title', 'detail', 'instance', 'code', 'request_id']) {
    expect(answer.body[field], field).toEqual(expect.any(String));
  }
  expect(answer.body).toMatchObject({ status, ...defined({ code }) });
  for (const one of answer.body.errors) {
    expect(one).toMatchObject({ code: expect.any(String), pointer: expect.any(String), detail: expect.any(String) });
  }
}

async function newDraft(context: TestContext): Promise<string> {
  const answer = await ask(context, 'POST', '/v2/render_sessions', { body: draft });
  needs(context, answer.body.render_session?.status === 'draft', 'drafts');
  expect(answer).toMatchObject({ status: 201, body: { render_session: { status: 'draft', render_progress: 0 } } });
  return answer.body.render_session.id;
}

describe('sessions', () => {
  it('have additional fields', (context) => {
    needs(context, rendered.terminal !== undefined, 'further fields');
    expect(rendered).toMatchObject({
      terminal: true,
      phase: 'done',
      expires_at: null,
      download_url: expect.any(String),
    });
    expect(rendered.usage).toEqual({
      queue_seconds: expect.any(Number),
      render_seconds: expect.any(Number),
      frames: expect.any(Number),
      bytes: expect.any(Number),
    });
    expect(rendered.fonts.length).toBeGreaterThan(0);
  });

  it('are drafts without `render` until they are started', async (context) => {
    const id = await newDraft(context);
    const started = await ask(context, 'POST', `/v2/render_sessions/${id}/render`);
    expect(started).toMatchObject({ status: 200, body: { render_session: { id, status: 'preview_rendering' } } });
    const session = await ended(id);
    expect(session.status).toBe('preview_rendered');
    isProblem(await api('POST', `/v2/render_sessions/${id}/render`), 409, 'wrong_state');
  });

  it('can be canceled repeatedly, but not once they are rendered', async (context) => {
    const id = await newDraft(context);
    for (let times = 0; times < 2; times += 1) {
      const canceled = await ask(context, 'POST', `/v2/render_sessions/${id}/cancel`);
      expect(canceled).toMatchObject({
        status: 200,
        body: { render_session: { status: 'preview_canceled', video_url: null } },
      });
      expect(canceled.body.render_session.errors[0]).toMatchObject({ code: 'canceled' });
    }
    isProblem(await api('POST', `/v2/render_sessions/${rendered.id}/cancel`), 409, 'wrong_state');
  });

  it('can be deleted', async (context) => {
    const id = await newDraft(context);
    expect((await ask(context, 'DELETE', `/v2/render_sessions/${id}`)).status).toBe(204);
    isProblem(await api('GET', `/v2/render_sessions/${id}`), 404, 'not_found');
  });

  it('are listed in pages, newest first', async (context) => {
    const older = await newDraft(context);
    const newer = await newDraft(context);
    const first = await ask(context, 'GET', '/v2/render_sessions?limit=1&status=draft');
    expect(first.body).toMatchObject({ render_sessions: [{ id: newer }], next_cursor: expect.any(String) });
    const [, next] = /^<([^>]+)>; rel="next"$/.exec(first.headers.get('link')!)!;
    const { pathname, search } = new URL(next!, 'http://base');
    const second = await api('GET', pathname + search);
    expect(second.body.render_sessions).toMatchObject([{ id: older }]);
    const cursor = encodeURIComponent(first.body.next_cursor);
    const same = await api('GET', `/v2/render_sessions?limit=1&status=draft&cursor=${cursor}`);
    expect(same.body).toEqual(second.body);
  });

  it('can be validated by a dry run', async (context) => {
    const answer = await ask(context, 'POST', '/v2/render_sessions?dry_run=true', { body: request });
    needs(context, answer.status !== 201, 'dry_run');
    expect(answer).toMatchObject({ status: 200, body: { valid: true, errors: [], warnings: expect.any(Array) } });
    expect(answer.body.estimate).toEqual({ frames: expect.any(Number), render_seconds: expect.any(Number) });
  });

  it('have an ETag, and a Retry-After until they end', async (context) => {
    const { headers } = await api('GET', `/v2/render_sessions/${rendered.id}`);
    const etag = headers.get('etag');
    needs(context, etag !== null, 'ETag');
    const again = await api('GET', `/v2/render_sessions/${rendered.id}`, { headers: { 'if-none-match': etag! } });
    expect(again).toMatchObject({ status: 304, body: '' });
    const created = await api('POST', '/v2/render_sessions', { body: request });
    expect(Number(created.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(created.headers.get('location')).toContain(`/v2/render_sessions/${created.body.render_session.id}`);
    await ended(created.body.render_session.id);
  });

  it('have a public video URL that supports ranges, and a download link', async (context) => {
    needs(context, rendered.download_url !== undefined, 'download_url');
    const part = await fetch(rendered.video_url, { headers: { range: 'bytes=0-3' } });
    expect(part.status).toBe(206);
    expect((await part.arrayBuffer()).byteLength).toBe(4);
    expect(new URL(rendered.video_url).search).toBe('');
    const download = await fetch(rendered.download_url);
    expect(download.status).toBe(200);
    expect(download.headers.get('content-disposition')).toMatch(/^attachment;/);
    expect((await download.arrayBuffer()).byteLength).toBe(rendered.usage.bytes);
  });
});

describe('mappings', () => {
  /** Creates a draft with additional members; a service may reject them only by skipping the test. */
  async function drafted(context: TestContext, mapping: object, more: object = {}) {
    const body = { ...draft, ...more, mapping: { ...(draft.mapping as object), ...mapping } };
    const answer = await api('POST', '/v2/render_sessions', { body });
    needs(context, answer.status === 201, Object.keys({ ...mapping, ...more }).join(' and '));
    expect(answer.status, JSON.stringify(answer.body)).toBe(201);
    return answer.body.render_session;
  }

  it('can have audio tracks, which the session returns', async (context) => {
    if (target.soundUrl === null) return context.skip('REELFORM_CONFORMANCE_SOUND_URL is not set');
    const audio_tracks = { main: { source: { remote_url: target.soundUrl }, transform: { volume: 0.5, loop: true } } };
    const session = await drafted(context, { audio_tracks });
    expect(session).toMatchObject({ audio_tracks, mapping: { audio_tracks } });
  });

  it('can change fonts, which the session returns', async (context) => {
    const { body } = await api('GET', `/v2/template_style_versions/${target.styleVersionId}/specs`);
    const [font] = body.style_version.fonts;
    if (font === undefined) return context.skip('the template has no fonts');
    const [other] = (body.style_version.available_fonts ?? [font]).slice(-1);
    const font_changes = { [font]: { source: { font: other } } };
    const session = await drafted(context, { font_changes });
    expect(session).toMatchObject({ font_changes, mapping: { font_changes } });
  });

  it('are rejected with an unknown font or a track with an invalid URL', async (context) => {
    const mapping = {
      ...(draft.mapping as object),
      audio_tracks: { main: { source: { remote_url: 'file:///etc/passwd' } } },
      font_changes: { 'No-Such-Font': { source: { font: 'No-Such-Font' } } },
    };
    const answer = await api('POST', '/v2/render_sessions', { body: { ...draft, mapping } });
    needs(context, answer.status >= 400, 'checks of tracks and fonts');
    isProblem(answer, 422, 'mapping_invalid');
    const pointers = answer.body.errors.map(({ pointer }: { pointer: string }) => pointer);
    expect(pointers).toEqual(['#/mapping/audio_tracks/main/source/remote_url', '#/mapping/font_changes/No-Such-Font']);
  });

  it('are rendered to the requested output', async (context) => {
    const output = { format: 'mp4', height: 180, fps: 5, quality: 'low' };
    const { id } = await drafted(context, {}, { output });
    const estimate = await api('POST', '/v2/render_sessions?dry_run=true', { body: { ...draft, output } });
    await ask(context, 'POST', `/v2/render_sessions/${id}/render`);
    const session = await ended(id);
    expect(session, JSON.stringify(session.errors)).toMatchObject({ status: 'preview_rendered', output });
    if (session.usage !== undefined && estimate.status === 200) {
      expect(session.usage.frames).toBe(estimate.body.estimate.frames);
      expect(session.usage.frames).not.toBe(rendered.usage.frames);
    }
  });

  it.each([{ format: 'avi' }, { height: 0 }, { fps: -1 }, { quality: 'best' }, { bitrate: 1 }])(
    'are rejected with the output %j',
    async (output) => {
      const answer = await api('POST', '/v2/render_sessions', { body: { ...draft, output } });
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.status).toBeLessThan(500);
    },
  );
});

describe('Idempotency-Key', () => {
  it('makes a request safe to repeat and marks the replay', async (context) => {
    const key = `conformance-${crypto.randomUUID()}`;
    const first = await api('POST', '/v2/render_sessions', { body: draft, headers: { 'idempotency-key': key } });
    needs(context, first.headers.get('idempotency-key') !== null, 'idempotency keys');
    expect(Date.parse(first.headers.get('idempotency-key-expires')!)).toBeGreaterThan(Date.now());
    const second = await api('POST', '/v2/render_sessions', {
      body: draft,
      headers: { 'idempotency-key': `"${key}"` },
    });
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body).toEqual(first.body);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    const body = { ...draft, title: 'Another' };
    const other = await api('POST', '/v2/render_sessions', { body, headers: { 'idempotency-key': key } });
    isProblem(other, 422, 'idempotency_key_reused');
  });
});

describe('errors', () => {
  it('are problem documents, and every answer has a request id', async (context) => {
    const missing = await api('GET', '/v2/render_sessions/rs_that_is_not_there');
    needs(context, /problem\+json/.test(missing.headers.get('content-type') ?? ''), 'problem details');
    isProblem(missing, 404, 'not_found');
    expect(missing.headers.get('x-request-id')).toBe(missing.body.request_id);
    isProblem(await api('PUT', '/v2/render_sessions', { body: {} }), 405, 'method_not_allowed');
    isProblem(
      await api('POST', '/v2/render_sessions', { body: '{', headers: { 'content-type': 'application/json' } }),
      400,
    );
    isProblem(await api('POST', '/v2/render_sessions', { body: 'x', headers: { 'content-type': 'text/plain' } }), 415);
    isProblem(await api('POST', '/v2/render_sessions', { body: { ...draft, unknown: 1 } }), 400, 'bad_request');
    const nobody = await target.anyone('GET', '/v2/render_sessions/rs_1');
    isProblem(nobody, 401, 'unauthorized');
    expect(nobody.headers.get('www-authenticate')).toMatch(/^Bearer/);
    const known = await api('GET', '/v2/render_sessions/rs_1', { headers: { 'x-request-id': 'conformance-1' } });
    expect(known.headers.get('x-request-id')).toBe('conformance-1');
  });

  it('report all mistakes of a mapping at once', async (context) => {
    const mapping = {
      ...(draft.mapping as object),
      resources: { nothing_01: { source: { text: 'x' } }, nothing_02: {} },
    };
    // Without `render` it would be a draft, which may be incomplete.
    const answer = await api('POST', '/v2/render_sessions', { body: { ...draft, render: 'preview', mapping } });
    needs(context, answer.status >= 400, 'checks of mappings');
    isProblem(answer, 422, 'mapping_invalid');
    const pointers = answer.body.errors.map(({ pointer }: { pointer: string }) => pointer);
    expect(pointers).toEqual(
      expect.arrayContaining([
        '#/mapping/resources/nothing_01',
        '#/mapping/resources/nothing_02',
        '#/mapping/resources',
      ]),
    );
  });
});

describe('style versions', () => {
  it('are listed with additional fields', async (context) => {
    const list = await ask(context, 'GET', '/v2/template_style_versions');
    const found = list.body.style_versions.find(({ id }: { id: string }) => id === target.styleVersionId);
    const one = await ask(context, 'GET', `/v2/template_style_versions/${target.styleVersionId}`);
    expect(one.body.style_version).toEqual(found);
    expect(found).toMatchObject({
      status: 'edit_ready',
      errors: [],
      width: expect.any(Number),
      fps: expect.any(Number),
    });
  });

  it('have still cuts', async (context) => {
    const { body } = await ask(context, 'GET', `/v2/template_style_versions/${target.styleVersionId}`);
    const [name] = Object.keys(body.style_version.stillcuts);
    const answer = await ask(
      context,
      'GET',
      `/v2/template_style_versions/${target.styleVersionId}/stillcuts/${name}.png`,
    );
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('image/png');
  });
});

describe('source uploads', () => {
  it('turn bytes into a source once', async (context) => {
    const headers = { 'content-type': 'application/octet-stream' };
    const call = ['POST', '/v2/source_uploads', { body: PIXEL, headers }] as const;
    const first = await ask(context, ...call);
    expect([200, 201]).toContain(first.status);
    expect(first.body).toMatchObject({
      remote_url: expect.any(String),
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      bytes: PIXEL.length,
    });
    const second = await api(...call);
    expect(second).toMatchObject({ status: 200, body: first.body });
  });
});

describe('operations', () => {
  it('are described by an OpenAPI document and monitored', async (context) => {
    const document = await ask(context, 'GET', '/openapi.json');
    expect(document.body).toMatchObject({
      openapi: expect.stringMatching(/^3\.1/),
      paths: { '/v2/render_sessions': expect.any(Object) },
    });
    expect((await ask(context, 'GET', '/healthz')).status).toBe(200);
    expect((await ask(context, 'GET', '/readyz')).status).toBe(200);
    expect((await ask(context, 'GET', '/metrics')).body).toContain('http_request_duration_seconds');
  });
});

/** A PNG of one pixel. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
