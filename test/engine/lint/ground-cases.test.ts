import { GROUND_CASES } from './ground-cases.ts';
import { testCases } from './lint-cases.ts';

testCases(GROUND_CASES);
