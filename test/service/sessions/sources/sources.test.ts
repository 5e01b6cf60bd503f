import { setMaxListeners } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Sha256, sha256 } from '../../../../src/kernel/digest.ts';
import type { SourceFile } from '../../../../src/kernel/source-file.ts';
import { SessionFailure, type SourceRequest, type TenantId } from '../../../../src/service/sessions/ports.ts';
import { ALLOW_EVERYTHING, ALLOW_NOTHING } from '../../../../src/service/sessions/sources/allow-list.ts';
import { describeSource } from '../../../../src/service/sessions/sources/describe-source.ts';
import {
  createSources,
  type Sources,
  type SourcesOptions,
  uploadUrl,
} from '../../../../src/service/sessions/sources/sources.ts';
import { testPicture } from '../../../engine/pictures.ts';
import { startServer, type TestServer } from '../../../support/http-server.ts';
import { toneWav } from '../../../support/tone.ts';
import { hostileLookup, hostileUrls, startTrap } from './hostile-urls.ts';

const HOUR_MS = 3_600_000;
const TENANT = 'a' as TenantId;
const { signal } = new AbortController();
setMaxListeners(0, signal);

let picture: Buffer;
let other: Buffer;
let server: TestServer;
let served: Buffer;
let headers: Record<string, string>;
/** Statuses of the server's answers. */
let answers: number[];
let hold: Promise<void> | null;

beforeAll(async () => {
  picture = await testPicture(70, 50).encode('png');
  other = await testPicture(50, 70).encode('jpeg');
  server = await startServer(async (request, response) => {
    if (hold !== null) await hold;
    const etag = `"${sha256(served)}"`;
    const isSame = request.headers['if-none-match'] === etag && headers.etag !== 'none';
    answers.push(isSame ? 304 : 200);
    response.writeHead(answers.at(-1)!, { ...(headers.etag === 'none' ? {} : { etag }), ...headers });
    response.end(isSame ? undefined : served);
  });
});
afterAll(() => server.close());

let directory: string;
let now: number;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'reelform-sources-'));
  [now, served, headers, answers, hold] = [Date.now(), picture, {}, [], null];
});
afterEach(() => rm(directory, { recursive: true, force: true }));

function open(options: Partial<SourcesOptions> = {}): Sources {
  return createSources({
    directory,
    allow: ALLOW_EVERYTHING,
    inspect: describeSource,
    mayRead: async () => true,
    isOneRun: false,
    now: () => now,
    ...options,
  });
}

function image(remoteUrl: string): SourceRequest {
  return { remoteUrl, kind: 'image' };
}

async function codeOf(reading: Promise<unknown>): Promise<string> {
  const failure = await reading.then(
    () => null,
    (error: unknown) => error,
  );
  if (failure instanceof SessionFailure) return failure.error.code;
  throw failure ?? new Error('nothing was thrown');
}

