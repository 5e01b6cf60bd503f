import { defineConfig } from 'vitest/config';

/** Folders whose tests are of values alone: nothing of the process is changed by them. */
const OF_VALUES = 'test/{apply,definition,lock,plan,project,report,schema,template,yaml}/**/*.test.ts';

export default defineConfig({
  test: {
    globalSetup: ['test/support/postgres-setup.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // Two cores are the smallest machine this suite is meant for; renders inside it use both.
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: {
          name: 'apart',
          include: ['test/**/*.test.ts'],
          exclude: ['test/e2e/**', 'test/field/**', OF_VALUES],
        },
      },
      // One process for all: to start one for each file, and to load the same into it, took longer than the tests.
      { extends: true, test: { name: 'values', include: [OF_VALUES], isolate: false } },
    ],
  },
});
