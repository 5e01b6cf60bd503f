import { tmpdir } from 'node:os';
import { defineConfig } from 'vitest/config';

/**
 * Heavy proofs, each a test of its own: kill loops, races, floods, fuzzing. `npm run proof` runs them whole; with
 * REELFORM_PROOF=scaled, as in CI, they run the same at a smaller count.
 */
const isScaled = process.env.REELFORM_PROOF === 'scaled';

/** Left out of the small run: a test of `npm test` has the same cases, or their figures mean nothing at a smaller count. */
const WHOLE_ONLY = [
  'attackers',
  'fault-matrix',
  'lock-merge',
  'merge-flow',
  'merge-flow-fork',
  'merge-flow-forge',
  'others-stay-fast',
  'plan-cache',
  'simulate-apply',
  'workflows',
];

// Whole, they write to a disk, as the program does.
if (!isScaled) process.env.TMPDIR ??= tmpdir();

export default defineConfig({
  test: {
    globalSetup: ['test/support/temporary-setup.ts', 'test/support/postgres-setup.ts'],
    include: ['test/proof/**/*.proof.ts'],
    exclude: isScaled ? WHOLE_ONLY.map((name) => `test/proof/${name}.proof.ts`) : [],
    testTimeout: 3_600_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    // Whole, each has the machine to itself: its figures are quoted. At a smaller count two go on at once.
    maxWorkers: isScaled ? 2 : 1,
    fileParallelism: isScaled,
    env: { REELFORM_PROOF: process.env.REELFORM_PROOF ?? 'full', REELFORM_TESTS: 'full' },
    // The figures are what a proof is run for.
    disableConsoleIntercept: true,
    // Pixels are collected as in the threads that draw.
    execArgv: ['--expose-gc'],
  },
});
