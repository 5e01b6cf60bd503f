import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { zipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, openApi, untilEnded } from '../../support/api.ts';
import { putDatabase } from '../../support/databases.ts';
import { freePort } from '../../support/free-port.ts';
import { startServer, type TestServer } from '../../support/http-server.ts';
import { CLIP, mediaPackageFiles } from '../../support/media-package.ts';
import { SMALL_MANIFEST, smallAnimation, smallPackageFiles, solidPng } from '../../support/small-package.ts';
import { createToken, type SpawnedService, spawnService } from '../../support/spawned-service.ts';

const MB = 1_000_000;
const PICTURE = solidPng('#ff0000');
/**
 * Time limit for two requests of another tenant, or half of the attack on a slow machine. Without inspection in processes
 * the attacks blocked the server for almost as long as they took, 8 s, or crashed it. A server that is blocked misses it
 * each time, a busy machine once: hence the retries.
 */
const PROMPT_MS = 5_000;
/** Memory limit of the server process, which holds an upload of 200 MB and copies of it. */
const MAX_BYTES = 1_500 * MB;

const folder = mkdtempSync(join(tmpdir(), 'reelform-inspection-'));
// Created in advance because this process also measures time.
const movie = hugeIndex(190 * MB);
const arrays = packageWith(emptyArrays(12_000_000));
const idle = packageWith(`${JSON.stringify(smallAnimation()).slice(0, -1)},"meta":${emptyArrays(1_000_000)}}`);
let service: SpawnedService;
let files: TestServer;
let attacker: Api;
let victim: Api;

beforeAll(async () => {
  await putDatabase(join(folder, '.reelform/server'));
  files = await startServer((_request, response) => void response.end(movie));
  const args = ['--log-level', 'error', '--allow-source', new URL(files.url).host];
  service = await spawnService(folder, { port: await freePort(), args });
  attacker = openApi(service.url, await createToken(folder, ['--tenant', 'attacker']));
  victim = openApi(service.url, await createToken(folder, ['--tenant', 'victim']));
  await upload(victim, PICTURE);
});
afterAll(async () => {
  expect(await service.stop()).toBe(0);
  await files.close();
  rmSync(folder, { recursive: true, force: true });
});

/** An MP4 filled by its `stco` table. */
function hugeIndex(sizeBytes: number): Uint8Array {
  const start = Buffer.from('\0\0\0\x18ftypisom\0\0\x02\0isommp41', 'latin1');
  const types = ['moov', 'trak', 'mdia', 'minf', 'stbl', 'stco'];
  const movie = Buffer.alloc(start.length + 8 * types.length + sizeBytes);
  movie.set(start);
  for (const [depth, type] of types.entries()) {
    const at = start.length + 8 * depth;
    movie.writeUInt32BE(movie.length - at, at);
    movie.write(type, at + 4, 'latin1');
  }
  movie.writeUInt32BE((sizeBytes - 8) / 4, movie.length - sizeBytes + 4);
  return movie;
}

/** Empty arrays with spaces that repeat rarely, because a zip with a high compression ratio is rejected unread. */
function emptyArrays(count: number): string {
  const commas = [',', ', ', ',\n', ',\t'];
  const noise = randomBytes(10_000);
  const some = Array.from(noise, (one) => `${commas[one & 3]}[]`).join('');
  return `[[]${some.repeat(count / noise.length)}]`;
}

function packageWith(animation: string): Uint8Array {
  return zipSync(Object.fromEntries(smallPackageFiles({ 'animation.json': animation })), { level: 1 });
}

function upload(api: Api, body: Uint8Array) {
  return api('POST', '/v2/source_uploads', { body, headers: { 'content-type': 'application/octet-stream' } });
}

function uploadPackage(body: Uint8Array) {
  return attacker('POST', '/v2/template_style_versions', { body, headers: { 'content-type': 'application/zip' } });
}

/** @returns the id of the style version once its stills are drawn */
async function readyTemplate(zip: Uint8Array): Promise<string> {
  const { status, body } = await uploadPackage(zip);
  expect(status).toBe(201);
  const { id } = body.style_version;
  const path = `/v2/template_style_versions/${id}`;
  const state = async () => (await attacker('GET', path)).body.style_version.status;
  await expect.poll(state, { interval: 100 }).toBe('edit_ready');
  return id;
}

/** Runs an attack while another tenant reads sessions and uploads images. Returns the attack's result after checking the slowest answer. */
async function during<T>(attack: () => Promise<T>): Promise<T> {
  let isOver = false;
  let slowestMs = 0;
  const attackedAt = performance.now();
  const reading = (async () => {
    while (!isOver) {
      const begunAt = performance.now();
      expect((await victim('GET', '/v2/render_sessions')).status).toBe(200);
      expect((await upload(victim, PICTURE)).status).toBe(200);
      slowestMs = Math.max(slowestMs, performance.now() - begunAt);
      // Its own work must not be most of what the machine does.
      await sleep(100);
    }
  })();
  try {
    return await attack();
  } finally {
    isOver = true;
    const attackMs = performance.now() - attackedAt;
    await reading;
    const peakBytes = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))?.[1]) * 1024;
    expect(slowestMs).toBeLessThan(Math.max(PROMPT_MS, attackMs / 2));
    expect(peakBytes).toBeLessThan(MAX_BYTES);
  }
}

