import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { bakeExpressions } from '../../../src/template/expressions/bake-expressions.ts';
import { evaluator } from '../../support/evaluator.ts';
import { some } from '../../support/full-run.ts';
import { bakedValue, CASES, type Case, casesByDocument, conformanceDocument } from './conformance.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../../docs/reference/expressions.md'), 'utf8');

const { resolve } = createRequire(import.meta.url);
/** The code of lottie-web that declares the names of expressions. */
const MANAGER = readFileSync(
  join(resolve('lottie-web/package.json'), '../player/js/utils/expressions/ExpressionManager.js'),
  'utf8',
);
/** Names of lottie-web's own, and of the page, which it hides. */
const INTERNAL = new Set([
  ...[
    'ob',
    'window',
    'document',
    'XMLHttpRequest',
    'fetch',
    'frames',
    '_lottieGlobal',
    'resetFrame',
    'val',
    'elemType',
    'noOp',
  ],
  ...[
    '$bm_isInstanceOfArray',
    'isNumerable',
    'helperLengthArray',
    'hue2rgb',
    'initiateExpression',
    'needsVelocity',
    'applyEase',
  ],
  ...['easeInBez', 'easeOutBez', 'easeInOutBez', '_needsRandom', 'scoped_bm_rt', 'expression_function', 'randSeed'],
  ...['globalData', 'executeExpression', 'thisProperty'],
]);
/** Of selectors of text animators, whose expressions are reported instead. */
const OF_SELECTORS = new Set(['textIndex', 'textTotal', 'selectorValue']);

const TESTED = some(CASES);
/** The layer of each tested case after baking, and why its expression was not baked. */
const results = new Map<Case, { readonly box: unknown; readonly failure: string | null }>();
beforeAll(async () => {
  const evaluate = await evaluator();
  for (const cases of casesByDocument(TESTED)) {
    const animation = conformanceDocument(cases);
    const boxes = (animation.layers as { nm: string }[]).filter(({ nm }) => nm === 'box');
    const baked = bakeExpressions(animation, evaluate).filter(({ layer }) => layer === 'box');
    for (const [index, each] of cases.entries()) {
      results.set(each, { box: boxes[index], failure: baked[index]!.failure });
    }
  }
});

describe('expressions of the After Effects reference', () => {
  it.each(TESTED)('$x is $value at frame $frame', (example) => {
    const { box, failure } = results.get(example)!;
    expect(failure).toBeNull();
    const value = bakedValue(box, example);
    if (typeof example.value === 'string') expect(value).toBe(example.value);
    else {
      const expected = [example.value].flat();
      for (const [index, number] of expected.entries()) {
        expect(Math.abs(Number(value[index]) - number)).toBeLessThanOrEqual(example.within);
      }
    }
  });

  it('cover every name that lottie-web gives to expressions', () => {
    const [outer = '', inner = ''] = MANAGER.split('function initiateExpression');
    const declared = (code: string, indent: number) =>
      [...code.matchAll(new RegExp(`^ {${indent}}(?:function|var) ([\\w$]+)`, 'gm'))].map(([, name]) => name!);
    const names = [...declared(outer, 2), ...declared(inner, 4)];
    expect(names).toEqual(expect.arrayContaining(['$bm_sum', 'loopOut', 'posterizeTime', 'thisComp']));
    // A name of the layer is the same without the layer.
    const isShown = (name: string) =>
      CASES.some(({ x }) => new RegExp(`(?<![\\w$])${name.replaceAll('$', '\\$')}(?![\\w$])`).test(x));
    expect(names.filter((name) => !isShown(name) && !INTERNAL.has(name) && !OF_SELECTORS.has(name))).toEqual([]);
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
