import { BufferSource, Input, MP4 } from 'mediabunny';
import { expect, it, onTestFinished } from 'vitest';
import { untilEnded } from '../../support/api.ts';
import { anyDatabases } from '../../support/databases.ts';
import { startServer } from '../../support/http-server.ts';
import { sessionBody, startService } from '../../support/running-service.ts';
import { solidPng } from '../../support/small-package.ts';

type Json = Record<string, unknown>;

const VTT = 'WEBVTT\n\n00:00.200 --> 00:00.800\nLight that lands\n';
const STYLE = { font: 'Montserrat', size: 20 };

/** Starts a service, and a host of caption files that it may fetch from. */
async function start() {
  const files = new Map<string, Buffer | string>([
    ['/en.vtt', VTT],
    ['/photo.vtt', Buffer.from(solidPng('#00ff00'))],
    ['/page.vtt', '<!doctype html><title>Sign in</title>'],
    ['/utf-16.vtt', Buffer.from(`\ufeff${VTT}`, 'utf16le')],
    ['/latin.vtt', Buffer.from(VTT.replace('Light', 'Stra\xdfe'), 'latin1')],
    ['/empty.vtt', 'WEBVTT\n'],
    ['/large.vtt', `WEBVTT\n\n${'NOTE nothing\n\n'.repeat(150_000)}${VTT.slice(8)}`],
  ]);
  const host = await startServer(({ url }, response) => {
    const body = files.get(url ?? '');
    if (body === undefined) response.writeHead(404).end();
    else response.writeHead(200, { 'content-type': 'text/vtt' }).end(body);
  });
  onTestFinished(() => host.close());
  const service = await startService(await anyDatabases.address(), { allowSources: [new URL(host.url).host] });
  const { api } = await service.client();
  const body = (captions: Json | undefined, more: Json = {}) => {
    return { ...sessionBody(service.styleVersion), ...(captions && { captions }), ...more };
  };
  return {
    api,
    host,
    service,
    body,
    async render(captions: Json | undefined, more: Json = {}) {
      const { status, body: answer } = await api('POST', '/v2/render_sessions', { body: body(captions, more) });
      expect({ status, errors: answer.errors }).toEqual({ status: 201, errors: undefined });
      return untilEnded(api, answer.render_session.id);
    },
  };
}

it('captions at a URL are fetched, drawn and embedded like those in the request', async () => {
  const { api, host, render } = await start();
  const remote = { source: { remote_url: `${host.url}/en.vtt` }, style: STYLE, lang: 'de', embed: true };
  const session = await render(remote);
  expect(session).toMatchObject({
    status: 'preview_rendered',
    captions: remote,
    source_uploads: [{ key: 'captions', status: 'fetched', content_type: 'text/vtt', bytes: VTT.length }],
  });
  const video = Buffer.from(await (await fetch(session.video_url)).arrayBuffer());
  expect([video.includes('tx3g'), video.includes('Light that lands')]).toEqual([true, true]);
  const text = await render({ ...remote, source: { text: VTT } });
  expect(text.video_sha256).toBe(session.video_sha256);
  const plain = await render(undefined);
  expect(plain.video_sha256).not.toBe(session.video_sha256);

  const upload = await api('POST', '/v2/source_uploads', {
    body: Buffer.from(VTT),
    headers: { 'content-type': 'text/vtt' },
  });
  expect([upload.status, upload.body]).toMatchObject([201, { content_type: 'text/vtt', bytes: VTT.length }]);
  const uploaded = await render({ ...remote, source: { remote_url: upload.body.remote_url } });
  expect(uploaded.video_sha256).toBe(session.video_sha256);
});

it('captions of scenes at URLs move with their scenes', async () => {
  const { host, service, render } = await start();
  const { mapping } = sessionBody(service.styleVersion);
  const captions = (source: Json) => ({ source, style: STYLE, fonts: ['Inter'], embed: true });
  const scenes = (source: Json) => [
    { id: 'first', mapping },
    { id: 'second', mapping, captions: captions(source) },
  ];
  const remote = await render(undefined, { mapping: undefined, scenes: scenes({ remote_url: `${host.url}/en.vtt` }) });
  expect(remote.source_uploads).toMatchObject([{ key: 'captions', scene: 'second', status: 'fetched' }]);
  const text = await render(undefined, { mapping: undefined, scenes: scenes({ text: VTT }) });
  expect(remote.video_sha256).toBe(text.video_sha256);
  const video = Buffer.from(await (await fetch(remote.video_url)).arrayBuffer());
  const input = new Input({ source: new BufferSource(video), formats: [MP4] });
  expect((await (await input.getPrimaryVideoTrack())!.computePacketStats()).packetCount).toBe(20);
});

it('a session fails for captions that cannot be used, with a pointer to them', async () => {
  const { host, render } = await start();
  const cases = [
    ['missing.vtt', 'asset_unreachable', 'returned 404'],
    ['photo.vtt', 'asset_type_unsupported', 'is a PNG image, not WebVTT'],
    ['page.vtt', 'asset_type_unsupported', 'not WebVTT'],
    ['utf-16.vtt', 'asset_type_unsupported', 'not WebVTT'],
    ['latin.vtt', 'asset_decode_failed', 'are not encoded as UTF-8'],
    ['empty.vtt', 'asset_decode_failed', 'has no cues'],
    ['large.vtt', 'asset_too_large', '2 MB'],
  ] as const;
  const sessions = await Promise.all(
    cases.map(([path]) => render({ source: { remote_url: `${host.url}/${path}` }, style: STYLE })),
  );
  expect(sessions).toMatchObject(
    cases.map(([, code, words]) => ({
      status: 'preview_failed',
      errors: [{ code, pointer: '#/captions/source/remote_url', detail: expect.stringContaining(words) }],
      source_uploads: [{ key: 'captions', status: 'failed' }],
    })),
  );
});

it('captions are not fetched from hosts that the service may not contact', async () => {
  const { host, render, service } = await start();
  const { mapping } = sessionBody(service.styleVersion);
  const captions = { source: { remote_url: 'http://127.0.0.1:9/en.vtt' }, style: STYLE };
  const session = await render(undefined, { mapping: undefined, scenes: [{ id: 'only', mapping, captions }] });
  expect(session.errors).toMatchObject([
    { code: 'asset_forbidden_host', scene: 'only', pointer: '#/scenes/0/captions/source/remote_url' },
  ]);
  expect(host.requests).toEqual([]);
});

it('a dry run reports captions with a wrong source at their pointers, and fetches nothing', async () => {
  const { api, body, host } = await start();
  const dry = (captions: Json) => api('POST', '/v2/render_sessions?dry_run=true', { body: body(captions) });
  const right = await dry({ source: { remote_url: `${host.url}/missing.vtt` }, style: STYLE });
  expect(right.body).toMatchObject({ valid: true, errors: [] });
  const wrong = await dry({ source: { remote_url: 'ftp://example.com/en.vtt' }, style: { font: 'Nowhere' } });
  expect(wrong.body.errors).toMatchObject([
    { code: 'invalid_url', pointer: '#/captions/source/remote_url' },
    { code: 'font_missing', pointer: '#/captions/style/font' },
  ]);
  for (const source of [{}, { text: VTT, remote_url: host.url }]) {
    const { status, body: problem } = await dry({ source });
    expect([status, problem.errors]).toMatchObject([
      400,
      [{ pointer: '#/captions/source', detail: expect.stringContaining('remote_url or text') }],
    ]);
  }
  expect(host.requests).toEqual([]);
});
