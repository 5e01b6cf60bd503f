import { testCases } from './lint-cases.ts';
import { SCRIPT_CASES } from './script-cases.ts';

testCases(SCRIPT_CASES);
