import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Evaluate } from '../../src/template/expressions/bake-expressions.ts';
import { type EvaluationLimits, openEvaluator } from '../../src/template/expressions/evaluate-expressions.ts';

let usual: Promise<Evaluate> | undefined;

/** Loads the built evaluator of expressions. Tests with the usual limits share it. */
export function evaluator(limits?: EvaluationLimits): Promise<Evaluate> {
  if (limits !== undefined) return open(limits);
  usual ??= open();
  return usual;
}

function open(limits?: EvaluationLimits): Promise<Evaluate> {
  const path = join(import.meta.dirname, '../../dist/template/expressions/player.js');
  return openEvaluator(readFileSync(path, 'utf8'), limits);
}
