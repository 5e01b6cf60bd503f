import { defineConfig } from 'vitest/config';
import { testLanes } from './test/support/test-lanes.ts';

/** Integration tests that leave the process as it was, and use no `test/support/databases.ts`: it keeps one for each file. */
const TOGETHER =
  /^test\/(?:apply|cli\/(?:comment|commit|doctor|drift|init|journal|lint|lock|plan|policy|repository)|definition|engine|forge|lock|plan|project|report|schema|server\/http|service|template|yaml)\//;

const { unit, integration } = testLanes(import.meta.dirname);

export default defineConfig({
  test: {
    globalSetup: ['test/support/temporary-setup.ts', 'test/support/postgres-setup.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // Two cores are the smallest machine this suite is meant for; renders inside it use both.
    maxWorkers: 2,
    projects: [
      // One process for all where that does no harm: one for each file, which loads the same again, takes twice the time.
      {
        extends: true,
        test: { name: 'unit', include: [...unit], isolate: false, setupFiles: ['test/support/unit-setup.ts'] },
      },
      {
        extends: true,
        test: { name: 'integration', include: integration.filter((file) => !TOGETHER.test(file)) },
      },
      {
        extends: true,
        test: {
          name: 'integration-together',
          include: integration.filter((file) => TOGETHER.test(file)),
          isolate: false,
        },
      },
    ],
  },
});
