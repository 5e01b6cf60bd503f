import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Lock } from '../../../src/reconciler/lock/lock.ts';
import { parseLock, serialiseLock } from '../../../src/reconciler/lock/lock-format.ts';
import { lockOf as lockOfVersions } from '../../support/lock-branches.ts';

const lockOf = (versions: Record<string, number>): Lock => lockOfVersions(new Map(Object.entries(versions)));

const base = { a: 1, b: 1, c: 1, d: 1, e: 1 };
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reelform-merge-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function merge(ours: Record<string, number>, theirs: Record<string, number>): Promise<string> {
  const paths = { ours: join(folder, 'ours'), base: join(folder, 'base'), theirs: join(folder, 'theirs') };
  await writeFile(paths.ours, serialiseLock(lockOf(ours)));
  await writeFile(paths.base, serialiseLock(lockOf(base)));
  await writeFile(paths.theirs, serialiseLock(lockOf(theirs)));
  const { stdout } = await execa('git', ['merge-file', '-p', paths.ours, paths.base, paths.theirs], {
    reject: false,
    stripFinalNewline: false,
  });
  return stdout;
}

describe('a git merge of lockfiles', () => {
  test.each([
    ['neighbours updated', { ...base, b: 2 }, { ...base, c: 2 }, { ...base, b: 2, c: 2 }],
    ['one forgotten beside one updated', { a: 1, c: 1, d: 1, e: 1 }, { ...base, c: 2 }, { a: 1, c: 2, d: 1, e: 1 }],
    ['added in different places', { ...base, bb: 1 }, { ...base, dd: 1 }, { ...base, bb: 1, dd: 1 }],
    [
      'the first updated, the last forgotten',
      { a: 1, b: 1, c: 1, d: 1 },
      { ...base, a: 2 },
      { a: 2, b: 1, c: 1, d: 1 },
    ],
  ])('is clean: %s', async (_, ours, theirs, merged) => {
    expect(await merge(ours, theirs)).toBe(serialiseLock(lockOf(merged)));
  });

  test('leaves conflict markers for which the lockfile is refused', async () => {
    const text = await merge({ ...base, b: 2 }, { ...base, b: 3 });
    expect(parseLock(text, 'reelform.lock.json')).toMatchObject({ diagnostics: [{ code: 'lock_conflict' }] });
  });
});
