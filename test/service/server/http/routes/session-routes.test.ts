import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { untilEnded } from '../../../../support/api.ts';
import { startApp, type TestApp } from '../../../../support/service-app.ts';
import { heldRenderer, instantRenderer, SMALL, smallRequest } from '../../../../support/small-sessions.ts';

let service: TestApp;
const held = heldRenderer();
let stuck: TestApp;
beforeAll(async () => {
  service = await startApp({ renderer: instantRenderer() });
  stuck = await startApp({ renderer: held });
});
afterAll(async () => {
  await service.close();
  await stuck.close();
});

const draft = { ...smallRequest(), render: undefined };

describe('POST /v2/render_sessions', () => {
  it('answers 201 with the session, its location and a polling delay', async () => {
    const answer = await stuck.api('POST', '/v2/render_sessions', { body: smallRequest() });
    const { id } = answer.body.render_session;
    expect(answer.status).toBe(201);
    expect(answer.headers.get('location')).toBe(`/v2/render_sessions/${id}`);
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.body.render_session).toMatchObject({
      status: 'preview_rendering',
      phase: 'queued',
      download_url: null,
    });
    expect(answer.headers.get('idempotency-key')).toBeNull();
  });

  it('creates drafts without a polling delay', async () => {
    const answer = await service.api('POST', '/v2/render_sessions', { body: draft });
    expect(answer.body.render_session.status).toBe('draft');
    expect(answer.headers.get('retry-after')).toBeNull();
  });

  it("puts the session's URL below the public URL", async () => {
    const proxied = await startApp({ settings: { publicUrl: 'https://reels.example.com/api' } });
    const answer = await proxied.api('POST', '/v2/render_sessions', { body: draft });
    await proxied.close();
    expect(answer.headers.get('location')).toBe(
      `https://reels.example.com/api/v2/render_sessions/${answer.body.render_session.id}`,
    );
  });

  it('reports all mistakes of a mapping in one 422', async () => {
    const resources = { c_01: { source: { text: 'red' } }, t_02: { source: { text: 'x' } }, 'a/b~c': null };
    const body = { ...draft, mapping: { ...draft.mapping, resources } };
    const answer = await service.api('POST', '/v2/render_sessions', { body });
    expect(answer).toMatchObject({
      status: 422,
      body: { code: 'mapping_invalid', status: 422, instance: '/v2/render_sessions' },
    });
    const pointers = answer.body.errors.map((problem: { pointer: string }) => problem.pointer);
    expect(pointers).toEqual(
      expect.arrayContaining(['#/mapping/resources/t_02', '#/mapping/resources/c_01', '#/mapping/resources/a~1b~0c']),
    );
    expect(Object.keys(answer.body.errors[0]).sort()).toEqual(['code', 'detail', 'pointer']);
  });

  it('reports all mistakes of the request body in one 400', async () => {
    const answer = await service.api('POST', '/v2/render_sessions', {
      body: { title: '', render: true, mapping: {}, extra: 1 },
    });
    expect(answer).toMatchObject({ status: 400, body: { code: 'bad_request' } });
    expect(answer.body.errors.length).toBe(6);
  });

  it('answers 404 for an unknown style version', async () => {
    const body = { ...draft, mapping: { ...draft.mapping, template_style_version_id: 'tsv_none' } };
    expect((await service.api('POST', '/v2/render_sessions', { body })).status).toBe(404);
  });

  it('stores nothing with dry_run=true', async () => {
    const before = (await service.api('GET', '/v2/render_sessions?limit=100')).body.render_sessions.length;
    const answer = await service.api('POST', '/v2/render_sessions?dry_run=true', { body: { ...draft, title: 'Dry' } });
    expect(answer).toMatchObject({ status: 200, body: { valid: true, errors: [], estimate: { frames: 10 } } });
    const resources = { t_01: { source: { text: 'x'.repeat(21) } } };
    const wrong = await service.api('POST', '/v2/render_sessions?dry_run=true', {
      body: { ...draft, mapping: { ...draft.mapping, resources } },
    });
    expect(wrong).toMatchObject({ status: 200, body: { valid: false } });
    expect(wrong.body.errors.length).toBe(1);
    expect(wrong.body.warnings).toMatchObject([{ code: 'missing_editable' }]);
    expect((await service.api('GET', '/v2/render_sessions?limit=100')).body.render_sessions.length).toBe(before);
  });

  it('stores the session with dry_run=false and rejects other values and misspelt parameters', async () => {
    expect((await service.api('POST', '/v2/render_sessions?dry_run=false', { body: draft })).status).toBe(201);
    expect((await service.api('POST', '/v2/render_sessions?dry_run=yes', { body: draft })).status).toBe(400);
    expect((await service.api('POST', '/v2/render_sessions?dry-run=true', { body: draft })).status).toBe(400);
    expect((await service.api('POST', '/v2/render_sessions?dry_run=true&dry_run=false', { body: draft })).status).toBe(
      400,
    );
  });
});

