import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/e2e/**'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // Two cores are the smallest machine this suite is meant for; renders inside it use both.
    maxWorkers: 2,
  },
});
