import { randomBytes } from 'node:crypto';
import { BufferSource, Input, MP4 } from 'mediabunny';
import { expect, it } from 'vitest';
import { writePackageZip } from '../../../src/template/archive/write-zip.ts';
import { untilEnded } from '../../support/api.ts';
import { describeOnDatabases } from '../../support/databases.ts';
import { sessionBody, startService } from '../../support/running-service.ts';
import { smallAnimation, smallPackageFiles } from '../../support/small-package.ts';

const PHOTO = '(Footage)/USER/photo.png';
type Json = Record<string, unknown>;

function scene(styleVersion: string, id: string, more: Json = {}, resources: Json = {}) {
  return { id, mapping: sessionBody(styleVersion, resources).mapping, ...more };
}

/** An intro, two products with a transition, and an outro whose length is set. */
function spring(styleVersion: string) {
  const transition = { type: 'slide', direction: 'left', duration: 0.4 };
  return [
    scene(styleVersion, 'intro'),
    scene(styleVersion, 'product/lamp', { transition }, { c_01: { source: { text: '#00ff00' } } }),
    scene(styleVersion, 'product/chair', { transition }, { c_01: { source: { text: '0000FF' } } }),
    scene(styleVersion, 'outro', { seconds: 2.5, timing: [{ hold: 5 }] }),
  ];
}