describe('Idempotency-Key', () => {
  it('replays the first answer for any form of the key and marks it', async () => {
    const post = (key: string) =>
      service.api('POST', '/v2/render_sessions', { body: draft, headers: { 'idempotency-key': key } });
    const first = await post('key-1');
    const second = await post('"key-1"');
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(first.headers.get('idempotency-key')).toBe('key-1');
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(second.body).toEqual(first.body);
    for (const name of ['location', 'idempotency-key-expires']) {
      expect(second.headers.get(name)).toBe(first.headers.get(name));
    }
    const keptMs = Date.parse(first.headers.get('idempotency-key-expires')!) - Date.now();
    expect(Math.round(keptMs / 3_600_000)).toBe(24);
  });

  it('rejects the key with any different body', async () => {
    const headers = { 'idempotency-key': 'key-2', 'content-type': 'application/json' };
    const body = JSON.stringify(draft);
    expect((await service.api('POST', '/v2/render_sessions', { body, headers })).status).toBe(201);
    const other = await service.api('POST', '/v2/render_sessions', { body: `${body} `, headers });
    expect(other).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } });
  });

  it('rejects a malformed key before creating anything', async () => {
    const answer = await service.api('POST', '/v2/render_sessions', {
      body: draft,
      headers: { 'idempotency-key': '"open' },
    });
    expect(answer).toMatchObject({ status: 400, body: { code: 'bad_request' } });
  });

  it('ignores keys of rejected requests', async () => {
    const headers = { 'idempotency-key': 'key-3' };
    const wrong = { ...smallRequest(), mapping: { ...draft.mapping, resources: {} } };
    expect((await service.api('POST', '/v2/render_sessions', { body: wrong, headers })).status).toBe(422);
    expect((await service.api('POST', '/v2/render_sessions', { body: draft, headers })).status).toBe(201);
  });

  it('creates one session for concurrent requests', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        service.api('POST', '/v2/render_sessions', { body: draft, headers: { 'idempotency-key': 'key-4' } }),
      ),
    );
    const made = answers.filter(({ status }) => status === 201);
    expect(answers.every(({ status }) => status === 201 || status === 409)).toBe(true);
    expect(new Set(made.map(({ body }) => body.render_session.id)).size).toBe(1);
    expect(made.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1);
  });

  it('makes starting and canceling safe to repeat', async () => {
    const { body } = await stuck.api('POST', '/v2/render_sessions', { body: draft });
    const path = `/v2/render_sessions/${body.render_session.id}`;
    for (const action of ['render', 'cancel']) {
      const headers = { 'idempotency-key': `key-${action}` };
      const first = await stuck.api('POST', `${path}/${action}`, { headers });
      const second = await stuck.api('POST', `${path}/${action}`, { headers });
      expect([first.status, second.status]).toEqual([200, 200]);
      expect(second.body).toEqual(first.body);
      expect(first.headers.get('idempotency-key-expires')).toMatch(/ GMT$/);
      expect(second.headers.get('idempotent-replayed')).toBe('true');
    }
    // The path is part of the request fingerprint.
    const reused = await stuck.api('POST', `${path}/render`, { headers: { 'idempotency-key': 'key-cancel' } });
    expect(reused).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } });
  });
});

