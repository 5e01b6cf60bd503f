import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { openApi } from '../support/api.ts';
import { hasFfprobe, probe } from '../support/ffprobe.ts';
import { freePort } from '../support/free-port.ts';
import { PROGRAM } from '../support/spawned-program.ts';
import { createToken, type SpawnedService, spawnService } from '../support/spawned-service.ts';

/**
 * Uses the service as a new user would: `reelform serve`, a token, and `apply` in a fresh clone of this repository's
 * last commit, configured only with the service's URL. `examples.test.ts` covers installing such a clone and rendering
 * every example.
 */
const REPOSITORY = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'reelform-service-'));
/** Outside of any repository, so that the templates have to be pushed. */
const served = mkdtempSync(join(tmpdir(), 'reelform-served-'));
const clone = join(folder, 'reelform');
/** One video of each template. */
const IDS = ['launch/dune', 'story/trade-in'];
const TARGETS = IDS.flatMap((id) => ['--target', id]);
let service: SpawnedService;
let token: string;

interface Entry {
  readonly service: string;
  readonly video_url: string;
  readonly thumbnails: readonly string[];
  readonly style_version: string;
}

async function reelform(...args: string[]) {
  return execa(process.execPath, [PROGRAM, ...args], {
    cwd: clone,
    reject: false,
    env: { CI: 'true', NO_COLOR: '1', REELFORM_TOKEN: token },
  });
}

function lockedVideos(): Readonly<Record<string, Entry>> {
  const { videos } = JSON.parse(readFileSync(join(clone, 'reelform.lock.json'), 'utf8'));
  return Object.fromEntries(IDS.map((id) => [id, videos[id]]));
}

beforeAll(async () => {
  await execa('git', ['clone', '--quiet', REPOSITORY, clone]);
  service = await spawnService(served, { port: await freePort() });
  token = await createToken(served);
  const config = join(clone, 'reelform.yaml');
  const text = readFileSync(config, 'utf8').replace('service: embedded', `service: {url: ${service.url}}`);
  expect((parse(text) as { service: unknown }).service).toEqual({ url: service.url });
  writeFileSync(config, text);
});

afterAll(async () => {
  expect(await service.stop()).toBe(0);
  for (const path of [folder, served]) rmSync(path, { recursive: true, force: true });
});

describe('apply against reelform serve', () => {
  it('pushes the templates, renders through HTTP, and records working URLs', async () => {
    const { exitCode, stdout, stderr } = await reelform('apply', '--auto-approve', ...TARGETS);
    expect({ exitCode, stdout, stderr }).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('2 rendered') });
    for (const [id, entry] of Object.entries(lockedVideos())) {
      expect({ id, service: entry.service }).toEqual({ id, service: service.url });
      for (const url of [entry.video_url, ...entry.thumbnails]) {
        const file = await fetch(url);
        expect({ url, status: file.status }).toEqual({ url, status: 200 });
        expect((await file.arrayBuffer()).byteLength).toBeGreaterThan(1000);
      }
    }
  });

  it('renders nothing on the second run', async () => {
    const plan = await reelform('plan', '--detailed-exitcode', ...TARGETS);
    expect({ exitCode: plan.exitCode, stdout: plan.stdout }).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('No changes'),
    });
  });

  it('finds its templates when they are pushed again', async () => {
    const { exitCode, stdout } = await reelform('template', 'push');
    expect({ exitCode, stdout }).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('launch') });
    const { body } = await openApi(service.url, token)('GET', '/v2/template_style_versions');
    const ids = Object.values(lockedVideos()).map((entry) => entry.style_version);
    expect(new Set(body.style_versions.map(({ id }: { id: string }) => id))).toEqual(new Set(ids));
  });

  it('serves videos that ffprobe finds correct', async (context) => {
    if (!(await hasFfprobe())) return context.skip();
    const [entry] = Object.values(lockedVideos());
    const file = join(folder, 'video.mp4');
    writeFileSync(file, Buffer.from(await (await fetch(entry!.video_url)).arrayBuffer()));
    expect(await probe(file)).toMatchObject({ codec: 'h264', pixelFormat: 'yuv420p', colorSpace: 'bt709' });
  });
});

describe('reelform serve', () => {
  it('prints its URL and never a token', async () => {
    expect(service.said()).toContain(service.url);
    expect(service.said() + service.log.join('\n')).not.toContain(token.slice(3));
  });
});
