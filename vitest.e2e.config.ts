import { tmpdir } from 'node:os';
import { defineConfig } from 'vitest/config';

// On the disk of node_modules, to which clones link, and which packages are installed from.
process.env.TMPDIR ??= tmpdir();

/** Slow proofs on clones and packed packages: `npm run e2e`. */
export default defineConfig({
  test: {
    globalSetup: ['test/support/temporary-setup.ts'],
    include: ['test/e2e/**/*.test.ts'],
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // A third worker has the processor while the others wait for npm and programs.
    maxWorkers: 3,
  },
});
