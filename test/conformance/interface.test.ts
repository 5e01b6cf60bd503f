import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiAnswer } from '../support/api.ts';
import { openTarget, PATIENCE_MS, requestFor, type Target, untilDone } from './target.ts';

/**
 * The interface document, sentence by sentence. Anything that it leaves open is allowed, including additional fields, headers and
 * statuses.
 */
let target: Target;
let specs: ApiAnswer;
let request: Record<string, unknown>;
let created: ApiAnswer;
/** Every poll of the session until its end. */
const looks: ApiAnswer[] = [];

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
// biome-ignore lint/suspicious/noExplicitAny: any JSON
type Any = any;

beforeAll(async () => {
  target = await openTarget();
  specs = await target.api('GET', `/v2/template_style_versions/${target.styleVersionId}/specs`);
  request = requestFor(specs.body.style_version, target);
  created = await target.api('POST', '/v2/render_sessions', { body: request });
  looks.push(...(await untilDone(target, created.body.render_session.id)));
}, PATIENCE_MS);
afterAll(() => target.close());

describe('2.1 the style version', () => {
  const editables = (): [string, Any][] => Object.entries(specs.body.style_version.editables);
  const ofKinds = (...kinds: string[]): [string, Any][] =>
    editables().filter(([, { input_type }]) => kinds.includes(input_type));

  it('is returned under the key style_version', () => {
    expect(specs.body).toHaveProperty('style_version');
  });

  it('has its id, which is the value used to create a session', () => {
    expect(specs.body.style_version.id).toBe(target.styleVersionId);
  });

  it('has editables, a map from key to description', () => {
    expect(specs.body.style_version.editables).toEqual(expect.any(Object));
    expect(Array.isArray(specs.body.style_version.editables)).toBe(false);
    expect(editables().length).toBeGreaterThan(0);
    for (const [key, editable] of editables()) expect(editable, key).toEqual(expect.any(Object));
  });

  it('has fonts, an array of strings', () => {
    expect(Array.isArray(specs.body.style_version.fonts)).toBe(true);
    for (const font of specs.body.style_version.fonts) expect(font).toEqual(expect.any(String));
  });

  it('keys colours and texts by a letter and a number', () => {
    for (const [key, { input_type }] of ofKinds('color', 'text')) {
      expect(key).toMatch(/^[a-z]_\d{2,}$/);
      if (input_type === 'color') expect(key).toMatch(/^c/);
      if (input_type === 'text') expect(key).toMatch(/^t/);
    }
  });

  it('keys images by a footage path', () => {
    for (const [key] of ofKinds('image')) expect(key).toMatch(/^\(Footage\)\/USER\/[^/]+$/);
  });

  it('gives each editable an input_type and stillcut', () => {
    for (const [key, editable] of editables()) {
      expect(editable.input_type, key).toEqual(expect.any(String));
      expect(editable.stillcut, key).toEqual(expect.any(String));
    }
  });

  it('gives colours and texts an example and fonts', () => {
    for (const [key, editable] of ofKinds('color', 'text')) {
      expect(editable.example_text, key).toEqual(expect.any(String));
      expect(Array.isArray(editable.fonts), key).toBe(true);
      for (const font of editable.fonts) expect(font, key).toEqual(expect.any(String));
    }
  });

  it('writes colours in hexadecimal without #', () => {
    for (const [key, { example_text }] of ofKinds('color'))
      expect(example_text, key).toMatch(/^(?:[0-9a-f]{6}|[0-9a-f]{8})$/i);
  });

  it('gives images a width and height in whole pixels', () => {
    for (const [key, { width, height }] of ofKinds('image')) {
      expect(Number.isInteger(width) && width > 0, key).toBe(true);
      expect(Number.isInteger(height) && height > 0, key).toBe(true);
    }
  });
});

describe('2.2 the mapping', () => {
  const mapping = (): Any => created.body.render_session.mapping;

  it('has an id that the service assigned', () => {
    expect(request.mapping).not.toHaveProperty('id');
    expect(mapping().id).toMatch(/./);
  });

  it('has the style version and the resources of the request, under the same keys', () => {
    const sent = request.mapping as Any;
    expect(mapping().template_style_version_id).toBe(sent.template_style_version_id);
    expect(Object.keys(mapping().resources).sort()).toEqual(Object.keys(sent.resources).sort());
    expect(mapping().resources).toMatchObject(sent.resources);
  });

  it('is the same when the session is read', () => {
    expect(looks.at(-1)!.body.render_session.mapping).toMatchObject(request.mapping as object);
    expect(looks.at(-1)!.body.render_session.mapping.id).toBe(mapping().id);
  });
});

