import { expect, test } from 'vitest';
import { readPackageZip } from '../../src/template/archive/read-package-zip.ts';
import { bindMapping } from '../../src/template/bind/bind-mapping.ts';
import { parseTemplatePackage } from '../../src/template/parse-template-package.ts';
import { PACKAGE_BOMBS } from '../support/bombs/package-bombs.ts';
import { IS_FULL } from '../support/full-run.ts';

const VALUES = 'The animation has more than 1,500,000 values, which takes too long to render';
const YAML = 'at most 262144 are supported';

/** Sizes at which earlier versions accepted the package or blocked the process for minutes. */
const EXPECTED: readonly [name: string, sizeBytes: number, outcome: string][] = [
  ['lists of nothing', 5_000_000, VALUES],
  ['objects of nothing', 5_000_000, VALUES],
  ['fields of many names', 11_000_000, VALUES],
  ['numbers', 4_000_000, VALUES],
  ['keyframes', 6_000_000, VALUES],
  ['points of a path', 4_500_000, VALUES],
  ['one long number', 300_000, 'a number of more than 1000 characters'],
  ['levels of lists', 300_000, 'more than 1000 levels'],
  ['one long text', 3_000_000, 'taken'],
  ['other layers that refer to compositions', 300_000, 'taken'],
  ['compositions in compositions', 300_000, 'more than 20000'],
  ['images shown by compositions', 300_000, 'taken'],
  ['thousands of assets of one file', 3_200_000, 'taken'],
  ['a font that is listed again', 2_000_000, 'taken'],
  ['slots', 300_000, 'taken'],
  ['a manifest of editables', 300_000, YAML],
  ['a manifest of stills', 300_000, YAML],
  ['a manifest of names', 300_000, YAML],
  ['a manifest of aliases', 300_000, 'The aliases of this file expand to more than 10000 values'],
];

/** Packages of megabytes take seconds each. */
const SIZED = EXPECTED.filter(([, sizeBytes]) => IS_FULL || sizeBytes <= 300_000);

test.each(SIZED)('parseTemplatePackage() of a package with %s', (name, sizeBytes, outcome) => {
  const bomb = PACKAGE_BOMBS.find((candidate) => candidate.name === `Lottie: ${name}`)!;
  const files = readPackageZip(bomb.make(sizeBytes));
  if (!files.ok) throw new Error(files.diagnostics[0]!.message);
  const parsed = parseTemplatePackage('', files.value);
  if (!parsed.ok) {
    expect(parsed.diagnostics[0]!.message).toContain(outcome);
    return;
  }
  expect('taken').toBe(outcome);
  expect(bindMapping(parsed.value, { resources: {} }, new Map()).frameCount).toBe(10);
});

test('parseTemplatePackage() adds hints to only the first hundred mistakes', () => {
  const editables = Array.from(
    { length: 3_000 },
    (_, index) => `  t_${index}: { label: a, kind: text, stillcut: s }\n`,
  );
  const slots = Array.from({ length: 3_000 }, (_, index) => ({ sid: `t_x${index}`, k: [1] }));
  const files = readPackageZip(
    PACKAGE_BOMBS.find(({ name }) => name === 'Lottie: places of many slots')!.make(300_000),
  );
  if (!files.ok) throw new Error(files.diagnostics[0]!.message);
  const animation = JSON.parse(new TextDecoder().decode(files.value.get('animation.json'))) as { x: unknown };
  const texts = { ...animation, layers: [{ ty: 3, ks: {}, x: slots }] };
  const parsed = parseTemplatePackage(
    '',
    new Map([
      ['template.yaml', new TextEncoder().encode(`name: a\nstillcuts: { s: 0 }\neditables:\n${editables.join('')}`)],
      ['animation.json', new TextEncoder().encode(JSON.stringify(texts))],
    ]),
  );
  if (parsed.ok) throw new Error('taken');
  const meant = parsed.diagnostics.filter(({ hint }) => hint?.startsWith('Did you mean') === true);
  expect([parsed.diagnostics.length > 2_000, meant.length > 50, meant.length <= 100]).toEqual([true, true, true]);
});
