import { defineConfig } from 'vitest/config';

/** Folders whose tests leave the process as it was, and use no `test/support/databases.ts`: it keeps one for each file. */
const TOGETHER =
  'test/{apply,cli/{comment,commit,doctor,drift,init,journal,lint,lock,plan,policy,repository},definition,engine,forge,lock,plan,project,report,schema,server/http,service,template,yaml}/**/*.test.ts';

export default defineConfig({
  test: {
    globalSetup: ['test/support/temporary-setup.ts', 'test/support/postgres-setup.ts'],
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
          exclude: ['test/e2e/**', 'test/field/**', TOGETHER],
        },
      },
      // One process for all: one for each file, which loads the same again, takes twice the time.
      { extends: true, test: { name: 'together', include: [TOGETHER], isolate: false } },
    ],
  },
});
