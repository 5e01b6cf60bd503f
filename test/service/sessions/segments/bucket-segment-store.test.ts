import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { S3Credential } from '../../../../src/contract/destinations/credential.ts';
import { type Sha256, sha256 } from '../../../../src/kernel/digest.ts';
import { openObjectFolder } from '../../../../src/service/delivery/object-folder.ts';
import { BucketSegmentStore } from '../../../../src/service/sessions/segments/bucket-segment-store.ts';
import { FolderSegmentStore } from '../../../../src/service/sessions/segments/folder-segment-store.ts';
import { packRecord, unpackRecord } from '../../../../src/service/sessions/segments/segment-cache.ts';
import { type S3Server, startS3Server } from '../../../support/s3-server.ts';

let folder: string;
let server: S3Server;
let failures: string[];
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'reelform-segments-'));
  server = await startS3Server();
  failures = [];
});
afterEach(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Opens the store of a machine with its own folder. */
function open(machine: string, { timeoutMs = 20_000, endpoint = server.url } = {}): BucketSegmentStore {
  const key = { kind: 'env', name: 'KEY' } as const;
  const keys = { accessKeyId: key, secretAccessKey: key, sessionToken: null };
  const access = { endpoint, region: null, pathStyle: true, keys, publicUrl: null };
  const credential: S3Credential = { kind: 's3', name: 'main', allow: null, tenants: null, ...access };
  return new BucketSegmentStore({
    local: new FolderSegmentStore({ folder: join(folder, machine), maxBytes: 1e9, now: () => Date.now() }),
    bucket: openObjectFolder({ url: 's3://videos/a/', credential, env: { KEY: 'S3RVER' }, timeoutMs }),
    onFailure: (error, failed) => failures.push(`${failed}: ${(error as Error).message}`),
  });
}

const keyOf = (name: string): Sha256 => sha256(name);

describe('BucketSegmentStore', () => {
  it('shares segments between machines, and reads each from the bucket once', async () => {
    const first = open('first');
    for (let at = 0; at < 30; at++) await first.put(keyOf(`${at}`), packRecord({ at }));
    await first.close();
    expect(await server.keys('videos')).toHaveLength(30);
    const second = open('second');
    for (let round = 0; round < 2; round++) {
      const found = await Promise.all(Array.from({ length: 30 }, (_, at) => second.get(keyOf(`${at}`))));
      expect(found.map((bytes) => unpackRecord(bytes!))).toEqual(Array.from({ length: 30 }, (_, at) => ({ at })));
    }
    expect(await second.has(keyOf('0'))).toBe(true);
    expect(await second.has(keyOf('unknown'))).toBe(false);
    expect(await second.get(keyOf('unknown'))).toBeNull();
    await second.close();
    expect(server.requests.filter(({ method }) => method === 'GET')).toHaveLength(31);
    expect(failures).toEqual([]);
  });

  it('treats damaged objects as missing, and replaces them', async () => {
    const key = keyOf('a');
    const first = open('first');
    await first.put(key, packRecord('a'));
    await first.close();
    for (const bytes of [Buffer.alloc(0), Buffer.from('damaged'), packRecord('a').subarray(1)]) {
      const damaging = open('damaging');
      await damaging.put(key, bytes);
      await damaging.close();
      const second = open('second');
      expect(await second.get(key)).toBeNull();
      await second.close();
    }
    const second = open('second');
    await second.put(key, packRecord('a'));
    await second.close();
    expect(unpackRecord((await server.read('videos', `a/${key}`))!)).toBe('a');
    expect(failures).toEqual([]);
  });

  it('continues without an unresponsive bucket, and reports it once', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void silent.close());
    await once(silent, 'listening');
    const endpoint = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const store = open('first', { timeoutMs: 500, endpoint });
    await Promise.all(['a', 'b', 'c'].map((name) => store.get(keyOf(name))));
    await store.put(keyOf('a'), packRecord('a'));
    expect(unpackRecord((await store.get(keyOf('a')))!)).toBe('a');
    expect(await store.has(keyOf('b'))).toBe(false);
    await store.close();
    expect(failures).toEqual(['read: s3://videos/a/ did not respond within 0.5 s']);
    failures = [];
    const unreachable = open('second', { endpoint: 'http://127.0.0.1:1' });
    expect(await unreachable.has(keyOf('a'))).toBe(false);
    await unreachable.close();
    expect(failures).toEqual([expect.stringContaining('is unreachable')]);
  });

  it('reads from a bucket that it may not write', async () => {
    const first = open('first');
    await first.put(keyOf('a'), packRecord('a'));
    await first.close();
    server.fault(({ method }) => (method === 'PUT' ? { kind: 'status', status: 403, code: 'AccessDenied' } : null));
    const second = open('second');
    for (const name of ['b', 'c']) await second.put(keyOf(name), packRecord(name));
    expect(unpackRecord((await second.get(keyOf('a')))!)).toBe('a');
    await second.close();
    expect(failures).toEqual([expect.stringMatching(/^write: .*denied access/)]);
  });
});
