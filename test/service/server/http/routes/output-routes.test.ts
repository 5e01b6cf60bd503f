import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, untilEnded } from '../../../../support/api.ts';
import { startApp, type TestApp } from '../../../../support/service-app.ts';
import { smallRequest } from '../../../../support/small-sessions.ts';

let service: TestApp;
let anyone: Api;
let now = Date.now();
let session: { video_url: string; download_url: string; thumbnails: string[]; id: string };
beforeAll(async () => {
  service = await startApp({ ports: { now: () => now } });
  anyone = service.as(null);
  const { body } = await service.api('POST', '/v2/render_sessions', { body: smallRequest() });
  session = await untilEnded(service.api, body.render_session.id);
});
afterAll(() => service.close());

describe('GET /outputs', () => {
  it('serves the video to anyone with its URL, cacheable forever and never executable', async () => {
    const answer = await anyone('GET', session.video_url);
    expect(answer).toMatchObject({ status: 200, body: 'video' });
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'accept-ranges': 'bytes',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-length': '5',
      'content-type': 'video/mp4',
      'content-disposition': 'inline',
      'content-security-policy': expect.stringContaining('sandbox'),
      'x-content-type-options': 'nosniff',
      etag: expect.stringMatching(/^"[\w-]+"$/),
    });
    expect((await anyone('GET', session.thumbnails[0]!)).headers.get('content-type')).toBe('image/jpeg');
  });

  it.each([
    ['bytes=1-2', 'id', 'bytes 1-2/5'],
    ['bytes=-2', 'eo', 'bytes 3-4/5'],
    ['bytes=3-', 'eo', 'bytes 3-4/5'],
    ['bytes=0-999', 'video', 'bytes 0-4/5'],
  ])('serves a range for Range: %s', async (range, body, contentRange) => {
    const answer = await anyone('GET', session.video_url, { headers: { range } });
    expect(answer).toMatchObject({ status: 206, body });
    expect(answer.headers.get('content-range')).toBe(contentRange);
    expect(answer.headers.get('content-length')).toBe(String(body.length));
  });

  it('answers 416 for a range beyond the end', async () => {
    const answer = await anyone('GET', session.video_url, { headers: { range: 'bytes=5-' } });
    expect(answer).toMatchObject({ status: 416, body: { code: 'range_not_satisfiable' } });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('content-range')).toBe('bytes */5');
  });

  it.each(['bytes=0-0,2-3', 'bytes=2-1', 'items=0-1', 'bytes'])(
    'serves the whole file for Range: %s',
    async (range) => {
      expect(await anyone('GET', session.video_url, { headers: { range } })).toMatchObject({
        status: 200,
        body: 'video',
      });
    },
  );

  it('serves a range only when If-Range matches the file', async () => {
    const etag = (await anyone('HEAD', session.video_url)).headers.get('etag')!;
    const ask = (condition: string) =>
      anyone('GET', session.video_url, { headers: { range: 'bytes=0-0', 'if-range': condition } });
    expect((await ask(etag)).status).toBe(206);
    for (const other of ['"other"', `W/${etag}`, 'Thu, 01 Jan 2026 00:00:00 GMT'])
      expect((await ask(other)).status).toBe(200);
    const same = await anyone('GET', session.video_url, { headers: { 'if-none-match': etag, range: 'bytes=0-0' } });
    expect(same).toMatchObject({ status: 304, body: '' });
  });

  it('answers HEAD with headers only', async () => {
    const answer = await anyone('HEAD', session.video_url, { headers: { range: 'bytes=0-0' } });
    expect(answer).toMatchObject({ status: 200, body: '' });
    expect(answer.headers.get('content-length')).toBe('5');
  });

  it.each(['/outputs/none/video.mp4', '/outputs/a/..%2Fb', '/outputs/%00/x', '/outputs/a/.hidden', '/outputs/a/%00'])(
    'answers 404 for %s',
    async (path) => {
      expect(await anyone('GET', path)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    },
  );
});

describe('GET /downloads', () => {
  it('serves an attachment with its file name until it expires', async () => {
    const answer = await anyone('GET', session.download_url);
    expect(answer).toMatchObject({ status: 200, body: 'video' });
    expect(answer.headers.get('content-disposition')).toBe(
      `attachment; filename="Gr__e _video.mp4_"; filename*=UTF-8''Gr%C3%BC%C3%9Fe%20%22video.mp4%22`,
    );
    expect(answer.headers.get('cache-control')).toBe('private, no-cache');
    expect((await anyone('GET', session.download_url, { headers: { range: 'bytes=0-0' } })).status).toBe(206);
    const expiresAt = Number(new URL(session.download_url).searchParams.get('expires')) * 1000;
    expect(expiresAt - now).toBeGreaterThanOrEqual(60 * 60_000);
    const before = now;
    now = expiresAt;
    expect((await anyone('GET', session.download_url)).status).toBe(404);
    const again = (await service.api('GET', `/v2/render_sessions/${session.id}`)).body.render_session;
    expect(again.video_url).toBe(session.video_url);
    expect((await anyone('GET', again.download_url)).status).toBe(200);
    now = before;
  });

  it('rejects a modified link', async () => {
    const link = new URL(session.download_url);
    const changes: [string, string][] = [
      ['expires', '99999999999'],
      ['signature', 'x'.repeat(43)],
    ];
    for (const [name, value] of changes) {
      const changed = new URL(link);
      changed.searchParams.set(name, value);
      expect((await anyone('GET', changed.href)).status).toBe(404);
    }
    expect((await anyone('GET', link.href.split('?')[0]!)).status).toBe(400);
    expect((await anyone('GET', `${link.href}&x=1`)).status).toBe(400);
  });
});
