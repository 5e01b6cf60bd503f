import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { execa } from 'execa';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { npmPackage } from '../../../src/cli/template/add/open-origin.ts';
import { galleryDigests, readGalleryTemplate } from '../../../src/cli/template/gallery.ts';
import { EXIT, ReelformError } from '../../../src/kernel/diagnostic.ts';
import { startServer, type TestServer } from '../../support/http-server.ts';
import { makeFolder } from '../../support/repository.ts';
import { reelform } from '../../support/test-io.ts';

const refused = async (): Promise<never> => {
  throw new Error('Nothing may be downloaded');
};
const codeOf = (error: unknown) => (error instanceof ReelformError ? error.code : error);

describe('readGalleryTemplate()', () => {
  it('reads a template from a clone', async () => {
    const files = await readGalleryTemplate('quote', refused);
    expect([...files.keys()]).toContain('template.yaml');
  });

  it('downloads the gallery of the same version where there is no clone, and verifies it', async () => {
    const own = await readGalleryTemplate('quote', refused);
    const reelform = makeFolder({});
    const asked: string[] = [];
    const download = (changes: ReadonlyMap<string, Uint8Array>) => async (spec: string) => {
      asked.push(spec);
      return new Map([...[...own].map(([path, bytes]) => [`quote/${path}`, bytes] as const), ...changes]);
    };
    expect(await readGalleryTemplate('quote', download(new Map()), reelform)).toEqual(own);
    expect(asked).toEqual(['reelform-gallery@0.1.0']);
    for (const changes of [
      new Map([['quote/animation.json', new Uint8Array(3)]]),
      new Map([['quote/more.txt', new Uint8Array(3)]]),
      new Map([['other/large.bin', new Uint8Array(9_000_000)]]),
    ]) {
      const error = await readGalleryTemplate('quote', download(changes), reelform).catch(codeOf);
      expect(error).toBe('template_invalid');
    }
  });

  it('names the closest template for an unknown one', async () => {
    await expect(readGalleryTemplate('qoute', refused)).rejects.toMatchObject({ hint: 'Did you mean quote?' });
  });
});

