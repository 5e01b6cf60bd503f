import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { emptyLock, type Fingerprint, type Lock, type LockEntry } from '../../src/lock/lock.ts';
import { readLock, writeLock } from '../../src/lock/lock-file.ts';

const entry: LockEntry = {
  fingerprint: `v1:${'4f'.repeat(32)}` as Fingerprint,
  title: 'Berlin',
  service: 'embedded',
  template: 'launch',
  style_version: 'tsv_1',
  inputs: {},
  session: 'rs_1',
  video_url: 'renders/berlin-4f4f4f4f.mp4',
  thumbnails: [],
  rendered_at: '2026-01-01T00:00:00.000Z',
};
const lock: Lock = { videos: new Map([['berlin', entry]]), extra: {} };

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reelform-lock-'));
  path = join(folder, 'reelform.lock.json');
});
afterEach(() => rm(folder, { recursive: true }));

describe('readLock()', () => {
  test('takes a missing file for an empty lock', async () => {
    expect(await readLock(path, 'reelform.lock.json')).toEqual({ ok: true, value: emptyLock });
  });

  test('reads what writeLock() wrote', async () => {
    await writeLock(path, lock, writeFile);
    expect(await readLock(path, 'reelform.lock.json')).toEqual({ ok: true, value: lock });
  });

  test('refuses an empty file', async () => {
    await writeFile(path, '');
    expect(await readLock(path, 'reelform.lock.json')).toMatchObject({ diagnostics: [{ code: 'lock_unreadable' }] });
  });

  test('refuses bytes that are not UTF-8', async () => {
    await writeFile(path, Buffer.from('{"lockfile_version": 1, "videos": {}, "a": "\xff"}', 'latin1'));
    expect(await readLock(path, 'reelform.lock.json')).toMatchObject({ diagnostics: [{ code: 'lock_unreadable' }] });
  });

  test('refuses what is no file', async () => {
    expect(await readLock(folder, 'reelform.lock.json')).toMatchObject({ diagnostics: [{ code: 'lock_unreadable' }] });
  });
});

describe('writeLock()', () => {
  test('does not touch a file that already says it', async () => {
    expect(await writeLock(path, lock, writeFile)).toBe(true);
    const { mtimeMs, ino } = await stat(path);
    expect(await writeLock(path, lock, () => Promise.reject(new Error('written')))).toBe(false);
    expect(await stat(path)).toMatchObject({ mtimeMs, ino });
  });

  test('makes no file for an empty lock, and empties one that is there', async () => {
    expect(await writeLock(path, emptyLock, writeFile)).toBe(false);
    expect(await readdir(folder)).toEqual([]);
    await writeLock(path, lock, writeFile);
    expect(await writeLock(path, emptyLock, writeFile)).toBe(true);
    expect(await readFile(path, 'utf8')).toContain('"videos": {}');
  });
});