describeOnDatabases('a session with scenes', (databases) => {
  it('renders all scenes to one video, and answers with them', async () => {
    const { client, styleVersion } = await startService(await databases.address());
    const { api } = await client();
    const request = { title: 'Spring', render: 'preview', scenes: spring(styleVersion) };
    const dry = await api('POST', '/v2/render_sessions?dry_run=true', { body: request });
    expect(dry.body).toMatchObject({ valid: true, errors: [], warnings: [], estimate: { frames: 55 } });
    const { status, body } = await api('POST', '/v2/render_sessions', { body: request });
    expect({ status, session: body.render_session }).toMatchObject({
      status: 201,
      session: { status: 'preview_rendering', frames: 55, mapping: { template_style_version_id: styleVersion } },
    });
    const session = await untilEnded(api, body.render_session.id);
    expect(session).toMatchObject({ status: 'preview_rendered', usage: { frames: 55 }, errors: [] });
    expect(session.scenes).toHaveLength(4);
    expect(session.scenes[1]).toMatchObject({
      id: 'product/lamp',
      mapping: { resources: { c_01: { source: { text: '00ff00' } } } },
      transition: { type: 'slide', direction: 'left', duration: 0.4 },
    });
    expect(session.scenes[3]).toMatchObject({ seconds: 2.5, timing: [{ hold: 5 }] });
    const video = Buffer.from(await (await fetch(session.video_url)).arrayBuffer());
    const track = await new Input({ source: new BufferSource(video), formats: [MP4] }).getPrimaryVideoTrack();
    expect((await track!.computePacketStats()).packetCount).toBe(55);
    const stills = (session.thumbnails as string[]).map((url) => url.replace(/^.*\//, ''));
    expect(stills).toEqual([
      'intro.stillcut_01.jpg',
      expect.stringMatching(/^product-lamp\.stillcut_01\.[0-9a-f]{8}\.jpg$/),
      expect.stringMatching(/^product-chair\.stillcut_01\.[0-9a-f]{8}\.jpg$/),
      'outro.stillcut_01.jpg',
    ]);
    for (const url of session.thumbnails) expect((await fetch(url)).status).toBe(200);
  });

  it('refuses a video of another length than the request expects, before anything is rendered', async () => {
    const { client, styleVersion } = await startService(await databases.address());
    const { api } = await client();
    const request = { title: 'Spring', render: 'preview', scenes: spring(styleVersion), frames: 56 };
    const { status, body } = await api('POST', '/v2/render_sessions', { body: request });
    expect(status).toBe(422);
    expect(body.errors).toMatchObject([{ code: 'frames_differ', pointer: '#/frames' }]);
    expect((await api('GET', '/v2/render_sessions')).body.render_sessions).toEqual([]);
    const right = await api('POST', '/v2/render_sessions', { body: { ...request, frames: 55 } });
    expect(right.body.render_session.frames).toBe(55);
  });

  it('reports all mistakes of all scenes at once, each with its scene and its pointer', async () => {
    const { client, styleVersion } = await startService(await databases.address());
    const { api } = await client();
    const [intro, lamp, chair, outro] = spring(styleVersion);
    const scenes = [
      { ...intro, mapping: { ...intro!.mapping, resources: { t_01: { source: { text: 'Hi' } } } } },
      { ...lamp, transition: { type: 'fade', duration: 3 } },
      { ...chair, id: 'CHAIR', seconds: 0.5 },
      { ...outro, audio_tracks: { music: { source: { remote_url: 'ftp://example.com' } } } },
    ];
    const { status, body } = await api('POST', '/v2/render_sessions', {
      body: { title: 'Spring', render: 'preview', scenes, audio_tracks: { '': {} } },
    });
    expect({ status, code: body.code }).toEqual({ status: 422, code: 'mapping_invalid' });
    expect(body.errors.map(({ code, pointer, scene }: Json) => [code, pointer, scene])).toEqual([
      ['missing_editable', '#/scenes/0/mapping/resources', 'intro'],
      ['invalid_url', '#/scenes/3/audio_tracks/music/source/remote_url', 'outro'],
      ['definition_invalid', '#/audio_tracks', undefined],
      ['scene_too_short', '#/scenes/2/seconds', 'CHAIR'],
    ]);
    const twice = await api('POST', '/v2/render_sessions', {
      body: { title: 'Spring', render: 'preview', scenes: [intro, { ...lamp, id: 'INTRO' }] },
    });
    expect(twice.body.errors).toMatchObject([{ code: 'scene_id', pointer: '#/scenes/1/id' }]);
    const long = await api('POST', '/v2/render_sessions', {
      body: {
        title: 'Spring',
        render: 'preview',
        scenes: [intro, { ...lamp, transition: { type: 'fade', duration: 3 } }],
      },
    });
    expect(long.body.errors).toMatchObject([
      { code: 'transition_too_long', pointer: '#/scenes/1/transition/duration', scene: 'product/lamp' },
    ]);
  });

  it('refuses unknown templates, fields of both kinds, and more scenes than the limit', async () => {
    const { client, styleVersion } = await startService(await databases.address());
    const { api } = await client();
    const [intro, lamp] = spring(styleVersion);
    const post = (body: Json) =>
      api('POST', '/v2/render_sessions', { body: { title: 'Spring', render: 'preview', ...body } });
    const unknown = await post({
      scenes: [intro, { ...lamp, mapping: { template_style_version_id: 'tsv_no', resources: {} } }],
    });
    expect([unknown.status, unknown.body.errors]).toMatchObject([
      404,
      [{ pointer: '#/scenes/1/mapping/template_style_version_id', scene: 'product/lamp' }],
    ]);
    const both = await post({ ...sessionBody(styleVersion), scenes: [intro] });
    expect([both.status, both.body.errors]).toMatchObject([400, [{ pointer: '#/scenes' }]]);
    const rate = await post({ ...sessionBody(styleVersion), rate: 30 });
    expect([rate.status, rate.body.errors]).toMatchObject([400, [{ pointer: '#/rate' }]]);
    const many = await post({ scenes: Array.from({ length: 201 }, (_, at) => ({ ...intro, id: `s${at}` })) });
    expect([many.status, many.body.errors]).toMatchObject([400, [{ pointer: '#/scenes' }]]);
    const neither = await post({});
    expect([neither.status, neither.body.errors]).toMatchObject([400, [{ detail: 'mapping is missing' }]]);
  });

  it('refuses more frames and larger animations than a video may have, although each scene may have them', async () => {
    const { client } = await startService(await databases.address());
    const { api } = await client();
    // Random digits, which no archive compresses far.
    const noise = randomBytes(600_000).toString('hex');
    const animation = JSON.stringify({ ...smallAnimation(), noise });
    const zip = writePackageZip(smallPackageFiles({ 'animation.json': animation }));
    const headers = { 'content-type': 'application/zip' };
    const uploaded = await api('POST', '/v2/template_style_versions', { body: zip, headers });
    const { id } = uploaded.body.style_version;
    const path = `/v2/template_style_versions/${id}`;
    await expect.poll(async () => (await api('GET', path)).body.style_version.status).toBe('edit_ready');
    const dry = async (body: Json) => {
      const answer = await api('POST', '/v2/render_sessions?dry_run=true', { body: { title: 'Spring', ...body } });
      return answer.body.errors;
    };
    const scenes = (count: number) => Array.from({ length: count }, (_, at) => scene(id, `s${at}`));
    expect(await dry({ scenes: scenes(150) })).toEqual([]);
    expect(await dry({ scenes: scenes(200) })).toMatchObject([{ code: 'scenes_too_large', pointer: '#/scenes' }]);

    const long = scenes(2).map((one) => ({ ...one, seconds: 500, timing: [{ hold: 5 }] }));
    expect(await dry({ scenes: long, rate: 120 })).toMatchObject([{ pointer: '#/rate' }]);
    expect(await dry({ scenes: long, rate: 120, output: { fps: 60 } })).toEqual([]);
    expect(await dry({ scenes: long, rate: 60 })).toEqual([]);
  });

  it('reports a source that fails, with its scene', async () => {
    const { client, styleVersion } = await startService(await databases.address());
    const { api } = await client();
    const [intro] = spring(styleVersion);
    const broken = scene(
      styleVersion,
      'broken',
      {},
      { [PHOTO]: { source: { remote_url: 'http://127.0.0.1:9/a.png' } } },
    );
    const { body } = await api('POST', '/v2/render_sessions', {
      body: { title: 'Spring', render: 'preview', scenes: [intro, broken] },
    });
    const session = await untilEnded(api, body.render_session.id);
    expect(session).toMatchObject({
      status: 'preview_failed',
      errors: [
        {
          scene: 'broken',
          editable: PHOTO,
          pointer: '#/scenes/1/mapping/resources/(Footage)~1USER~1photo.png/source/remote_url',
        },
      ],
      source_uploads: [{ scene: 'broken', key: PHOTO, status: 'failed' }],
    });
  });

  it('keeps a draft, which names unfilled editables by their scenes and cannot be changed', async () => {
    const { client, styleVersion } = await startService(await databases.address());
    const { api } = await client();
    const [intro, lamp] = spring(styleVersion);
    const draft = {
      title: 'Spring',
      scenes: [{ ...intro, mapping: { template_style_version_id: styleVersion } }, lamp],
    };
    const { body } = await api('POST', '/v2/render_sessions', { body: draft });
    const { id, missing_editables } = body.render_session;
    expect(missing_editables).toEqual(['intro.t_01', 'intro.c_01']);
    const changed = await api('PATCH', `/v2/render_sessions/${id}`, { body: { mapping: { resources: {} } } });
    expect([changed.status, changed.body.code]).toEqual([409, 'wrong_state']);
    const started = await api('POST', `/v2/render_sessions/${id}/render`);
    expect([started.status, started.body.errors.map(({ scene }: Json) => scene)]).toEqual([422, ['intro', 'intro']]);
  });

  it('is listed for the style version of any scene', async () => {
    const { client, styleVersion } = await startService(await databases.address());
    const { api } = await client();
    await api('POST', '/v2/render_sessions', { body: { title: 'Spring', scenes: spring(styleVersion) } });
    const listed = await api('GET', `/v2/render_sessions?template_style_version_id=${styleVersion}`);
    expect(listed.body.render_sessions).toHaveLength(1);
    const other = await api('GET', '/v2/render_sessions?template_style_version_id=tsv_other');
    expect(other.body.render_sessions).toHaveLength(0);
  });
});
