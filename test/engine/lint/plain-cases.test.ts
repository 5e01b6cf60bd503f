import { testCases } from './lint-cases.ts';
import { PLAIN_CASES } from './plain-cases.ts';

testCases(PLAIN_CASES);
