import fc from 'fast-check';
import { afterEach } from 'vitest';
import { runs } from './full-run.ts';

// Properties that set no count.
fc.configureGlobal({ numRuns: runs(100) });

afterEach(({ task }) => {
  if ((task.result?.retryCount ?? 0) > 0) console.warn(`Failed before, and ran again: ${task.name}`);
});
