import fc from 'fast-check';
import { runs } from './full-run.ts';

// Properties that set no count.
fc.configureGlobal({ numRuns: runs(100) });