describe('GET /v2/render_sessions/{id}', () => {
  it('has an ETag that is stable while the session is unchanged, and answers 304 to it', async () => {
    const { body } = await service.api('POST', '/v2/render_sessions', { body: smallRequest() });
    const path = `/v2/render_sessions/${body.render_session.id}`;
    const session = await untilEnded(service.api, body.render_session.id);
    expect(session).toMatchObject({ status: 'preview_rendered', render_progress: 100 });
    const first = await service.api('GET', path);
    const etag = first.headers.get('etag')!;
    expect(etag).toMatch(/^"[\w-]+"$/);
    expect(first.headers.get('retry-after')).toBeNull();
    for (const header of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const again = await service.api('GET', path, { headers: { 'if-none-match': header } });
      expect(again).toMatchObject({ status: 304, body: '' });
      expect(again.headers.get('etag')).toBe(etag);
    }
    expect((await service.api('GET', path, { headers: { 'if-none-match': '"x"' } })).status).toBe(200);
    expect((await service.api('HEAD', path)).headers.get('etag')).toBe(etag);
  });

  it('sends a polling delay while it renders', async () => {
    const { body } = await stuck.api('POST', '/v2/render_sessions', { body: smallRequest() });
    const path = `/v2/render_sessions/${body.render_session.id}`;
    const before = await stuck.api('GET', path);
    expect(before.headers.get('retry-after')).toBe('1');
    await stuck.api('POST', `${path}/cancel`);
    const after = await stuck.api('GET', path);
    expect(after.headers.get('retry-after')).toBeNull();
    expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'));
    expect(after.body.render_session).toMatchObject({ status: 'preview_canceled', terminal: true, video_url: null });
  });

  it.each(['rs_none', '%00', 'a%2Fb', 'x'.repeat(200), "'--", '%F0%9F%98%80'])(
    'answers 404 for the id %s',
    async (id) => {
      expect(await service.api('GET', `/v2/render_sessions/${id}`)).toMatchObject({
        status: 404,
        body: { code: 'not_found' },
      });
    },
  );
});

describe('POST /v2/render_sessions/{id}/render and /cancel, DELETE', () => {
  it('render a draft once', async () => {
    const { body } = await service.api('POST', '/v2/render_sessions', { body: draft });
    const path = `/v2/render_sessions/${body.render_session.id}`;
    const started = await service.api('POST', `${path}/render`, { body: {} });
    expect(started).toMatchObject({ status: 200, body: { render_session: { status: 'preview_rendering' } } });
    expect(started.headers.get('retry-after')).toBe('1');
    await untilEnded(service.api, body.render_session.id);
    for (const action of ['render', 'cancel']) {
      const answer = await service.api('POST', `${path}/${action}`);
      expect(answer).toMatchObject({ status: 409, body: { code: 'wrong_state' } });
    }
  });

  it('accept only an empty body or {}', async () => {
    const { body } = await service.api('POST', '/v2/render_sessions', { body: draft });
    const path = `/v2/render_sessions/${body.render_session.id}/cancel`;
    const headers = { 'content-type': 'application/json' };
    expect((await service.api('POST', path, { body: { force: true } })).status).toBe(400);
    expect((await service.api('POST', path, { body: '[]', headers })).status).toBe(400);
    for (const request of [{}, { body: '', headers }, { body: {} }]) {
      expect((await service.api('POST', path, request)).status).toBe(200);
    }
  });

  it('delete a session permanently', async () => {
    const { body } = await service.api('POST', '/v2/render_sessions', { body: draft });
    const path = `/v2/render_sessions/${body.render_session.id}`;
    const gone = await service.api('DELETE', path);
    expect(gone).toMatchObject({ status: 204, body: '' });
    expect(gone.headers.get('content-type')).toBeNull();
    expect((await service.api('GET', path)).status).toBe(404);
    expect((await service.api('DELETE', path)).status).toBe(404);
  });
});

describe('GET /v2/render_sessions', () => {
  it('returns linked pages, newest first', async () => {
    const listed = await startApp();
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1) {
      const { body } = await listed.api('POST', '/v2/render_sessions', { body: draft });
      ids.unshift(body.render_session.id);
    }
    const seen: string[] = [];
    let path: string | null = `/v2/render_sessions?limit=2&status=draft&template_style_version_id=${SMALL.spec.id}`;
    while (path !== null) {
      const answer = await listed.api('GET', path);
      expect(answer.status).toBe(200);
      seen.push(...answer.body.render_sessions.map((session: { id: string }) => session.id));
      const link: string | null = answer.headers.get('link');
      expect(link === null).toBe(answer.body.next_cursor === null);
      path = link === null ? null : /^<([^>]+)>; rel="next"$/.exec(link)![1]!;
    }
    expect(seen).toEqual(ids);
    expect((await listed.api('GET', '/v2/render_sessions?status=preview_rendered')).body.render_sessions).toEqual([]);
    await listed.close();
  });

  it.each([
    'limit=0',
    'limit=101',
    'limit=x',
    'limit=1.5',
    'limit=',
    'status=done',
    'cursor=%00',
    'cursor=',
    'x=1',
    'limit=1&limit=2',
    '__proto__=1',
    'toString=1',
    'constructor[prototype]=1',
    'template_style_version_id=%00',
  ])('rejects ?%s', async (query) => {
    const answer = await service.api('GET', `/v2/render_sessions?${query}`);
    expect(answer).toMatchObject({ status: 400, body: { code: 'bad_request' } });
    expect(answer.body.errors[0].pointer).toMatch(/^\?/);
  });
});
