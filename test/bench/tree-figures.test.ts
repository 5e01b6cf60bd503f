import { describe, expect, it } from 'vitest';
import { figuresTable, treeFigures } from '../../bench/tree-figures.ts';

const TREE = new Map([
  ['src/index.ts', "export { plan } from './reconciler/plan/plan.ts';\nexport * from './reconciler/plan/other.ts';\n"],
  [
    'src/reconciler/plan/plan.ts',
    "import { name } from './other.ts';\n\nexport async function plan() {}\nexport type Plan = 1;\n",
  ],
  ['src/reconciler/plan/other.ts', `const name = 1;\nexport { name, name as Plan };\n${'\n'.repeat(399)}`],
  ['test/plan/plan.test.ts', 'one\ntwo\n'],
  ['test/proof/plan.proof.ts', 'one\n'],
  ['test/support/tree.ts', 'one\ntwo\nthree\n'],
]);

describe('treeFigures()', () => {
  const figures = treeFigures(TREE);

  it('counts files and lines of sources, tests and their support', () => {
    expect(figures).toMatchObject({ files: 3, lines: 407, under25: 2, over300: 1, over400: 1 });
    expect(figures.quantiles).toEqual({ p10: 2, p25: 2, median: 4, p75: 401, p90: 401, max: 401 });
    expect(figures.wings).toEqual({ reconciler: { files: 2, lines: 405 } });
    expect(figures.tests).toEqual({ files: 2, lines: 3, supportFiles: 1, supportLines: 3 });
  });

  it('counts what a file exports and imports', () => {
    expect(figures.exports).toEqual({ mean: 2, median: 2 });
    expect(figures.relativeImportsPer100Lines).toBe(0.74);
  });

  it('counts entries, spreads and the word "one"', () => {
    const text =
      'f({ ...{ a, b }, ...(c !== undefined && { c }), ...(d ? { d } : {}), ...e });\n// One of one; someone.\n';
    expect(
      treeFigures(
        new Map([
          ['src/a/b.ts', text],
          ['src/a/c.ts', ''],
          ['src/index.ts', ''],
        ]),
      ),
    ).toMatchObject({
      entries: 2,
      packedSpreads: 1,
      conditionalSpreads: 2,
      one: 2,
    });
  });

  it('finds the files that one other file imports', () => {
    expect(figures.oneImporter).toBe(1);
  });

  it('finds names that several files declare, and no re-exports', () => {
    expect(figures.homonyms).toEqual({ Plan: ['src/reconciler/plan/plan.ts', 'src/reconciler/plan/other.ts'] });
  });
});

describe('figuresTable()', () => {
  it('puts trees side by side', () => {
    const before = { name: 'before', figures: treeFigures(new Map([['src/kernel/a.ts', '\n']])) };
    const table = figuresTable([before, { name: 'now', figures: treeFigures(TREE) }]).split('\n');
    expect(table.slice(0, 4)).toEqual([
      '                                    before          now',
      'entries of src                           1            2',
      'source files                             1            3',
      'source lines                             1          407',
    ]);
    expect(table.slice(-2)).toEqual([
      'kernel/ files, lines                  1, 1         0, 0',
      'reconciler/ files, lines              0, 0       2, 405',
    ]);
  });
});
