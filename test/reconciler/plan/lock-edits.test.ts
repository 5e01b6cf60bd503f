import { describe, expect, test } from 'vitest';
import type { Lock, LockEntry } from '../../../src/reconciler/lock/lock.ts';
import { serialiseLock } from '../../../src/reconciler/lock/lock-format.ts';
import { editLock, lockEdits } from '../../../src/reconciler/plan/lock-edits.ts';
import { applied, color, desired, lockOf, plan, rendering, text } from './videos.ts';

const withLater = (lock: Lock): Lock => ({
  ...lock,
  videos: new Map([...lock.videos].map(([id, entry]) => [id, { ...entry, x_later: 1 } as LockEntry])),
});
const lines = (lock: Lock): string[] => serialiseLock(lock).split('\n');

describe('lockEdits()', () => {
  test('writes an entry for a rendered video', () => {
    const video = desired('berlin', {
      labels: { z: '1', a: '2' },
      protect: true,
      resources: { t_01: text('Hello'), c_01: color('EEADA7') },
    });
    const [change] = plan([video], lockOf()).changes;
    const entry = lockEdits(change!, { ...rendering('berlin'), video_url: 'renders/berlin-1.mp4' }).get('berlin');
    expect(entry).toEqual({
      fingerprint: video.fingerprint,
      title: 'The video berlin',
      labels: { a: '2', z: '1' },
      protect: true,
      service: 'embedded',
      template: 'launch',
      style_version: 'tsv_9c41',
      inputs: { t_01: 'Hello', c_01: 'EEADA7' },
      session: 'rs_berlin',
      video_url: 'renders/berlin-1.mp4',
      thumbnails: ['renders/berlin.stillcut_01.jpg'],
      rendered_at: '2026-01-01T00:00:00.000Z',
    });
  });

  test('replaces the whole entry of an updated video', () => {
    const lock = withLater(lockOf(desired('berlin', { labels: { a: '1' } })));
    const is = desired('berlin', { resources: { t_01: text('New') } });
    expect(applied(lock, plan([is], lock)).videos.get('berlin')).toEqual(lockOf(is).videos.get('berlin'));
  });

  test('throws without a rendering to record', () => {
    const [change] = plan([desired('berlin')], lockOf()).changes;
    expect(() => lockEdits(change!, null)).toThrow(/^Internal error/);
  });

  test('keeps the lockfile byte for byte on a restore', () => {
    const lock = withLater(lockOf(desired('berlin'), desired('paris')));
    const after = applied(lock, plan([desired('berlin'), desired('paris')], lock, ['berlin', 'paris']));
    expect(serialiseLock(after)).toBe(serialiseLock(lock));
  });

  test('changes one line on a move and keeps fields of later versions', () => {
    const lock = withLater(lockOf(desired('berlin', { title: 'X' })));
    const after = applied(lock, plan([desired('paris', { title: 'X' })], lock));
    expect(lines(after)).toEqual(lines(lock).map((line) => line.replace('    "berlin": {', '    "paris": {')));
  });

  test('changes one line on a relabel and keeps fields of later versions', () => {
    const lock = withLater(lockOf(desired('berlin', { title: 'Old' })));
    const after = applied(lock, plan([desired('berlin', { title: 'New' })], lock));
    expect(lines(after)).toEqual(lines(lock).map((line) => line.replace('"Old"', '"New"')));
  });

  test('removes labels and protection', () => {
    const lock = lockOf(desired('berlin', { labels: { a: '1' }, protect: true }));
    const after = applied(lock, plan([desired('berlin')], lock));
    expect(serialiseLock(after)).toBe(serialiseLock(lockOf(desired('berlin'))));
  });

  test('removes forgotten entries', () => {
    const lock = lockOf(desired('berlin'));
    expect(applied(lock, plan([], lock)).videos.size).toBe(0);
  });
});

describe('editLock()', () => {
  test('does not modify the given lock and keeps fields outside the entries', () => {
    const lock = { ...lockOf(desired('berlin')), extra: { later: true } };
    const after = editLock(lock, [new Map([['berlin', null]])]);
    expect(lock.videos.size).toBe(1);
    expect(after).toEqual({ videos: new Map(), extra: { later: true } });
  });
});
