import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Sha256, sha256 } from '../../../../src/kernel/digest.ts';
import type { SourceFile } from '../../../../src/kernel/source-file.ts';
import { OWN_ACCESS, openBucket } from '../../../../src/service/delivery/s3/open-bucket.ts';
import { watchDiskSpace } from '../../../../src/service/server/data-folder.ts';
import { SILENT_LOG } from '../../../../src/service/server/log.ts';
import type { ObjectStorage } from '../../../../src/service/server/ports.ts';
import { createS3Storage, openStorage } from '../../../../src/service/server/storage/object-storage.ts';
import { createOutputFiles, createStoredOutputs } from '../../../../src/service/server/storage/stored-outputs.ts';
import { createStoredSources } from '../../../../src/service/server/templates/source-uploads.ts';
import { ALLOW_NOTHING } from '../../../../src/service/sessions/sources/allow-list.ts';
import { describeSource } from '../../../../src/service/sessions/sources/describe-source.ts';
import { createSources } from '../../../../src/service/sessions/sources/sources.ts';
import { renderedFile } from '../../../support/in-memory.ts';
import { BUSY, type S3Server, startS3Server } from '../../../support/s3-server.ts';
import { startApp } from '../../../support/service-app.ts';
import { testStorage } from '../../../support/storage-contract.ts';
import { temporaryRepository } from '../../../support/temporary-repository.ts';
import { TEST_SETTINGS } from '../../../support/test-settings.ts';

let s3: S3Server;
let storage: ObjectStorage;
let tests = 0;
const logged: object[] = [];
beforeAll(async () => {
  s3 = await startS3Server({ pageSize: 3 });
});
afterAll(() => s3.close());
beforeEach(async () => {
  const bucket = await openBucket({ bucket: 'videos', access: accessOf(s3), env: s3.env });
  const log = { ...SILENT_LOG, warn: (fields: object) => void logged.push(fields) };
  storage = createS3Storage({ bucket, prefix: `data/${++tests}/`, log });
});
afterEach(() => {
  s3.fault(null);
  vi.unstubAllEnvs();
});

