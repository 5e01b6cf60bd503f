import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { emptyLock, type Fingerprint, type Lock, type LockEntry } from '../../../src/reconciler/lock/lock.ts';
import { serialiseLock } from '../../../src/reconciler/lock/lock-format.ts';
import { mergeLocks } from '../../../src/reconciler/lock/merge-locks.ts';
import { lock as anyLock } from './lock-arbitrary.ts';

const fingerprintOf = (digit: number): Fingerprint => `v1:${String(digit).repeat(64)}` as Fingerprint;

/** Returns the entry of rendering number `version`, rendered on the given day. */
function entry(version: number, day = version, title = 'Berlin'): LockEntry {
  return {
    fingerprint: fingerprintOf(version),
    title,
    service: 'embedded',
    template: 'launch',
    style_version: 'tsv_1',
    inputs: { t_01: `text ${version}` },
    session: `rs_${version}`,
    video_url: 'renders/berlin-4f4f4f4f.mp4',
    thumbnails: [],
    rendered_at: `2026-01-0${day}T00:00:00.000Z`,
  };
}

const lockOf = (entries: Record<string, LockEntry>, extra: Lock['extra'] = {}): Lock => ({
  videos: new Map(Object.entries(entries)),
  extra,
});

describe('mergeLocks()', () => {
  test('takes changes, additions and removals made by only one side', () => {
    const base = lockOf({ a: entry(1), b: entry(1), c: entry(1), d: entry(1) });
    const ours = lockOf({ a: entry(2), b: entry(1), c: entry(1), e: entry(1) });
    const theirs = lockOf({ a: entry(1), b: entry(3), d: entry(1), f: entry(2) });
    expect(mergeLocks({ base, ours, theirs })).toEqual({
      lock: lockOf({ a: entry(2), b: entry(3), e: entry(1), f: entry(2) }),
      decisions: [],
    });
  });

  test.each<
    [string, LockEntry | undefined, LockEntry | undefined, LockEntry | undefined, number | null, string, string]
  >([
    ['the present definition', entry(1), entry(3, 3), entry(2, 2), 2, 'theirs', 'present'],
    ['the content that changed', entry(1), entry(1, 5), entry(2, 2), null, 'theirs', 'content'],
    ['the present definition before the content', entry(1), entry(1, 5), entry(2, 2), 1, 'ours', 'present'],
    ['the later one when both contents changed', entry(1), entry(2, 2), entry(3, 3), 4, 'theirs', 'later'],
    ['the later one of the same content', entry(1), entry(2, 4), entry(2, 3), 2, 'ours', 'later'],
    ['the later one when both were added', undefined, entry(2, 2), entry(3, 3), null, 'theirs', 'later'],
    ['the update before the removal', entry(1), undefined, entry(2), null, 'theirs', 'update'],
    ['the update before the removal, on our side', entry(1), entry(2), undefined, null, 'ours', 'update'],
    ['one of two in a fixed order', entry(1), entry(1, 1, 'A'), entry(1, 1, 'B'), null, 'theirs', 'order'],
  ])('takes %s', (_, base, ours, theirs, present, side, why) => {
    const one = (value: LockEntry | undefined): Lock => lockOf(value === undefined ? {} : { a: value });
    const merged = mergeLocks({
      base: one(base),
      ours: one(ours),
      theirs: one(theirs),
      ...(present !== null && { present: new Map([['a', fingerprintOf(present)]]) }),
    });
    expect(merged.decisions).toEqual([{ kind: 'video', name: 'a', side, why }]);
    expect(merged.lock).toEqual(one(side === 'ours' ? ours : theirs));
  });

  test('orders 59Z before 59.5Z', () => {
    const at = (rendered_at: string): Lock => lockOf({ a: { ...entry(1), rendered_at } });
    const [ours, theirs] = [at('2026-01-01T00:00:59.500Z'), at('2026-01-01T00:00:59Z')];
    expect(mergeLocks({ base: emptyLock, ours, theirs }).decisions).toMatchObject([{ side: 'ours', why: 'later' }]);
  });

  test('merges fields of later versions outside the entries', () => {
    const base = lockOf({}, { x_kept: 1, x_gone: 1, x_both: 1 });
    const ours = lockOf({}, { x_kept: 1, x_both: [2], x_ours: true });
    const theirs = lockOf({}, { x_kept: { a: 1 }, x_gone: 1, x_both: [3] });
    expect(mergeLocks({ base, ours, theirs })).toEqual({
      lock: lockOf({}, { x_kept: { a: 1 }, x_both: [3], x_ours: true }),
      decisions: [{ kind: 'field', name: 'x_both', side: 'theirs', why: 'order' }],
    });
  });
});

describe('mergeLocks() for any locks', () => {
  const text = ({ lock }: { lock: Lock }): string => serialiseLock(lock);
  /** Replaces some entries of a lock by those of another, as a branch would. */
  const branch = fc
    .tuple(anyLock, anyLock, fc.func(fc.boolean()))
    .map(([base, other, isTaken]): { base: Lock; branch: Lock } => {
      const kept = [...base.videos].filter(([id]) => isTaken(id));
      return { base, branch: { videos: new Map([...kept, ...other.videos]), extra: other.extra } };
    });

  test('keeps equal sides unchanged', () => {
    fc.assert(
      fc.property(anyLock, anyLock, (base, side) => {
        const merged = mergeLocks({ base, ours: side, theirs: side });
        expect(text(merged)).toBe(serialiseLock(side));
        expect(merged.decisions).toEqual([]);
      }),
    );
  });

  test('takes the side that changed something', () => {
    fc.assert(
      fc.property(branch, ({ base, branch: side }) => {
        for (const sides of [
          { ours: side, theirs: base },
          { ours: base, theirs: side },
        ]) {
          const merged = mergeLocks({ base, ...sides });
          expect(text(merged)).toBe(serialiseLock(side));
          expect(merged.decisions).toEqual([]);
        }
      }),
    );
  });

  test('is symmetric in its sides', () => {
    fc.assert(
      fc.property(branch, anyLock, ({ base, branch: one }, other) => {
        const merged = mergeLocks({ base, ours: one, theirs: other });
        const mirrored = mergeLocks({ base, ours: other, theirs: one });
        expect(text(mirrored)).toBe(text(merged));
        const turned = mirrored.decisions.map((decision) => ({
          ...decision,
          side: decision.side === 'ours' ? 'theirs' : 'ours',
        }));
        expect(turned).toEqual(merged.decisions);
      }),
    );
  });

  test('combines changes of different entries in either order without a decision', () => {
    fc.assert(
      fc.property(anyLock, anyLock, fc.func(fc.boolean()), (base, target, isOurs) => {
        const ids = [...new Set([...base.videos.keys(), ...target.videos.keys()])];
        const side = (mine: boolean): Lock => ({
          extra: base.extra,
          videos: new Map(
            ids.flatMap((id) => {
              const value = (isOurs(id) === mine ? target : base).videos.get(id);
              return value === undefined ? [] : [[id, value] as const];
            }),
          ),
        });
        const merged = mergeLocks({ base, ours: side(true), theirs: side(false) });
        expect(text(merged)).toBe(serialiseLock({ ...target, extra: base.extra }));
        expect(merged.decisions).toEqual([]);
      }),
    );
  });

  test('takes every entry completely from one side', () => {
    fc.assert(
      fc.property(anyLock, anyLock, anyLock, (base, ours, theirs) => {
        for (const [id, value] of mergeLocks({ base, ours, theirs }).lock.videos) {
          expect([ours.videos.get(id), theirs.videos.get(id)]).toContain(value);
        }
      }),
    );
  });
});