describe('createSources()', () => {
  it('reads a URL and describes its bytes', async () => {
    headers = { 'content-type': 'text/html' };
    const source = await open().reader.read(TENANT, image(`${server.url}/image.gif`), signal);
    expect(source).toEqual({
      bytes: picture,
      sha256: sha256(picture),
      contentType: 'image/png',
      width: 70,
      height: 50,
    });
  });

  it('leaves clips and sounds on disk, fetched and uploaded ones', async () => {
    served = Buffer.from(toneWav(5));
    const { reader, uploads } = open();
    const bytes = expect.objectContaining({
      length: served.length,
      sha256: sha256(served),
      head: served.subarray(0, 2048),
    });
    for (const remoteUrl of [`${server.url}/voice`, uploadUrl(await uploads.put(served))]) {
      const source = await reader.read(TENANT, { remoteUrl, kind: 'audio' }, signal);
      expect(source).toEqual({ bytes, sha256: sha256(served), contentType: 'audio/wav' });
      expect((await readFile((source.bytes as SourceFile).path)).equals(served)).toBe(true);
    }
    served = picture;
    const still = await reader.read(TENANT, { remoteUrl: `${server.url}/still`, kind: 'video' }, signal);
    expect(still.bytes).toEqual(picture);
  });

  it('reports an error of the disk as it is, and leaves nothing unfinished', async () => {
    const { reader } = open();
    await writeFile(join(directory, 'fetched'), 'in the way');
    const reading = reader.read(TENANT, image(`${server.url}/a`), signal);
    await expect(reading).rejects.toMatchObject({ code: expect.stringMatching(/^(?:EEXIST|ENOTDIR)$/) });
    await rm(join(directory, 'fetched'));
    served = Buffer.alloc(60_000_000);
    expect(await codeOf(reader.read(TENANT, image(`${server.url}/large`), signal))).toBe('asset_too_large');
    expect(await readdir(join(directory, 'fetched')).catch(() => [])).toEqual([]);
  });

  it('revalidates on each read and downloads the bytes once', async () => {
    for (const sources of [open(), open(), open()]) await sources.reader.read(TENANT, image(`${server.url}/a`), signal);
    served = other;
    expect((await open().reader.read(TENANT, image(`${server.url}/a`), signal)).contentType).toBe('image/jpeg');
    await open().reader.read(TENANT, image(`${server.url}/a`), signal);
    expect(answers).toEqual([200, 304, 304, 200, 304]);
  });

  it('downloads each time from a server without validators', async () => {
    headers = { etag: 'none' };
    for (const sources of [open(), open()]) await sources.reader.read(TENANT, image(`${server.url}/a`), signal);
    expect(answers).toEqual([200, 200]);
  });

  it('names the URL, its content type and what the response is, also from the cache', async () => {
    served = Buffer.from('<!doctype html><title>Shared file</title>');
    headers = { 'content-type': 'Text/HTML; charset=utf-8', 'cache-control': 'max-age=60' };
    const { reader } = open();
    for (let time = 0; time < 2; time++) {
      await expect(reader.read(TENANT, image(`${server.url}/file/view?key=secret`), signal)).rejects.toMatchObject({
        error: {
          code: 'asset_type_unsupported',
          detail: `GET ${server.url}/file/view?… returned text/html. The file is a web page, not a PNG, JPEG, WebP, GIF or AVIF image; use a direct link to the file`,
        },
      });
    }
    expect(answers).toEqual([200]);
    headers = { 'content-type': 'x'.repeat(200) };
    const failure = reader.read(TENANT, image(`${server.url}/other`), signal);
    await expect(failure).rejects.toMatchObject({
      error: { detail: expect.stringContaining('returned no content type.') },
    });
  });

  it('skips revalidation while the answer is fresh, for at most a day', async () => {
    headers = { 'cache-control': 'max-age=31536000, immutable' };
    const { reader } = open();
    await reader.read(TENANT, image(`${server.url}/a`), signal);
    now += 23 * HOUR_MS;
    await reader.read(TENANT, image(`${server.url}/a`), signal);
    expect(answers).toEqual([200]);
    now += 2 * HOUR_MS;
    await reader.read(TENANT, image(`${server.url}/a`), signal);
    expect(answers).toEqual([200, 304]);
    await reader.read(TENANT, image(`${server.url}/a`), signal);
    expect(answers).toEqual([200, 304]);
  });

  it('sends one request for concurrent reads of the same URL', async () => {
    let release = (): void => {};
    hold = new Promise((resolve) => {
      release = resolve;
    });
    const { reader } = open();
    const reading = Promise.all(
      Array.from({ length: 20 }, () => reader.read(TENANT, image(`${server.url}/a`), signal)),
    );
    release();
    expect(new Set((await reading).map((source) => source.sha256))).toEqual(new Set([sha256(picture)]));
    expect(answers).toEqual([200]);
  });

  it('fetches separately for each scope and shares nothing between them', async () => {
    headers = { 'cache-control': 'max-age=3600' };
    const { reader } = open({ scopeOf: (tenant) => tenant });
    const read = (tenant: string) => reader.read(tenant as TenantId, image(`${server.url}/a`), signal);
    await read('a');
    await read('a');
    expect(answers).toEqual([200]);
    await Promise.all([read('b'), read('c')]);
    expect(answers).toEqual([200, 200, 200]);
    await read('b');
    expect(answers).toHaveLength(3);
  });

  it('reads an upload from its store once per scope and then from the copy', async () => {
    const reads: string[] = [];
    const { reader } = open({
      scopeOf: (tenant) => tenant,
      uploads: {
        put: async () => sha256(picture),
        has: async () => true,
        open: async (digest) => {
          reads.push(digest);
          return Readable.from([picture]);
        },
        noteDamaged: () => undefined,
      },
    });
    const read = (tenant: string) => reader.read(tenant as TenantId, image(uploadUrl(sha256(picture))), signal);
    await read('a');
    await read('a');
    expect(reads).toHaveLength(1);
    await read('b');
    await read('b');
    expect(reads).toHaveLength(2);
  });

  it('reads for one tenant while another waits for a slow server', async () => {
    hold = new Promise(() => undefined);
    const { reader, uploads } = open({ readsAtOnce: 4 });
    const left = new AbortController();
    const slow = [1, 2, 3, 4].map((n) =>
      reader.read('a' as TenantId, image(`${server.url}/slow/${n}`), left.signal).catch(() => 'left'),
    );
    const wanted = image(uploadUrl(await uploads.put(picture)));
    expect((await reader.read('b' as TenantId, wanted, signal)).bytes).toEqual(picture);
    left.abort();
    expect(await Promise.all(slow)).toEqual(['left', 'left', 'left', 'left']);
  });

  it('fetches again when the copy on disk was modified', async () => {
    const { reader } = open();
    await reader.read(TENANT, image(`${server.url}/a`), signal);
    await writeFile(join(directory, 'fetched', sha256(picture)), other);
    const source = await reader.read(TENANT, image(`${server.url}/a`), signal);
    expect([source.sha256, answers]).toEqual([sha256(picture), [200, 200]]);
  });

  it.each(['', 'null', '{"sha256":"../../etc/passwd"}', '[1]'])('fetches again when its record is %j', async (text) => {
    const { reader } = open();
    await reader.read(TENANT, image(`${server.url}/a`), signal);
    const [entry = ''] = await readdir(join(directory, 'urls'));
    await writeFile(join(directory, 'urls', entry), text);
    await reader.read(TENANT, image(`${server.url}/a`), signal);
    expect(answers).toEqual([200, 200]);
  });

  it('writes no URL to disk because its query may contain a key', async () => {
    await open().reader.read(TENANT, image(`${server.url}/a?signature=s3cret`), signal);
    const [entry = ''] = await readdir(join(directory, 'urls'));
    expect(`${entry} ${await readFile(join(directory, 'urls', entry), 'utf8')}`).not.toMatch(/s3cret|127\.0\.0\.1/);
  });

  it('prunes copies and their records, but no uploads', async () => {
    const sources = open();
    await sources.uploads.put(picture);
    await sources.reader.read(TENANT, image(`${server.url}/a`), signal);
    now += 2 * HOUR_MS;
    expect(await sources.prune(0)).toBe(0);
    expect(await readdir(join(directory, 'fetched'))).toEqual([]);
    expect(await readdir(join(directory, 'urls'))).toEqual([]);
    expect(await sources.uploads.has(sha256(picture))).toBe(true);
  });

  it('allows two instances on one directory', async () => {
    const all = [open(), open()];
    const paths = Array.from({ length: 10 }, (_, index) => `${server.url}/${index % 3}`);
    const reads = all.flatMap(({ reader }) => paths.map((url) => reader.read(TENANT, image(url), signal)));
    await Promise.all([...reads, all[0]!.prune(0), all[1]!.prune(0)]);
    expect(await readdir(join(directory, 'fetched'))).toEqual([sha256(picture)]);
    expect(await readdir(join(directory, 'urls'))).toHaveLength(3);
  });

  describe('for one run', () => {
    it('requests each URL once', async () => {
      const { reader } = open({ isOneRun: true });
      await reader.read(TENANT, image(`${server.url}/a`), signal);
      served = other;
      expect((await reader.read(TENANT, image(`${server.url}/a`), signal)).sha256).toBe(sha256(picture));
      expect(answers).toEqual([200]);
    });

    it('revalidates in the next run, and clear() removes everything', async () => {
      await open({ isOneRun: true }).reader.read(TENANT, image(`${server.url}/a`), signal);
      const next = open({ isOneRun: true });
      await next.reader.read(TENANT, image(`${server.url}/a`), signal);
      expect(answers).toEqual([200, 304]);
      await next.clear();
      await expect(readdir(directory)).rejects.toThrow('ENOENT');
    });

    it('retries failed reads', async () => {
      const { reader } = open({ isOneRun: true });
      served = Buffer.from('no image');
      expect(
        await codeOf(
          reader.read(TENANT, image(`${server.url}/a`), AbortSignal.abort()).catch(() => {
            throw new SessionFailure({ code: 'canceled', title: '' });
          }),
        ),
      ).toBe('canceled');
      served = picture;
      expect((await reader.read(TENANT, image(`${server.url}/a`), signal)).width).toBe(70);
    });
  });

  it('reads uploads only for the tenant that owns them', async () => {
    const sources = open({ mayRead: async (tenant) => tenant === TENANT });
    const digest = await sources.uploads.put(picture);
    const source = await sources.reader.read(TENANT, image(uploadUrl(digest)), signal);
    expect(source).toMatchObject({ sha256: digest, contentType: 'image/png', width: 70 });
    const foreign = sources.reader.read('b' as TenantId, image(uploadUrl(digest)), signal);
    expect(await codeOf(foreign)).toBe('asset_unreachable');
    const missing = sources.reader.read(TENANT, image(uploadUrl(sha256('none') as Sha256)), signal);
    expect(await codeOf(missing)).toBe('asset_unreachable');
  });

  it('does not serve fetched bytes by their digest', async () => {
    const sources = open();
    await sources.reader.read(TENANT, image(`${server.url}/a`), signal);
    expect(await codeOf(sources.reader.read(TENANT, image(uploadUrl(sha256(picture))), signal))).toBe(
      'asset_unreachable',
    );
  });

  it('rejects files that are not images', async () => {
    served = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>');
    headers = { 'content-type': 'image/png' };
    expect(await codeOf(open().reader.read(TENANT, image(`${server.url}/a.png`), signal))).toBe(
      'asset_type_unsupported',
    );
  });

  it('rejects every hostile URL', async () => {
    const trap = await startTrap();
    const { reader } = open({ allow: ALLOW_NOTHING, lookup: hostileLookup, publicPorts: [80, 443, trap.port] });
    for (const { what, url } of hostileUrls(trap.port)) {
      const expected = what.includes('none.example') ? 'asset_unreachable' : 'asset_forbidden_host';
      expect([what, await codeOf(reader.read(TENANT, image(url), signal))]).toEqual([what, expected]);
    }
    expect(trap.connections()).toBe(0);
    await trap.close();
  });
});
