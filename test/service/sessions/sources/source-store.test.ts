import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Sha256, sha256 } from '../../../../src/kernel/digest.ts';
import { SourceFile } from '../../../../src/kernel/source-file.ts';
import {
  createMemoryUploads,
  createSourceStore,
  type SourceStore,
} from '../../../../src/service/sessions/sources/source-store.ts';

const HOUR_MS = 3_600_000;

let directory: string;
let store: SourceStore;
let now: number;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'reelform-store-'));
  now = Date.now();
  store = createSourceStore(join(directory, 'blobs'), { isDurable: true, now: () => now });
});
afterEach(() => rm(directory, { recursive: true }));

/** Returns the reference to stored bytes. */
function sourceOf(bytes: Uint8Array): SourceFile {
  const digest = sha256(bytes);
  const path = join(directory, 'blobs', digest);
  return new SourceFile({ path, length: bytes.length, sha256: digest, head: bytes.subarray(0, 2048) });
}

async function contentOf(digest: Sha256): Promise<string | null> {
  const file = await store.get(digest);
  return file === null ? null : readFile(file.path, 'utf8');
}

describe('createSourceStore()', () => {
  it('returns stored bytes by their digest', async () => {
    const bytes = Buffer.from('logo');
    const digest = await store.put(bytes);
    expect(digest).toBe(sha256(bytes));
    expect(await store.get(digest)).toEqual(sourceOf(bytes));
    expect(await contentOf(digest)).toBe('logo');
    expect(await store.has(digest)).toBe(true);
    expect(await store.get(sha256('other'))).toBeNull();
    expect(await store.has(sha256('other'))).toBe(false);
  });

  it('treats damaged bytes as missing and stores them again', async () => {
    const digest = await store.put(Buffer.from('logo'));
    const path = join(directory, 'blobs', digest);
    await writeFile(path, 'gogo');
    expect(await store.get(digest)).toBeNull();
    expect(await store.has(digest)).toBe(false);
    await store.put(Buffer.from('logo'));
    expect(await contentOf(digest)).toBe('logo');
  });

  it('replaces a file truncated by a power failure', async () => {
    const digest = await store.put(Buffer.from('logo'));
    await writeFile(join(directory, 'blobs', digest), '');
    await store.put(Buffer.from('logo'));
    expect(await contentOf(digest)).toBe('logo');
  });

  it('keeps one whole file when many callers store it at once', async () => {
    const other = createSourceStore(join(directory, 'blobs'), { isDurable: false, now: () => now });
    const bytes = Buffer.alloc(1_000_000, 'a');
    await Promise.all(Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? store : other).put(bytes)));
    expect(await readdir(join(directory, 'blobs'))).toEqual([sha256(bytes)]);
    expect(await readFile(join(directory, 'blobs', sha256(bytes)))).toEqual(bytes);
  });

  it('stores a file while it is received', async () => {
    const bytes = Buffer.alloc(300_000, 'clip');
    const receiver = await store.receive();
    for (let at = 0; at < bytes.length; at += 70_000) await receiver.add(bytes.subarray(at, at + 70_000));
    expect(receiver.length).toBe(bytes.length);
    expect(await store.has(sha256(bytes))).toBe(false);
    expect(await receiver.finish()).toEqual(sourceOf(bytes));
    expect(await store.get(sha256(bytes))).toEqual(sourceOf(bytes));
    const discarded = await store.receive();
    await discarded.add(Buffer.from('half'));
    await discarded.discard();
    expect(await readdir(join(directory, 'blobs'))).toEqual([sha256(bytes)]);
  });

  it('prunes the least recently used files', async () => {
    const digests = [];
    for (const letter of ['a', 'b', 'c', 'd']) {
      digests.push(await store.put(Buffer.alloc(100, letter)));
      now += 1000;
    }
    now += HOUR_MS;
    await store.get(digests[0]!);
    now += HOUR_MS;
    expect(await store.prune(250)).toBe(200);
    expect(await Promise.all(digests.map((digest) => store.has(digest)))).toEqual([true, false, false, true]);
  });

  it('never prunes files used within the hour', async () => {
    const digest = await store.put(Buffer.alloc(100));
    now += HOUR_MS - 1000;
    expect(await store.prune(0)).toBe(100);
    await store.put(Buffer.alloc(100));
    now += HOUR_MS - 1000;
    expect(await store.prune(0)).toBe(100);
    now += 2000;
    expect(await store.prune(0)).toBe(0);
    expect(await store.has(digest)).toBe(false);
  });

  it('prunes unfinished files after an hour', async () => {
    await store.put(Buffer.alloc(100));
    const path = join(directory, 'blobs', '.unfinished-0');
    await writeFile(path, 'x');
    expect(await store.prune(1000)).toBe(101);
    await utimes(path, new Date(now - 2 * HOUR_MS), new Date(now - 2 * HOUR_MS));
    expect(await store.prune(1000)).toBe(100);
  });

  it('prunes nothing when its directory does not exist', async () => {
    expect(await store.prune(0)).toBe(0);
  });
});

describe('createMemoryUploads()', () => {
  it('stores bytes in memory up to its limit and the rest in the directory', async () => {
    const uploads = createMemoryUploads(store, 6);
    const [logo, photo] = [Buffer.from('logo'), Buffer.from('photo')];
    const digests = [await uploads.put(logo), await uploads.put(photo, sha256(photo))];
    await uploads.put(logo);
    expect(await Promise.all(digests.map((digest) => uploads.get(digest)))).toEqual([logo, sourceOf(photo)]);
    expect(await Promise.all([...digests, sha256('other')].map((one) => uploads.has(one)))).toEqual([
      true,
      true,
      false,
    ]);
    expect(await uploads.get(sha256('other'))).toBeNull();
    expect(await readdir(join(directory, 'blobs'))).toEqual([sha256(photo)]);
  });

  it('stores large clips in the directory, and large images in memory', async () => {
    const uploads = createMemoryUploads(store);
    const clip = Buffer.alloc(1_100_000, 'clip');
    const image = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), clip]);
    const digests = [await uploads.put(clip), await uploads.put(image)];
    expect(await Promise.all(digests.map((digest) => uploads.get(digest)))).toEqual([sourceOf(clip), image]);
    expect(await readdir(join(directory, 'blobs'))).toEqual([sha256(clip)]);
  });
});
