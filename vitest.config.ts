import { defineConfig } from 'vitest/config';
import { testLanes } from './test/support/test-lanes.ts';

/** Integration tests that leave no state in the process. */
const TOGETHER =
  /^test\/(?:apply|cli\/(?:check|comment|commit|drift|init|lock|plan|preview|render|service|template)|conformance|definition|delivery|deploy|engine|forge|git|http|lock|plan|project|report|schema|server|service|session\/(?:segments|sources)|template|yaml)\//;

const { unit, integration } = testLanes(import.meta.dirname);

export default defineConfig({
  test: {
    globalSetup: ['test/support/temporary-setup.ts', 'test/support/postgres-setup.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // Two cores are the smallest machine this suite is meant for; renders inside it use both.
    maxWorkers: 2,
    projects: [
      // These share a process. A process per file loads the same modules again and takes twice the time.
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
