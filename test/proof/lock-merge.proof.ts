import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Lock } from '../../src/reconciler/lock/lock.ts';
import { serialiseLock } from '../../src/reconciler/lock/lock-format.ts';
import { mergeLocks } from '../../src/reconciler/lock/merge-locks.ts';
import { lockOf, type MergeScenario, manyVideos, mergeScenarios } from '../support/lock-branches.ts';
import { type MergeRepository, mergeRepository } from '../support/merging-repository.ts';
import { count, tell } from '../support/proof.ts';

const FILE = 'reelform.lock.json';
const ENTRIES = 1000;
const TRIALS = count(12, 1);

type Sides = Readonly<Record<'base' | 'ours' | 'theirs', Lock>>;

function sidesOf({ ours, theirs }: MergeScenario): Sides {
  const versions = { base: manyVideos(ENTRIES), ours: manyVideos(ENTRIES), theirs: manyVideos(ENTRIES) };
  ours(versions.ours, Math.random);
  theirs(versions.theirs, Math.random);
  return { base: lockOf(versions.base), ours: lockOf(versions.ours), theirs: lockOf(versions.theirs) };
}

/** A real merge of two branches of a repository with earlier merges. */
async function merge(
  { root, git, commit }: MergeRepository,
  sides: Sides,
): Promise<{ isConflict: boolean; isRight: boolean }> {
  await git('merge', '--abort');
  await git('checkout', '--quiet', '--force', '-B', 'ours', 'main');
  await commit({ [FILE]: serialiseLock(sides.base) });
  await git('checkout', '--quiet', '-B', 'theirs');
  await commit({ [FILE]: serialiseLock(sides.theirs) });
  await git('checkout', '--quiet', 'ours');
  await commit({ [FILE]: serialiseLock(sides.ours) });
  const { exitCode } = await git('merge', '--no-edit', 'theirs');
  const isRight = readFileSync(join(root, FILE), 'utf8') === serialiseLock(mergeLocks(sides).lock);
  return { isConflict: exitCode !== 0, isRight };
}

describe(`git merge of lockfiles of ${ENTRIES} entries, ${TRIALS} trials each`, () => {
  test('conflicts only without the driver and never gives a wrong result', async () => {
    const plain = await mergeRepository({ 'README.md': '' });
    const driven = await mergeRepository({ '.gitattributes': `${FILE} merge=reelform\n` });
    await driven.useDriver();
    for (const index of mergeScenarios(ENTRIES, 0).keys()) {
      const counts = { plain: 0, driven: 0 };
      let scenario: MergeScenario | null = null;
      for (let trial = 0; trial < TRIALS; trial++) {
        scenario = mergeScenarios(ENTRIES, Math.floor(Math.random() * (ENTRIES - 4)))[index]!;
        const sides = sidesOf(scenario);
        const without = await merge(plain, sides);
        const withDriver = await merge(driven, sides);
        counts.plain += Number(without.isConflict);
        counts.driven += Number(withDriver.isConflict);
        // A merge without conflicts must be correct with or without the driver.
        expect([without.isConflict || without.isRight, withDriver.isRight]).toEqual([true, true]);
      }
      expect(counts).toEqual({ plain: scenario?.conflicts === true ? TRIALS : 0, driven: 0 });
      tell(`${scenario?.name.padEnd(34)} conflicts of ${TRIALS}: plain git ${counts.plain}, driver ${counts.driven}`);
    }
  });
});