/** A package whose last layer has an editable gradient, with its stops in descending order. */
function gradientPackage(stops: number): Uint8Array {
  const animation = smallAnimation();
  const values = Array.from({ length: stops }, (_, index) => [
    1 - index / (stops - 1),
    0.123456789012345,
    2 / 3,
    1 / 3,
  ]);
  const gradient = {
    ty: 'gf',
    o: { a: 0, k: 100 },
    r: 1,
    t: 1,
    s: { a: 0, k: [0, 0] },
    e: { a: 0, k: [64, 0] },
    g: { sid: 'g_01', p: stops, k: { a: 0, k: values.flat() } },
  };
  const rectangle = { ty: 'rc', p: { a: 0, k: [32, 18] }, s: { a: 0, k: [64, 36] }, r: { a: 0, k: 0 } };
  const place = { p: [0, 0], a: [0, 0], s: [100, 100], r: 0, o: 100 };
  const ks = Object.fromEntries(Object.entries(place).map(([name, k]) => [name, { a: 0, k }]));
  const shapes = [{ ty: 'gr', it: [rectangle, gradient, { ty: 'tr', ...ks }] }];
  const layer = { ty: 4, ind: 9, ip: 0, op: 10, st: 0, sr: 1, bm: 0, ddd: 0, nm: 'gradient', ks, shapes };
  const files = smallPackageFiles({
    'animation.json': JSON.stringify({ ...animation, layers: [...animation.layers, layer] }),
    'template.yaml': `${SMALL_MANIFEST}  g_01: { label: Sky, kind: gradient, stillcut: stillcut_01 }\n`,
  });
  return zipSync(Object.fromEntries(files));
}

describe.skipIf(process.platform !== 'linux')('a service that receives hostile files', { retry: 2 }, () => {
  it('describes a gradient of 300,000 stops by a valid example', async () => {
    const zip = gradientPackage(300_000);
    expect(zip.length).toBeLessThan(4 * MB);
    const template = await during(() => readyTemplate(zip));
    const { body } = await attacker('GET', `/v2/template_style_versions/${template}/specs`);
    expect(body.style_version.editables.g_01.example_text.split(',')).toHaveLength(32);
    const resources = {
      t_01: { source: { text: 'Sky' } },
      c_01: { source: { text: '#ff0000' } },
      g_01: { source: { text: body.style_version.editables.g_01.example_text } },
    };
    const mapping = { template_style_version_id: template, resources };
    const answer = await attacker('POST', '/v2/render_sessions?dry_run=true', { body: { title: 'Sky', mapping } });
    expect(answer.status).toBe(200);
  });

  it('rejects an upload that is an MP4 with a table of 190 MB', async () => {
    const answer = await during(() => upload(attacker, movie));
    expect(answer).toMatchObject({ status: 422, body: { code: 'source_invalid' } });
  });

  it('rejects it as a remote_url', async () => {
    const template = await readyTemplate(zipSync(Object.fromEntries(mediaPackageFiles())));
    const resources = { [CLIP]: { source: { remote_url: `${files.url}/movie.mp4` } } };
    const mapping = { template_style_version_id: template, resources };
    const ended = await during(async () => {
      const body = { title: 'Movie', render: 'preview', mapping };
      const answer = await attacker('POST', '/v2/render_sessions', { body });
      expect(answer.status).toBe(201);
      return untilEnded(attacker, answer.body.render_session.id);
    });
    expect(ended).toMatchObject({ status: 'preview_failed', errors: [{ code: 'asset_decode_failed' }] });
  });

  it('rejects a package whose animation has 12 million empty arrays', async () => {
    const answer = await during(() => uploadPackage(arrays));
    expect(answer).toMatchObject({ status: 422, body: { code: 'template_invalid' } });
  });

  it('draws stills and renders videos of a package with a million unused values', async () => {
    const template = await during(() => readyTemplate(idle));
    const resources = { t_01: { source: { text: 'Idle' } }, c_01: { source: { text: '#ff0000' } } };
    const mapping = { template_style_version_id: template, resources };
    const ended = await during(async () => {
      const body = { title: 'Idle', render: 'preview', mapping };
      const answer = await attacker('POST', '/v2/render_sessions', { body });
      expect(answer.status).toBe(201);
      return untilEnded(attacker, answer.body.render_session.id);
    });
    expect(ended).toMatchObject({ status: 'preview_rendered', errors: [] });
  });
});
