import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import type { ObjectStorage } from '../../src/service/server/ports.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Tests the common behaviour of all storages. @param storage returns the empty storage of this test */
export function testStorage(storage: () => ObjectStorage): void {
  test('stores an object and replaces it', async () => {
    await storage().put('renderings/a/video.mp4', bytes('one'));
    await storage().put('renderings/a/video.mp4', bytes('three'));
    expect(await storage().stat('renderings/a/video.mp4')).toEqual({ size: 5 });
    expect(Buffer.from((await storage().read('renderings/a/video.mp4'))!).toString()).toBe('three');
  });

  test('returns null for missing objects and folders', async () => {
    await storage().put('a/b', bytes('x'));
    expect([await storage().stat('a/c'), await storage().read('a/c'), await storage().stat('a')]).toEqual([
      null,
      null,
      null,
    ]);
  });

  test.each([
    [undefined, '0123456789'],
    [{ start: 0, end: 2 }, '01'],
    [{ start: 3, end: 7 }, '3456'],
    [{ start: 9, end: 10 }, '9'],
    [{ start: 4, end: 4 }, ''],
  ])('streams %j', async (range, expected) => {
    await storage().put('a', bytes('0123456789'));
    expect((await buffer(storage().stream('a', range))).toString()).toBe(expected);
  });
}
