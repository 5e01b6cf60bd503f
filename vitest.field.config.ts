import { defineConfig } from 'vitest/config';

/** The engine beside lottie-web in Chromium, frame by frame: `npm run field`. Skipped where there is no Chromium. */
export default defineConfig({
  test: {
    globalSetup: ['test/support/temporary-setup.ts'],
    include: ['test/field/**/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
});
