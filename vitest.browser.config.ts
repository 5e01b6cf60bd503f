import { defineConfig } from 'vitest/config';

/** The page of `reelform preview` in Chromium, against the real server: `npm run browser`. Skipped where there is no Chromium. */
export default defineConfig({
  test: {
    globalSetup: ['test/support/temporary-setup.ts'],
    include: ['test/browser/**/*.test.ts'],
    expect: { poll: { timeout: 40_000 } },
    testTimeout: 240_000,
    hookTimeout: 240_000,
    maxWorkers: 1,
  },
});
