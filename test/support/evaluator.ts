import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Evaluate } from '../../src/template/expressions/bake-expressions.ts';
import { type EvaluationLimits, openEvaluator } from '../../src/template/expressions/evaluate-expressions.ts';

/** Loads the built evaluator of expressions. */
export function evaluator(limits?: EvaluationLimits): Promise<Evaluate> {
  const path = join(import.meta.dirname, '../../dist/template/expressions/player.js');
  return openEvaluator(readFileSync(path, 'utf8'), limits);
}
