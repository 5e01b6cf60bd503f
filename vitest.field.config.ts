import { defineConfig } from 'vitest/config';

/** The engine beside lottie-web in Chromium, frame by frame: `npm run field`. Skipped where there is no Chromium. */
export default defineConfig({
  test: {
    globalSetup: ['test/support/temporary-setup.ts'],
    include: ['test/field/**/*.test.ts'],
    expect: { poll: { timeout: 40_000 } },
    testTimeout: 240_000,
    hookTimeout: 240_000,
    maxWorkers: 2,
  },
});
