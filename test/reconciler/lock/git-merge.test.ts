import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Lock } from '../../../src/reconciler/lock/lock.ts';
import { serialiseLock } from '../../../src/reconciler/lock/lock-format.ts';
import { mergeLocks } from '../../../src/reconciler/lock/merge-locks.ts';
import { lockOf, type MergeScenario, manyVideos, mergeScenarios, versionOf } from '../../support/lock-branches.ts';
import { type MergeRepository, mergeRepository } from '../../support/merging-repository.ts';

const FILE = 'reelform.lock.json';
const COUNT = 40;

/**
 * Creates the branches main and theirs, which both change a lockfile, and checks out main. @param texts.base null for
 * no common base
 */
async function branches(
  { base, ours, theirs }: { readonly base: string | null; readonly ours: string; readonly theirs: string },
  driver: boolean,
): Promise<MergeRepository> {
  const attributes = { '.gitattributes': `${FILE} merge=reelform\n` };
  const repository = await mergeRepository(base === null ? attributes : { ...attributes, [FILE]: base });
  if (driver) await repository.useDriver();
  await repository.git('checkout', '--quiet', '-b', 'theirs');
  await repository.commit({ [FILE]: theirs });
  await repository.git('checkout', '--quiet', 'main');
  await repository.commit({ [FILE]: ours });
  return repository;
}

function locks({ ours, theirs }: MergeScenario): Record<'base' | 'ours' | 'theirs', Lock> {
  let seed = 1;
  const random = (): number => {
    seed = (seed * 48_271) % 0x7fff_ffff;
    return seed / 0x7fff_ffff;
  };
  const versions = { base: manyVideos(COUNT), ours: manyVideos(COUNT), theirs: manyVideos(COUNT) };
  ours(versions.ours, random);
  theirs(versions.theirs, random);
  return { base: lockOf(versions.base), ours: lockOf(versions.ours), theirs: lockOf(versions.theirs) };
}

function textsOf(sides: Record<'base' | 'ours' | 'theirs', Lock>): Record<'base' | 'ours' | 'theirs', string> {
  return {
    base: serialiseLock(sides.base),
    ours: serialiseLock(sides.ours),
    theirs: serialiseLock(sides.theirs),
  };
}

const lockText = ({ root }: MergeRepository): string => readFileSync(join(root, FILE), 'utf8');

describe.each(mergeScenarios(COUNT, 20))('git merge, $name', (scenario) => {
  const sides = locks(scenario);

  test(`${scenario.conflicts ? 'conflicts' : 'is clean'} without the driver`, async () => {
    const repository = await branches(textsOf(sides), false);
    const { exitCode } = await repository.git('merge', '--no-edit', 'theirs');
    expect(exitCode).toBe(scenario.conflicts ? 1 : 0);
    if (!scenario.conflicts) expect(lockText(repository)).toBe(serialiseLock(mergeLocks(sides).lock));
  });

  test('merges cleanly and correctly with the driver', async () => {
    const repository = await branches(textsOf(sides), true);
    const { exitCode, stderr } = await repository.git('merge', '--no-edit', 'theirs');
    const merged = mergeLocks(sides);
    expect({ exitCode, text: lockText(repository) }).toEqual({ exitCode: 0, text: serialiseLock(merged.lock) });
    // Reports conflicts exactly where a decision was needed.
    expect(stderr.includes('both sides changed')).toBe(merged.decisions.length > 0);
    expect((await repository.git('status', '--porcelain')).stdout).toBe('');
  });
});

describe('the merge driver', () => {
  const scenario = mergeScenarios(COUNT, 20).find(({ name }) => name === 'both add at one place')!;
  const sides = locks(scenario);
  const texts = textsOf(sides);
  const merged = serialiseLock(mergeLocks(sides).lock);

  test.each<[string, (repository: MergeRepository) => ReturnType<MergeRepository['git']>]>([
    ['a rebase', ({ git }) => git('rebase', 'theirs')],
    ['a cherry-pick', ({ git }) => git('cherry-pick', 'theirs')],
    ['a merge started in a folder below', ({ root, git }) => git('-C', join(root, 'videos'), 'merge', 'theirs')],
  ])('works in %s', async (_, start) => {
    const repository = await branches(texts, true);
    await repository.commit({ 'videos/a.yaml': 'title: A\n' });
    expect(await start(repository)).toMatchObject({ exitCode: 0 });
    expect(lockText(repository)).toBe(merged);
  });

  test('keeps the output of git merge-tree readable', async () => {
    const repository = await branches(texts, true);
    const { exitCode, stdout } = await repository.git('merge-tree', '--write-tree', '--no-messages', 'main', 'theirs');
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: expect.stringMatching(/^[0-9a-f]{40}\n$/) });
  });

  test('merges lockfiles without a common base', async () => {
    const repository = await branches({ ...texts, base: null }, true);
    expect(await repository.git('merge', '--no-edit', 'theirs')).toMatchObject({ exitCode: 0 });
    expect(lockText(repository)).toBe(merged);
  });

  test('merges criss-cross branches, for which git also merges the bases', async () => {
    const { root, git, commit } = await branches(texts, true);
    const ours = (await git('rev-parse', 'main')).stdout.trim();
    await git('merge', '--no-edit', 'theirs');
    const update = (id: string, version: number): string => {
      const lock = mergeLocks(sides).lock;
      return serialiseLock({ ...lock, videos: new Map([...lock.videos, [id, versionOf(id, version)]]) });
    };
    await commit({ [FILE]: update('store-00020-a', 5) });
    await git('checkout', '--quiet', 'theirs');
    await git('merge', '--no-edit', ours);
    await commit({ [FILE]: update('store-00020-b', 6) });
    expect((await git('merge-base', '--all', 'main', 'theirs')).stdout.trim().split('\n')).toHaveLength(2);
    expect(await git('merge', '--no-edit', 'main')).toMatchObject({ exitCode: 0 });
    const text = readFileSync(join(root, FILE), 'utf8');
    expect([text.includes('rs_store-00020-a_5'), text.includes('rs_store-00020-b_6')]).toEqual([true, true]);
  });

  test.each([
    ['is newer', (text: string) => text.replace('"lockfile_version": 1', '"lockfile_version": 2'), 'lock_newer'],
    ['is broken', (text: string) => text.replace('"videos"', '"vid'), 'lock_unreadable'],
    ['has conflict markers', (text: string) => text.replace('{\n', '{\n<<<<<<< main\n'), 'lock_conflict'],
  ])("leaves a side that %s to the user, with git's conflict markers", async (_, spoil, code) => {
    const repository = await branches({ ...texts, theirs: spoil(texts.theirs) }, true);
    const { exitCode, stderr } = await repository.git('merge', '--no-edit', 'theirs');
    expect(exitCode).toBe(1);
    expect(stderr).toContain(code);
    expect(lockText(repository)).toMatch(/^<<<<<<< ours$/m);
    expect((await repository.git('status', '--porcelain')).stdout).toContain(`UU ${FILE}`);
  });
});
