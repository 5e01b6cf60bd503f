import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { testPicture } from '../../engine/pictures.ts';
import { startServer, type TestServer } from '../../support/http-server.ts';
import { makeFolder } from '../../support/repository.ts';
import { solidPng } from '../../support/small-package.ts';
import { reelform } from '../../support/test-io.ts';

const still = (k: unknown) => ({ a: 0, k });
const transform = { o: still(100), r: still(0), p: still([0, 0, 0]), a: still([0, 0, 0]), s: still([100, 100, 100]) };
const layer = { ddd: 0, sr: 1, ks: transform, ao: 0, ip: 0, op: 50, st: 0, bm: 0 };
/** 320 × 180 pixels, two seconds: a picture on a colour. */
const ANIMATION = {
  v: '5.9.0',
  fr: 25,
  ip: 0,
  op: 50,
  w: 320,
  h: 180,
  nm: 't',
  ddd: 0,
  assets: [{ sid: '(Footage)/USER/hero.jpg', id: 'hero', w: 320, h: 180, u: 'images/', p: 'hero.png', e: 0 }],
  layers: [
    { ...layer, ind: 2, ty: 2, nm: 'hero', refId: 'hero' },
    {
      ...layer,
      ind: 99,
      ty: 4,
      nm: 'bg',
      shapes: [
        {
          ty: 'gr',
          it: [
            { ty: 'rc', d: 1, s: still([320, 180]), p: still([160, 90]), r: still(0) },
            { ty: 'fl', c: { sid: 'c_01', ...still([0.1, 0.2, 0.3, 1]) }, o: still(100), r: 1 },
            { ty: 'tr', p: still([0, 0]), a: still([0, 0]), s: still([100, 100]), r: still(0), o: still(100) },
          ],
        },
      ],
    },
  ],
};

const TEMPLATE = `name: Image
stillcuts: {stillcut_01: 1}
editables:
  (Footage)/USER/hero.jpg: {label: Hero, kind: image, stillcut: stillcut_01, required: false}
  c_01: {label: Back, kind: color, stillcut: stillcut_01, required: false}
`;

interface LockJson {
  readonly videos: Record<string, { readonly video_url: string }>;
}

function repository(photos: readonly string[]): string {
  const rows = photos.map((url, index) => `r${index + 1},${url}\n`);
  return makeFolder({
    'reelform.yaml': 'service: embedded\ntemplates: {img: ./templates/img}\nvideos: videos/**/*.yaml\n',
    'data/rows.csv': `slug,photo\n${rows.join('')}`,
    'videos/rows.yaml': `template: img
title: Row \${slug}
each: {from: data/rows.csv, id: "\${slug}"}
resources: {(Footage)/USER/hero.jpg: "\${photo}"}
`,
    'templates/img/template.yaml': TEMPLATE,
    'templates/img/animation.json': JSON.stringify(ANIMATION),
    'templates/img/images/hero.png': solidPng('#000000', 1, 1),
  });
}

/** Host of pictures that allows two requests a second and asks to wait one second. Cuts its first two answers for /reset.jpg: one for lint and one for the render. */
async function startLimitedHost(): Promise<TestServer & { readonly refused: string[] }> {
  const picture = await testPicture(320, 180).encode('jpeg');
  const refused: string[] = [];
  let second = 0;
  let served = 0;
  let cuts = 0;
  const server = await startServer(({ url = '' }, response) => {
    const now = Math.floor(Date.now() / 1000);
    if (now !== second) [second, served] = [now, 0];
    if (url === '/reset.jpg' && cuts < 2) {
      cuts += 1;
      response.writeHead(200, { 'content-type': 'image/jpeg', 'content-length': picture.length });
      response.write(picture.subarray(0, picture.length / 2), () => response.destroy());
      return;
    }
    served += 1;
    if (served > 2) {
      refused.push(url);
      response.writeHead(429, { 'retry-after': '1' }).end();
    } else response.writeHead(200, { 'content-type': 'image/jpeg' }).end(picture);
  });
  onTestFinished(() => server.close());
  return { ...server, refused };
}

it('renders all eight videos whose pictures come from a host that allows two requests a second', async () => {
  const host = await startLimitedHost();
  const root = repository(Array.from({ length: 8 }, (_, index) => `${host.url}/${index + 1}.jpg`));
  const { exitCode, stderr } = await reelform(root, ['apply', '--auto-approve']);
  expect(exitCode, stderr).toBe(0);
  const { videos } = JSON.parse(readFileSync(join(root, 'reelform.lock.json'), 'utf8')) as LockJson;
  expect(Object.keys(videos)).toHaveLength(8);
  for (const { video_url } of Object.values(videos)) expect(existsSync(join(root, video_url))).toBe(true);
  expect(host.refused.length).toBeGreaterThan(0);
});

it('renders a video whose picture arrives whole only at the third request', async () => {
  const host = await startLimitedHost();
  const { exitCode, stderr } = await reelform(repository([`${host.url}/reset.jpg`]), ['apply', '--auto-approve']);
  expect(exitCode, stderr).toBe(0);
  expect(host.requests.filter((url) => url === '/reset.jpg').length).toBeGreaterThan(2);
});