describe('npmPackage() with a registry', () => {
  const GALLERY = join(import.meta.dirname, '../../../gallery');
  let tarball: Buffer;
  let registry: TestServer;
  let elsewhere: TestServer;
  /** What the registry answers; each test changes it. */
  let answer: { announced?: Buffer; sent?: Buffer; redirect?: string; status?: number; isSilent?: boolean };
  let own: ReadonlyMap<string, Uint8Array>;

  beforeAll(async () => {
    own = await readGalleryTemplate('quote', refused);
    const folder = makeFolder({});
    const { stdout } = await execa('npm', ['pack', GALLERY, '--json', '--pack-destination', folder]);
    const [packed] = JSON.parse(stdout) as [{ filename: string }];
    tarball = readFileSync(join(folder, packed.filename));
    elsewhere = await startServer((_, response) => response.end(answer.sent ?? tarball));
    registry = await startServer(({ url = '' }, response) => {
      if (answer.isSilent === true) return;
      if (answer.status !== undefined) response.writeHead(answer.status).end('{"error":"not found"}');
      else if (url.endsWith('.tgz')) {
        if (answer.redirect === undefined) response.end(answer.sent ?? tarball);
        else response.writeHead(302, { location: answer.redirect }).end();
      } else {
        const integrity = `sha512-${createHash('sha512')
          .update(answer.announced ?? tarball)
          .digest('base64')}`;
        const dist = { tarball: `${registry.url}/reelform-gallery/-/reelform-gallery-0.1.0.tgz`, integrity };
        const versions = { '0.1.0': { name: 'reelform-gallery', version: '0.1.0', dist } };
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ name: 'reelform-gallery', 'dist-tags': { latest: '0.1.0' }, versions }));
      }
    });
  });

  beforeEach(() => {
    answer = {};
    vi.stubEnv('npm_config_registry', registry.url);
    vi.stubEnv('npm_config_cache', makeFolder({}));
    vi.stubEnv('npm_config_fetch_retries', '0');
  });
  afterEach(() => {
    vi.unstubAllEnvs();
  });
  afterAll(() => Promise.all([registry.close(), elsewhere.close()]));

  const get = (timeoutMs?: number): Promise<ReadonlyMap<string, Uint8Array>> =>
    readGalleryTemplate('quote', (spec) => npmPackage(spec, timeoutMs), makeFolder({}));

  it('gives the template of the packed gallery, also through a redirect to another host', async () => {
    expect(await get()).toEqual(own);
    expect(registry.requests).toContain('/reelform-gallery/-/reelform-gallery-0.1.0.tgz');
    vi.stubEnv('npm_config_cache', makeFolder({}));
    answer = { redirect: `${elsewhere.url.replace('127.0.0.1', 'localhost')}/a.tgz` };
    expect(await get()).toEqual(own);
    expect(elsewhere.requests).toEqual(['/a.tgz']);
  });

  it.each<[string, () => typeof answer, RegExp, RegExp]>([
    ['a registry without the package', () => ({ status: 404 }), /404/, /registry does not have it/],
    [
      'another file than the announced one',
      () => ({ sent: gzipSync('other') }),
      /sha512|EINTEGRITY/,
      /npm cache clean/,
    ],
    ['a truncated file', () => ({ sent: tarball.subarray(0, 100_000) }), /sha512|EINTEGRITY/, /npm cache clean/],
    [
      'a redirect to another file',
      () => ({ redirect: `${elsewhere.url}/a.tgz`, sent: gzipSync('x') }),
      /sha512/,
      /npm cache clean/,
    ],
  ])('refuses %s, and says what to do', async (_, make, message, hint) => {
    answer = make();
    const error = await get().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'missing_file', message: expect.stringMatching(message) });
    expect(error).toMatchObject({ hint: expect.stringMatching(hint) });
    expect(error).toMatchObject({ hint: expect.stringContaining('npm install --no-save PATH/gallery') });
  });

  it('refuses a truncated or changed file that the registry announces', async () => {
    const cut = tarball.subarray(0, 100_000);
    answer = { announced: cut, sent: cut };
    await expect(get()).rejects.toMatchObject({ code: 'missing_file' });
    vi.stubEnv('npm_config_cache', makeFolder({}));
    const changed = gzipSync(
      Buffer.from(gunzipSync(tarball).toString('latin1').replaceAll('"ty":5', '"ty":4'), 'latin1'),
    );
    answer = { announced: changed, sent: changed };
    await expect(get()).rejects.toMatchObject({ code: 'template_invalid' });
  });

  it('ends a download that gets no answer', async () => {
    answer = { isSilent: true };
    await expect(get(2_000)).rejects.toMatchObject({
      code: 'missing_file',
      message: 'npm could not download reelform-gallery@0.1.0: no answer within 2 seconds',
      hint: expect.stringContaining('npm ping'),
    });
  });

  it('takes the gallery that is installed beside Reelform, and verifies it', async () => {
    const modules = makeFolder({});
    mkdirSync(join(modules, 'reelform'));
    writeFileSync(join(modules, 'gallery.tgz'), tarball);
    await execa('tar', ['-xzf', 'gallery.tgz'], { cwd: modules });
    renameSync(join(modules, 'package'), join(modules, 'reelform-gallery'));
    for (const name of Object.keys(galleryDigests())) {
      expect((await readGalleryTemplate(name, refused, join(modules, 'reelform'))).size, name).toBeGreaterThan(2);
    }
    writeFileSync(join(modules, 'reelform-gallery/quote/more.txt'), 'more');
    await expect(readGalleryTemplate('quote', refused, join(modules, 'reelform'))).rejects.toMatchObject({
      code: 'template_invalid',
    });
  });
});

describe('templates of the gallery', () => {
  it('are added with a first definition, which is valid', async () => {
    const root = makeFolder({});
    const { exitCode, stderr } = await reelform(root, ['template', 'add', 'gallery:quote']);
    expect({ exitCode, stderr }).toEqual({ exitCode: EXIT.ok, stderr: '' });
    expect(readFileSync(join(root, 'videos/quote.yaml'), 'utf8')).toContain('A garden teaches you to wait');
    expect(existsSync(join(root, 'templates/quote/fonts/OFL-fraunces.txt'))).toBe(true);
    expect(await reelform(root, ['validate'])).toMatchObject({ exitCode: EXIT.ok, stderr: '' });
  });

  it('are the start of a new repository', async () => {
    const root = makeFolder({});
    const { exitCode, stdout } = await reelform(root, ['init', 'cards', '--yes', '--ci', 'none', '--template', 'sale']);
    expect({ exitCode, stdout }).toMatchObject({
      exitCode: EXIT.ok,
      stdout: expect.stringContaining('videos/sale.yaml'),
    });
    expect(await reelform(join(root, 'cards'), ['validate'])).toMatchObject({ exitCode: EXIT.ok, stderr: '' });
  });
});
