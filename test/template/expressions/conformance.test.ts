import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { bakeExpressions, type Evaluate } from '../../../src/template/expressions/bake-expressions.ts';
import { evaluator } from '../../support/evaluator.ts';
import { bakedValue, CASES, conformanceDocument } from './conformance.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../../docs/reference/expressions.md'), 'utf8');

let evaluate: Evaluate;
beforeAll(async () => {
  evaluate = await evaluator();
});

describe('expressions of the After Effects reference', () => {
  it.each(CASES)('$x is $value at frame $frame', (one) => {
    const animation = conformanceDocument(one);
    const [baked] = bakeExpressions(animation, evaluate).filter(({ layer }) => layer === 'box');
    expect(baked!.failure).toBeNull();
    const value = bakedValue(animation, one);
    if (typeof one.value === 'string') expect(value).toBe(one.value);
    else {
      const expected = [one.value].flat();
      for (const [index, number] of expected.entries()) {
        expect(Math.abs(Number(value[index]) - number)).toBeLessThanOrEqual(one.within);
      }
    }
  });

  it('are listed in the documentation, each with a case', () => {
    const [, table = ''] = PAGE.split('## Supported');
    const rows = table
      .split('\n## ')[0]!
      .split('\n')
      .filter((line) => line.startsWith('|'));
    const documented = [...rows.join('').matchAll(/`([^`]+)`/g)].map(([, name]) => name!).sort();
    expect([...new Set(CASES.flatMap(({ shows }) => shows))].sort()).toEqual(documented);
  });
});
