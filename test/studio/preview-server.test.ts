import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { createCanvas, loadImage } from '@napi-rs/canvas';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Io } from '../../src/cli/io.ts';
import { openPreviewPorts } from '../../src/cli/preview/open-preview-ports.ts';
import { startPreviewServer } from '../../src/studio/preview-server.ts';
import type { PreviewState, VideoCard } from '../../src/studio/protocol.ts';
import { keptRenderPool } from '../support/kept-render-pools.ts';
import { PreviewClient } from '../support/preview-client.ts';
import { definition, makeRepository } from '../support/repository.ts';
import { reelform } from '../support/test-io.ts';

let root: string;
let page: PreviewClient;

beforeAll(async () => {
  root = makeRepository();
  page = await PreviewClient.start(root);
  await page.listen();
});

afterAll(async () => {
  expect(await page.close()).toBe(0);
});

async function card(id: string): Promise<VideoCard> {
  return (await page.state()).videos.find((video) => video.id === id)!;
}

async function pixels(image: Uint8Array | string): Promise<Buffer> {
  const { width, height } = await loadImage(image);
  const context = createCanvas(width, height).getContext('2d');
  context.drawImage(await loadImage(image), 0, 0);
  return Buffer.from(context.getImageData(0, 0, width, height).data);
}

describe('startPreviewServer()', () => {
  it('serves the page while the repository is read, and its data afterwards', async () => {
    const clock = { now: () => Date.now(), monotonicNow: () => performance.now(), after: () => () => undefined };
    const io = { cwd: root, env: {}, interactive: false, ...clock, createRenderPool: keptRenderPool };
    const ports = openPreviewPorts(root, io as unknown as Io);
    let read = (): void => {};
    const mayRead = new Promise<void>((resolve) => {
      read = resolve;
    });
    const server = await startPreviewServer(
      { ...ports, load: () => mayRead.then(ports.load) },
      { host: '127.0.0.1', port: 0 },
    );
    onTestFinished(async () => {
      await server.close();
      await ports.close();
    });
    const entered = await fetch(server.url, { redirect: 'manual' });
    const headers = { cookie: entered.headers.get('set-cookie')!.split(';')[0]! };
    const page = await fetch(new URL('/', server.url), { headers });
    expect(await page.text()).toContain('<script');
    let isAnswered = false;
    const state = fetch(new URL('/api/state', server.url), { headers }).then((answer) => {
      isAnswered = true;
      return answer.json() as Promise<PreviewState>;
    });
    // A later request for a file is answered earlier.
    await fetch(new URL('/icon.svg', server.url), { headers });
    expect(isAnswered).toBe(false);
    read();
    expect((await state).videos.map(({ id }) => id)).toEqual(['berlin', 'oslo', 'rome']);
    await server.ready;
  });
});

