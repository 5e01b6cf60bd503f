import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ObjectStorage } from '../../../../src/service/server/ports.ts';
import { createDiskStorage } from '../../../../src/service/server/storage/object-storage.ts';
import { testStorage } from '../../../support/storage-contract.ts';

let directory: string;
let storage: ObjectStorage;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'reelform-storage-'));
  storage = createDiskStorage(directory);
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('createDiskStorage()', () => {
  testStorage(() => storage);

  test('returns null for a key below a file', async () => {
    await storage.put('a/b', bytes('x'));
    expect(await storage.read('a/b/c')).toBe(null);
  });

  test('fails the stream of a missing key', async () => {
    await expect(buffer(storage.stream('nothing'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('lists the names directly below a prefix', async () => {
    await storage.put('r/b/1', bytes('x'));
    await storage.put('r/a/1', bytes('x'));
    await storage.put('r/a/2', bytes('x'));
    expect((await storage.list('r/')).map(({ name }) => name)).toEqual(['a', 'b']);
    expect((await storage.list('r/a/')).every(({ modifiedAt }) => modifiedAt > 1e12)).toBe(true);
    expect(await storage.list('nowhere/')).toEqual([]);
  });

  test('removes everything below a prefix and nothing else', async () => {
    for (const key of ['r/a/1', 'r/a/deep/2', 'r/ab/1']) await storage.put(key, bytes('x'));
    await storage.remove('r/a/');
    await storage.remove('r/gone/');
    expect(await storage.list('r/')).toMatchObject([{ name: 'ab' }]);
    expect(await readdir(join(directory, '.unfinished'))).toEqual([]);
  });

  test.each([
    '',
    '/etc/passwd',
    '../outside',
    'a/../../outside',
    'a/..',
    'a//b',
    'a/',
    '.unfinished/x',
    'a/.hidden',
    'a\\b',
    'a b',
    'a\0b',
    'ä',
    'a\n',
    'a/b?c',
  ])('rejects the key %j', async (key) => {
    await expect(storage.put(key, bytes('x'))).rejects.toThrow('Internal error');
    expect(() => storage.stream(key)).toThrow('Internal error');
  });

  test.each(['', '/', '../', 'a', 'a/../', './', '.unfinished/', '//'])('rejects the prefix %j', async (prefix) => {
    await expect(storage.remove(prefix)).rejects.toThrow('Internal error');
  });

  test('keeps one whole file after concurrent writes of one key', async () => {
    const texts = Array.from({ length: 40 }, (_, index) => String(index).repeat(50_000));
    await Promise.all(texts.map((text) => storage.put('a/b', bytes(text))));
    expect(texts).toContain(await readFile(join(directory, 'a/b'), 'utf8'));
    expect(await readdir(join(directory, '.unfinished'))).toEqual([]);
  });

  test('writes and removals of one directory at the same time never fail', async () => {
    const work = Array.from({ length: 30 }, (_, index) => [
      storage.put(`r/a/${index}`, bytes('x')),
      ...(index % 3 === 0 ? [storage.remove('r/a/')] : []),
    ]);
    await Promise.all(work.flat());
    await storage.put('r/a/last', bytes('x'));
    expect(await storage.stat('r/a/last')).toEqual({ size: 1 });
  });

  test('removes unfinished files after an hour and keeps newer ones', async () => {
    const folder = join(directory, '.unfinished');
    await mkdir(join(folder, 'old-folder'), { recursive: true });
    await writeFile(join(folder, 'old'), 'x');
    await writeFile(join(folder, 'new'), 'x');
    const past = new Date(Date.now() - 2 * 3_600_000);
    await utimes(join(folder, 'old'), past, past);
    await utimes(join(folder, 'old-folder'), past, past);
    await createDiskStorage(directory).put('a', bytes('x'));
    expect(await readdir(folder)).toEqual(['new']);
  });
});
