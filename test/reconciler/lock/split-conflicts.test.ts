import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, onTestFinished, test } from 'vitest';
import { serialiseLock } from '../../../src/reconciler/lock/lock-format.ts';
import { mergeLockTexts, splitConflicts } from '../../../src/reconciler/lock/merge-locks.ts';
import { lockOf } from '../../support/lock-branches.ts';

describe('splitConflicts()', () => {
  test('returns both sides, and a base if every conflict shows one', () => {
    const text = 'a\n<<<<<<< ours\nb\n||||||| 1234567\nc\n=======\nd\n>>>>>>> theirs\ne\n';
    expect(splitConflicts(text)).toEqual({ base: 'a\nc\ne\n', ours: 'a\nb\ne\n', theirs: 'a\nd\ne\n' });
    expect(splitConflicts('<<<<<<< HEAD\nb\n=======\n>>>>>>> x\ne')).toEqual({ base: null, ours: 'b\ne', theirs: 'e' });
    expect(splitConflicts(`${text}<<<<<<<\n=======\nf\n>>>>>>>\n`)).toMatchObject({
      base: null,
      theirs: 'a\nd\ne\nf\n',
    });
  });

  test('reads files with CRLF line endings', () => {
    expect(splitConflicts('<<<<<<< HEAD\r\nb\r\n=======\r\nc\r\n>>>>>>> x\r\n')).toMatchObject({ theirs: 'c\r\n' });
  });

  test.each([
    'a\n',
    '',
    '=======\n',
    '<<<<<<< x\na\n',
    '<<<<<<< x\n>>>>>>> x\n',
    '<<<<<<< x\n=======\n=======\n>>>>>>> x\n',
    '||||||| x\n',
    '<<<<<<< x\n<<<<<<< x\n=======\n>>>>>>> x\n',
  ])('refuses markers that git does not write: %j', (text) => {
    expect(splitConflicts(text)).toBeNull();
  });
});

const lockTextOf = (versions: Record<string, number>): string =>
  serialiseLock(lockOf(new Map(Object.entries(versions))));

describe.each(['merge', 'diff3', 'zdiff3'])('a lockfile with markers of the style %s', (style) => {
  test('merges to the same result as the three files', async () => {
    const texts = {
      base: lockTextOf({ a: 1, c: 1, d: 1, e: 1 }),
      ours: lockTextOf({ a: 1, b: 3, c: 3, d: 2, e: 1 }),
      theirs: lockTextOf({ a: 4, b: 3, c: 4, d: 1, e: 1, f: 1 }),
    };
    const folder = mkdtempSync(join(tmpdir(), 'reelform-markers-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, name), text);
    const flags = style === 'merge' ? [] : [`--${style}`];
    const marked = await execa('git', ['merge-file', '-p', ...flags, 'ours', 'base', 'theirs'], {
      cwd: folder,
      reject: false,
      stripFinalNewline: false,
    });
    expect(marked.stdout).toContain('<<<<<<< ours');
    const versions = splitConflicts(marked.stdout)!;
    const merged = mergeLockTexts(versions, 'reelform.lock.json');
    expect(merged.ok && serialiseLock(merged.value.lock)).toBe(lockTextOf({ a: 4, b: 3, c: 4, d: 2, e: 1, f: 1 }));
  });
});

describe('mergeLockTexts()', () => {
  const [one, two] = [lockTextOf({ a: 1 }), lockTextOf({ a: 1, b: 1 })];

  test.each([null, '', '<<<<<<< nested\n'])('treats a missing or unreadable base as empty: %j', (base) => {
    const merged = mergeLockTexts({ base, ours: one, theirs: two }, 'reelform.lock.json');
    expect(merged.ok && serialiseLock(merged.value.lock)).toBe(two);
  });

  test('refuses unreadable sides and names each', () => {
    const newer = one.replace('"lockfile_version": 1', '"lockfile_version": 2');
    const merged = mergeLockTexts({ base: one, ours: '', theirs: newer }, 'reelform.lock.json');
    expect(merged).toMatchObject({ diagnostics: [{ code: 'lock_unreadable' }, { code: 'lock_newer' }] });
    expect(!merged.ok && merged.diagnostics.map(({ message }) => /\((\w+)\)$/.exec(message)?.[1])).toEqual([
      'ours',
      'theirs',
    ]);
  });

  test('refuses a newer base', () => {
    const base = one.replace('"lockfile_version": 1', '"lockfile_version": 2');
    expect(mergeLockTexts({ base, ours: one, theirs: two }, 'x')).toMatchObject({
      diagnostics: [{ code: 'lock_newer' }],
    });
  });
});