function accessOf({ url }: S3Server) {
  const keys = {
    accessKeyId: { kind: 'env', name: 'AWS_ACCESS_KEY_ID' },
    secretAccessKey: { kind: 'env', name: 'AWS_SECRET_ACCESS_KEY' },
    sessionToken: null,
  } as const;
  return { ...OWN_ACCESS, endpoint: url, pathStyle: true, keys };
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('createS3Storage()', () => {
  testStorage(() => storage);

  test('stores everything below its prefix', async () => {
    await storage.put('renderings/a/video.mp4', bytes('one'));
    expect(await s3.keys('videos')).toContain(`data/${tests}/renderings/a/video.mp4`);
  });

  test('lists the names directly below a prefix in pages and removes everything below', async () => {
    for (const key of ['0/a', '0/b', '1/a', '2', '3/x/y', '4/a', '4/b']) await storage.put(`r/${key}`, bytes('x'));
    await storage.put('r-other/1', bytes('x'));
    expect((await storage.list('r/')).map(({ name }) => name)).toEqual(['0', '1', '2', '3', '4']);
    expect((await storage.list('r/0/')).every(({ modifiedAt }) => modifiedAt > 1e12)).toBe(true);
    await storage.remove('r/');
    await storage.remove('gone/');
    expect([await storage.list('r/'), await storage.list('r-other/')]).toMatchObject([[], [{ name: '1' }]]);
  });

  test('reports a temporary outage and gives the reason only in the log', async () => {
    s3.fault(() => BUSY);
    const asked = [storage.put('a', bytes('x')), storage.stat('a'), buffer(storage.stream('a')), storage.list('a/')];
    const unavailable = { name: 'ServiceError', status: 503, code: 'unavailable' };
    for (const answer of await Promise.allSettled(asked)) {
      expect(answer).toMatchObject({ status: 'rejected', reason: unavailable });
    }
    expect(JSON.stringify(logged)).toContain('is busy or unavailable (ServiceUnavailable, 503)');
  });

  test('serves ranges of a finished file, even when the connection to the bucket breaks', async () => {
    const video = Buffer.alloc(3_000_000, 'reelform');
    const digest = sha256('input');
    await createStoredOutputs(storage).save(digest, 'name', [await renderedFile({ video })]);
    const outputs = createOutputFiles({
      index: { findOutput: async () => ({ inputDigest: digest, title: 'Title' }) },
      storage,
      key: new Uint8Array(32),
    });
    const service = await startApp({ ports: { outputs } });
    const url = `${service.url}/outputs/name/video.mp4`;
    const part = await fetch(url, { headers: { range: 'bytes=1000000-2000004' } });
    expect([part.status, part.headers.get('content-range')]).toEqual([206, 'bytes 1000000-2000004/3000000']);
    expect(Buffer.from(await part.arrayBuffer()).equals(video.subarray(1_000_000, 2_000_005))).toBe(true);
    let cuts = 1;
    s3.fault(({ method, path }) =>
      method === 'GET' && path.endsWith('.mp4') && cuts-- > 0 ? { kind: 'cut', afterBytes: 1_500_000 } : null,
    );
    expect(Buffer.from(await (await fetch(url)).arrayBuffer()).equals(video)).toBe(true);
    s3.fault(() => BUSY);
    expect((await fetch(url)).status).toBe(503);
    await service.close();
  });
});

describe('createStoredSources()', () => {
  test('returns stored bytes and never damaged ones', async () => {
    const uploads = createStoredSources(storage);
    const digest = await uploads.put(bytes('logo'));
    expect([digest, await uploads.has(digest)]).toEqual([sha256('logo'), true]);
    /** Reads with another folder for copies each time, as another worker does. */
    const read = async (name: Sha256): Promise<string | null> => {
      const options = {
        allow: ALLOW_NOTHING,
        inspect: describeSource,
        mayRead: async () => true,
        isOneRun: false,
        uploads,
      };
      const sources = createSources({ ...options, directory: temporaryRepository({}), now: Date.now });
      const source = await sources.uploads.get(name);
      return source === null ? null : readFile((source as SourceFile).path, 'utf8');
    };
    expect(await read(digest)).toBe('logo');
    expect(await read(sha256('another'))).toBeNull();
    await storage.put(`uploads/${digest}`, bytes('logs'));
    expect(await read(digest)).toBeNull();
    await uploads.put(bytes('logo'));
    expect(await read(digest)).toBe('logo');
  });

  test('stores a large file that it receives', async () => {
    const uploads = createStoredSources(storage);
    const options = {
      allow: ALLOW_NOTHING,
      inspect: describeSource,
      mayRead: async () => true,
      isOneRun: false,
      uploads,
    };
    const directory = temporaryRepository({});
    const sources = createSources({ ...options, directory, now: Date.now });
    const content = Buffer.alloc(40_000_000, 'clip');
    const receiver = await sources.uploads.receive();
    for (let at = 0; at < content.length; at += 1_000_000) await receiver.add(content.subarray(at, at + 1_000_000));
    const { sha256: digest } = await receiver.finish();
    expect(digest).toBe(sha256(content));
    expect(Buffer.from((await storage.read(`uploads/${digest}`))!).equals(content)).toBe(true);
    expect((await readFile(join(directory, 'fetched', digest))).equals(content)).toBe(true);
  });
});

describe('openStorage()', () => {
  const credentials = () =>
    new Map([
      [
        'main',
        {
          ...accessOf(s3),
          kind: 's3',
          name: 'main',
          allow: ['s3://videos', 's3://nowhere'],
          publicUrl: null,
          tenants: null,
        },
      ],
    ] as const);
  const settings = (over: object) => ({
    ...TEST_SETTINGS,
    credentials: credentials(),
    storage: 's3://videos/data',
    storageEndpoint: s3.url,
    storagePathStyle: true,
    storageCredential: 'main',
    ...over,
  });

  test.each<[string, string, { key?: string; [setting: string]: string | undefined }]>([
    ['storage_unavailable', 'does not exist', { storage: 's3://nowhere' }],
    ['storage_unavailable', 'is unreachable (ECONNREFUSED)', { storageEndpoint: 'http://127.0.0.1:9' }],
    ['storage_unavailable', 'access key', { key: 'another' }],
    ['storage_unavailable', 'AWS_ACCESS_KEY_ID', { key: '' }],
    ['settings_invalid', 'does not allow this destination', { storage: 's3://other' }],
    ['settings_invalid', 'is not a credential for a bucket', { storageCredential: 'other' }],
  ])('reports %s: %s', async (code, text, { key = 'S3RVER', ...over }) => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', key);
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'S3RVER');
    await expect(openStorage(settings(over), SILENT_LOG, watchDiskSpace('/nowhere'))).rejects.toMatchObject({
      code,
      message: expect.stringContaining(text),
    });
  });
});