describe('GET /api/state', () => {
  it('describes the repository as a plan does', async () => {
    const { videos, templates, plan, isLive, service } = await page.state();
    expect(videos.map(({ id, state, action, template }) => [id, state, action, template])).toEqual([
      ['berlin', 'new', 'create', 'small'],
      ['oslo', 'new', 'create', 'small'],
      ['rome', 'new', 'create', 'small'],
    ]);
    expect(videos[0]).toMatchObject({ picture: { width: 64, height: 36, fps: 10, frameCount: 10, hasSound: false } });
    expect(templates).toMatchObject([{ name: 'small', title: 'Small', videoCount: 3, posterFrame: 5 }]);
    expect({ isLive, service }).toEqual({ isLive: true, service: 'embedded' });
    const planned = JSON.parse((await reelform(root, ['plan', '--json'])).stdout) as { plan_id: string };
    expect(plan).toMatchObject({ id: planned.plan_id, counts: { create: 3 }, renders: 3 });
  });

  it('follows a file that is edited, and one that is added and removed', async () => {
    const before = await card('rome');
    writeFileSync(join(root, 'videos/rome.yaml'), definition('Roma'));
    const changed = await page.until(({ videos }) => videos.some(({ title }) => title === 'Roma'));
    expect(changed.videos.find(({ id }) => id === 'rome')!.fingerprint).not.toBe(before.fingerprint);
    writeFileSync(join(root, 'videos/kyiv.yaml'), definition('Kyiv'));
    await page.until(({ videos }) => videos.some(({ id }) => id === 'kyiv'));
    rmSync(join(root, 'videos/kyiv.yaml'));
    await page.until(({ videos }) => !videos.some(({ id }) => id === 'kyiv'));
  });

  it('keeps the last valid state of a definition with errors, and recovers', async () => {
    const path = join(root, 'videos/oslo.yaml');
    const text = readFileSync(path, 'utf8');
    const { fingerprint } = await card('oslo');
    writeFileSync(path, text.replace('title:', 'title: ['));
    const broken = await page.until(({ videos }) => videos.some(({ state }) => state === 'invalid'));
    expect(broken.plan).toBe(null);
    const [invalid] = broken.videos.filter(({ state }) => state === 'invalid');
    expect(invalid).toMatchObject({ id: 'oslo', fingerprint, title: 'Oslo' });
    expect(invalid!.problems[0]).toMatchObject({ code: 'yaml_syntax', file: 'videos/oslo.yaml', line: 2 });
    expect((await page.get(`/api/still/${fingerprint}/5.jpeg`)).status).toBe(200);
    expect(broken.videos.find(({ id }) => id === 'berlin')).toMatchObject({ state: 'new' });
    writeFileSync(path, text);
    const mended = await page.until(({ videos }) => videos.every(({ state }) => state === 'new'));
    expect(mended.problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  });

  it.each([
    ['reelform.yaml', 'templates:', 'templates: ['],
    ['templates/small/template.yaml', 'kind: text', 'kind: txt'],
  ])('keeps the videos while %s has errors', async (file, valid, invalid) => {
    const path = join(root, file);
    const text = readFileSync(path, 'utf8');
    const { fingerprint } = await card('oslo');
    writeFileSync(path, text.replace(valid, invalid));
    const broken = await page.until(({ plan }) => plan === null);
    expect(broken.videos.map(({ id, state }) => [id, state])).toEqual([
      ['berlin', 'invalid'],
      ['oslo', 'invalid'],
      ['rome', 'invalid'],
    ]);
    expect(broken.videos[1]).toMatchObject({ fingerprint, title: 'Oslo', problems: [{ file }] });
    expect((await page.get(`/api/still/${fingerprint}/5.jpeg`)).status).toBe(200);
    expect((await page.get('/api/video?id=oslo')).status).toBe(200);
    writeFileSync(path, text);
    await page.until(({ videos }) => videos.every(({ state }) => state === 'new'));
  });

  it('sends changes of the state as events, after the whole state', async () => {
    const [first, ...changes] = page.events.filter(({ name }) => name === 'state');
    expect(first!.data).toMatchObject({ isLive: true, name: expect.any(String) });
    expect(changes.length).toBeGreaterThan(3);
    for (const { data } of changes) expect(data).not.toHaveProperty('isLive');
  });
});

describe('GET /api/still', () => {
  it('has the pixels of `reelform render --frame`', async () => {
    const { fingerprint } = await card('berlin');
    const still = await page.get(`/api/still/${encodeURIComponent(fingerprint)}/3.png`);
    expect(still).toMatchObject({ status: 200, headers: { 'content-type': 'image/png' } });
    expect(still.headers['cache-control']).toContain('immutable');
    await reelform(root, ['render', 'berlin', '--frame', '3', '--out', join(root, 'renders/frame.png')]);
    expect((await pixels(still.bytes)).equals(await pixels(join(root, 'renders/frame.png')))).toBe(true);
  });

  it('draws JPEGs of a width, and templates with sample texts', async () => {
    const { templates } = await page.state();
    const { example, longest, empty, rtl } = templates[0]!.fingerprints!;
    expect(new Set([example, longest, empty, rtl]).size).toBe(4);
    const { bytes, status } = await page.get(`/api/still/${encodeURIComponent(longest)}/5.jpeg?width=32`);
    const { width, height } = await loadImage(bytes);
    expect({ status, width, height }).toEqual({ status: 200, width: 32, height: 18 });
  });

  it('are given up with their request, without an error', async () => {
    const { fingerprint } = await card('berlin');
    const address = `/api/still/${encodeURIComponent(fingerprint)}`;
    const closed = [1, 2, 4, 6, 7].map((frame) => {
      const signal = AbortSignal.timeout(frame);
      return page.raw(`${address}/${frame}.jpeg?width=40`, { headers: { cookie: page.cookie }, signal });
    });
    await Promise.allSettled(closed);
    expect((await page.get(`${address}/8.jpeg?width=40`)).status).toBe(200);
    expect(page.stderr).toBe('');
  });

  it('refuses frames and contents that do not exist', async () => {
    const { fingerprint } = await card('berlin');
    expect(await page.get(`/api/still/${fingerprint}/10.png`)).toMatchObject({
      status: 400,
      json: { code: 'invalid_request' },
    });
    expect(await page.get('/api/still/v1:0/0.png')).toMatchObject({ status: 404, json: { code: 'gone' } });
  });
});

describe('requests of other pages', () => {
  it.each([
    ['a foreign Host', { host: 'evil.example' }, 403],
    ['a Host on another port', { host: '127.0.0.1:1' }, 403],
    ['a foreign Origin', { origin: 'https://evil.example' }, 403],
    ['another local Origin', { origin: 'http://127.0.0.1:1' }, 403],
    ['a cross-site request', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' }, 403],
    ['a wrong cookie', { cookie: 'reelform_preview=1' }, 401],
  ])('with %s are refused', async (_, headers, status) => {
    expect((await page.get('/api/state', headers)).status).toBe(status);
  });

  it('with a wrong token or without a cookie are refused', async () => {
    expect((await page.raw('/?token=wrong', {})).status).toBe(401);
    expect((await page.raw('/', {})).status).toBe(401);
    expect((await page.raw('/api/state', {})).status).toBe(401);
    expect((await page.raw(`/${page.url.search}`, { headers: { host: 'evil.example' } })).status).toBe(403);
  });

  it.each(['/../package.json', '/..%2fpackage.json', '/%2e%2e/cli/main.js', '/.hidden', '//etc/passwd', '/a/../../x'])(
    'cannot read %s',
    async (path) => {
      expect([400, 404]).toContain((await page.get(path)).status);
    },
  );

  it('accepts the page itself and localhost', async () => {
    expect((await page.get('/api/state', { origin: page.url.origin })).status).toBe(200);
    const host = `localhost:${page.url.port}`;
    expect((await page.get('/api/state', { host, origin: `http://${host}` })).status).toBe(200);
  });
});

describe('reelform preview --host 0.0.0.0', () => {
  it('prints a URL that other machines can open', async () => {
    const open = await PreviewClient.start(root, ['--host', '0.0.0.0']);
    const addresses = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
    const isInNetwork = addresses.some(({ family, internal }) => family === 'IPv4' && !internal);
    expect(addresses.some(({ address }) => address === open.url.hostname)).toBe(isInNetwork);
    expect((await open.state()).videos).toHaveLength(3);
    expect(await open.close()).toBe(0);
  });
});
