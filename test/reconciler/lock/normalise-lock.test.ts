import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { normaliseLock, serialiseLock } from '../../../src/reconciler/lock/lock-format.ts';
import { lockOf } from '../../support/lock-branches.ts';
import { lock } from './lock-arbitrary.ts';

const FILE = 'reelform.lock.json';
const text = serialiseLock(
  lockOf(
    new Map([
      ['10', 1],
      ['2', 1],
      ['a', 1],
      ['b', 2],
    ]),
  ),
);

describe('normaliseLock()', () => {
  test('keeps the output of serialiseLock() unchanged, for any lock', () => {
    fc.assert(
      fc.property(lock, (any) => {
        const written = serialiseLock(any);
        expect(normaliseLock(written, FILE)).toMatchObject({
          value: { text: written, differsAt: null, reordered: false, rewritten: [] },
        });
      }),
    );
  });

  test('restores the layout of a reformatted lockfile', () => {
    const value = { text, differsAt: 1, reordered: false, rewritten: [] };
    expect(normaliseLock(JSON.stringify(JSON.parse(text)), FILE)).toEqual({ ok: true, value });
    expect(normaliseLock(`\uFEFF${text}`, FILE)).toMatchObject({ value: { text, differsAt: 0 } });
    expect(normaliseLock(text.slice(0, -1), FILE)).toMatchObject({ value: { text, differsAt: text.length - 1 } });
  });

  test('sorts entries and fields and reports them', () => {
    const { videos, ...rest } = JSON.parse(text) as { videos: Record<string, { title: string }> };
    const { title, ...fields } = videos.b!;
    const edited = JSON.stringify({ ...rest, videos: { b: { title, ...fields }, ...videos } }, null, 2);
    expect(normaliseLock(edited, FILE)).toMatchObject({ value: { text, reordered: true, rewritten: [] } });
    const moved = JSON.stringify({ ...rest, videos: { ...videos, b: { ...fields, title, protect: false } } });
    expect(normaliseLock(moved, FILE)).toMatchObject({ value: { text, reordered: false, rewritten: ['b'] } });
  });

  test('refuses text that parseLock() refuses', () => {
    expect(normaliseLock('{', FILE)).toMatchObject({ diagnostics: [{ code: 'lock_unreadable' }] });
  });
});
