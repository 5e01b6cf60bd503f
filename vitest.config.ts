import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    globalSetup: ['test/support/postgres-setup.ts'],
    include: ['test/**/*.test.ts'],
    exclude: ['test/e2e/**', 'test/field/**'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // Two cores are the smallest machine this suite is meant for; renders inside it use both.
    maxWorkers: 2,
  },
});
