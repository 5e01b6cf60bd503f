import { defineConfig } from 'vitest/config';
import { FULL_ONLY, IS_FULL } from './test/support/full-run.ts';
import { testLanes } from './test/support/test-lanes.ts';

/** Integration tests that count or signal the child processes of their own process: it must have no others. */
const ALONE = /^test\/service\/(?:sandbox|sessions\/(?:isolation|processes))/;

/**
 * Integration tests that start git and programs by the hundred. A start copies the page tables of the process: from one that
 * has drawn and filled a gigabyte it takes three to four times as long as from a small one. Those that only start git have
 * a process of their own, because commands draw, too.
 */
const GIT = /^test\/reconciler\/(?:git|lock)\//;
const COMMANDS = /^test\/(?:cli|workflows)\//;

// A worker keeps the memory of large buffers instead of returning it: in a virtual machine a page of memory costs more
// than to fill it, a quarter of the time of tests that draw or build large files. Other allocators than glibc's ignore it.
process.env.MALLOC_MMAP_THRESHOLD_ ??= String(256 * 2 ** 20);
process.env.MALLOC_TRIM_THRESHOLD_ ??= String(512 * 2 ** 20);
// The same for the rasteriser, which returns memory after 10 ms.
process.env.MIMALLOC_PURGE_DELAY ??= '10000';

const lanes = testLanes(import.meta.dirname);
const named = process.argv.filter((argument) => argument.endsWith('.test.ts'));
const leftOut = IS_FULL ? [] : FULL_ONLY.filter((file) => !named.some((name) => file.endsWith(name)));
const unit = lanes.unit.filter((file) => !leftOut.includes(file));
const integration = lanes.integration.filter((file) => !leftOut.includes(file));
// Each project loads this file.
if (process.env.REELFORM_TESTS === undefined) {
  process.env.REELFORM_TESTS = 'local';
  console.error(
    `Left out: PostgreSQL, ${leftOut.length} slow files, most runs of properties. REELFORM_TESTS=full includes them.`,
  );
}

export default defineConfig({
  test: {
    globalSetup: ['test/support/temporary-setup.ts', 'test/support/postgres-setup.ts'],
    setupFiles: ['test/support/every-test-setup.ts'],
    // Some compare with a clock what another process does, and a busy machine can stop either. Those that passed at the
    // second go alone are named: test/support/every-test-setup.ts.
    retry: IS_FULL ? 1 : 0,
    // They end a test that hangs. On a slow or busy machine some take a minute.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 40_000 } },
    // Two cores are the smallest machine this suite is meant for; renders inside it use both. The third worker has them
    // while tests of the others wait for a process, a server or a clock.
    maxWorkers: 3,
    projects: [
      // These share a process. A process per file loads the same modules again and takes twice the time.
      {
        extends: true,
        test: { name: 'unit', include: [...unit], isolate: false, setupFiles: ['test/support/unit-setup.ts'] },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          include: integration.filter((file) => ![ALONE, GIT, COMMANDS].some((lane) => lane.test(file))),
          isolate: false,
        },
      },
      {
        extends: true,
        test: { name: 'commands', include: integration.filter((file) => COMMANDS.test(file)), isolate: false },
      },
      { extends: true, test: { name: 'git', include: integration.filter((file) => GIT.test(file)), isolate: false } },
      {
        extends: true,
        test: { name: 'integration-alone', include: integration.filter((file) => ALONE.test(file)) },
      },
    ],
  },
});
