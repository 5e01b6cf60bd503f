import { testCases } from './lint-cases.ts';
import { MOTION_CASES } from './motion-cases.ts';

testCases(MOTION_CASES);
