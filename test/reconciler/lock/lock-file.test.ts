import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { emptyLock, type Fingerprint, type Lock, type LockEntry } from '../../../src/reconciler/lock/lock.ts';
import { LockFile, readLock } from '../../../src/reconciler/lock/lock-file.ts';

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
  test('treats a missing file as an empty lock', async () => {
    expect(await readLock(path, 'reelform.lock.json')).toEqual({ ok: true, value: emptyLock });
  });

  test('reads the output of a LockFile', async () => {
    await new LockFile(path, 'reelform.lock.json', emptyLock, writeFile).update(() => lock);
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

  test('refuses a dangling link: an unmounted disk is not a first run', async () => {
    await symlink(join(folder, 'gone/lock.json'), path);
    const { diagnostics } = (await readLock(path, 'reelform.lock.json')) as { diagnostics: readonly unknown[] };
    expect(diagnostics).toMatchObject([{ code: 'lock_unreadable', at: { file: 'reelform.lock.json' } }]);
  });

  test('refuses a folder', async () => {
    expect(await readLock(folder, 'reelform.lock.json')).toMatchObject({ diagnostics: [{ code: 'lock_unreadable' }] });
  });
});

const put =
  (id: string) =>
  (present: Lock): Lock => ({ ...present, videos: new Map([...present.videos, [id, entry]]) });

describe('LockFile', () => {
  const open = (present: Lock, write = writeFile): LockFile => new LockFile(path, 'reelform.lock.json', present, write);

  test('does not rewrite a file with the same content', async () => {
    await open(emptyLock).update(() => lock);
    const { mtimeMs, ino } = await stat(path);
    await open(lock, () => Promise.reject(new Error('written'))).update((present) => present);
    expect(await stat(path)).toMatchObject({ mtimeMs, ino });
  });

  test('creates no file for an empty lock, but empties an existing one', async () => {
    await open(emptyLock).update((present) => present);
    expect(await readdir(folder)).toEqual([]);
    await open(emptyLock).update(() => lock);
    await open(lock).update(() => emptyLock);
    expect(await readFile(path, 'utf8')).toContain('"videos": {}');
  });

  test('keeps entries that other processes wrote in the meantime', async () => {
    const file = open(emptyLock);
    await file.update(put('a'));
    await open(await file.update((present) => present)).update(put('theirs'));
    expect([...(await file.update(put('b'))).videos.keys()].sort()).toEqual(['a', 'b', 'theirs']);
  });

  test('leaves a file unchanged that became unreadable in the meantime', async () => {
    const file = open(emptyLock);
    await file.update(put('a'));
    await writeFile(path, '<<<<<<< HEAD\n');
    await expect(file.update(put('b'))).rejects.toMatchObject({ code: 'lock_conflict' });
    expect(await readFile(path, 'utf8')).toBe('<<<<<<< HEAD\n');
  });
});