describe('2.3 the render session', () => {
  const first = (): Any => created.body.render_session;
  const last = (): Any => looks.at(-1)!.body.render_session;

  it('has an id, the same in each poll', () => {
    expect(first().id).toEqual(expect.stringMatching(/./));
    for (const { body } of looks) expect(body.render_session.id).toBe(first().id);
  });

  it('has the title as it was sent', () => {
    for (const session of [first(), last()]) expect(session.title).toBe(request.title);
  });

  it('has a status, a string', () => {
    for (const session of [first(), last()]) expect(session.status).toEqual(expect.any(String));
  });

  it('has a whole render_progress: 0 at creation, 100 when it is rendered', () => {
    for (const { body } of looks) expect(Number.isInteger(body.render_session.render_progress)).toBe(true);
    expect(first().render_progress).toBe(0);
    expect(last().render_progress).toBe(100);
  });

  it('has thumbnails: empty at creation, image URLs once it is rendered', () => {
    expect(first().thumbnails).toEqual([]);
    expect(last().thumbnails.length).toBeGreaterThan(0);
    for (const url of last().thumbnails) expect(new URL(url).protocol).toMatch(/^https?:$/);
  });

  it('has a video_url: null until the video is ready, then a URL', () => {
    expect(first().video_url).toBeNull();
    for (const { body } of looks.slice(0, -1)) expect(body.render_session.video_url).toBeNull();
    expect(new URL(last().video_url).protocol).toMatch(/^https?:$/);
  });

  it('has errors, empty at creation', () => {
    expect(first().errors).toEqual([]);
  });

  it('has created_at and updated_at in ISO 8601, UTC, with milliseconds', () => {
    for (const session of [first(), last()]) {
      expect(session.created_at).toMatch(TIMESTAMP);
      expect(session.updated_at).toMatch(TIMESTAMP);
      expect(Date.parse(session.updated_at)).toBeGreaterThanOrEqual(Date.parse(session.created_at));
    }
    expect(last().created_at).toBe(first().created_at);
  });

  it('has audio_tracks and font_changes, empty objects at creation', () => {
    expect(first().audio_tracks).toEqual({});
    expect(first().font_changes).toEqual({});
  });

  it('has source_uploads and fonts, empty arrays at creation', () => {
    expect(first().source_uploads).toEqual([]);
    expect(first().fonts).toEqual([]);
  });
});

describe('3 states and transitions', () => {
  it('begins with preview_rendering: progress 0, no video, no errors', () => {
    expect(created.body.render_session).toMatchObject({
      status: 'preview_rendering',
      render_progress: 0,
      video_url: null,
      errors: [],
    });
  });

  it('ends with preview_rendered: progress 100, a video, thumbnails', () => {
    const { status, errors } = looks.at(-1)!.body.render_session;
    expect(status, JSON.stringify(errors)).toBe('preview_rendered');
  });

  it('passes through no other state', () => {
    for (const { body } of looks.slice(0, -1)) expect(body.render_session.status).toBe('preview_rendering');
  });

  it('stays rendered, with the same video', async () => {
    const { id, video_url } = looks.at(-1)!.body.render_session;
    const again = await target.api('GET', `/v2/render_sessions/${id}`);
    expect(again.body.render_session).toMatchObject({ status: 'preview_rendered', render_progress: 100, video_url });
  });
});

describe('4 the endpoints', () => {
  it('4.1 GET specs answers 200 in JSON', () => {
    expect(specs.status).toBe(200);
    expect(specs.headers.get('content-type')).toMatch(/^application\/json/);
  });

  it('4.2 POST render_sessions answers 201 with the session under render_session', () => {
    expect(created.status).toBe(201);
    expect(created.headers.get('content-type')).toMatch(/^application\/json/);
    expect(created.body).toHaveProperty('render_session');
  });

  it('4.3 GET a session answers 200 with the session under render_session', () => {
    for (const look of looks) {
      expect(look.status).toBe(200);
      expect(look.headers.get('content-type')).toMatch(/^application\/json/);
      expect(look.body).toHaveProperty('render_session');
    }
  });

  it('4.3 lets the video be fetched from video_url', async () => {
    const answer = await fetch(looks.at(-1)!.body.render_session.video_url, { headers: { range: 'bytes=0-0' } });
    expect([200, 206]).toContain(answer.status);
    await answer.arrayBuffer();
  });
});

describe('5 authentication', () => {
  it('requires the header Authorization: Bearer', async () => {
    const { id } = created.body.render_session;
    for (const answer of [
      await target.anyone('GET', `/v2/template_style_versions/${target.styleVersionId}/specs`),
      await target.anyone('GET', `/v2/render_sessions/${id}`),
      await target.anyone('POST', '/v2/render_sessions', { body: request }),
    ]) {
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.status).toBeLessThan(500);
      expect(answer.body).not.toHaveProperty('render_session');
      expect(answer.body).not.toHaveProperty('style_version');
    }
  });
});

describe('9 versioning', () => {
  it('lets a mapping refer to one style version, by its id', async () => {
    const mapping = { ...(request.mapping as object), template_style_version_id: 'tsv_that_is_not_there' };
    const answer = await target.api('POST', '/v2/render_sessions', { body: { ...request, mapping } });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
  });
});
