import { defineConfig } from 'vitest/config';

/** Tests in Chromium. Skipped where there is none. */
export default defineConfig({
  test: {
    globalSetup: ['test/support/temporary-setup.ts'],
    expect: { poll: { timeout: 40_000 } },
    testTimeout: 240_000,
    hookTimeout: 240_000,
    // A third worker has the processor while the others wait for Chromium.
    maxWorkers: 3,
    projects: [
      // The engine beside lottie-web, frame by frame, and the page of a plan.
      { extends: true, test: { name: 'field', include: ['test/field/**/*.test.ts'] } },
      // The page of `reelform preview`, against the real server.
      { extends: true, test: { name: 'page', include: ['test/browser/**/*.test.ts'] } },
    ],
  },
});
