import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Diagnostic } from '../../../src/kernel/diagnostic.ts';
import { parseYaml } from '../../../src/kernel/yaml/parse-yaml.ts';
import { toJson } from '../../../src/kernel/yaml/tree.ts';
import { fillIn } from '../../../src/reconciler/definition/fill-in.ts';
import type { Row } from '../../../src/reconciler/definition/read-rows.ts';

function rowOf(values: Readonly<Record<string, string>>): Row {
  const span = { file: 'data/rows.csv', start: 0, end: 1 };
  const name = 'data/rows.csv line 2';
  return { values: new Map(Object.entries(values)), file: 'data/rows.csv', name, span, cellSpan: () => span };
}

/** Returns one value after filling in, with the codes and hints of problems. */
function fill(text: string, row: Row | null): [string, string[]] {
  const parsed = parseYaml('a.yaml', JSON.stringify([text]));
  if (!parsed.ok || parsed.value === null) throw new Error('not a text');
  const problems: Diagnostic[] = [];
  const [filled] = toJson(fillIn(parsed.value, row, problems), () => true) as string[];
  return [filled!, problems.map(({ code, hint }) => `${code}: ${hint}`)];
}

describe('fillIn()', () => {
  const row = rowOf({ city: 'Berlin', 'store name': 'Mitte', empty: '', tricky: '${city} $& $1' });
  it.each([
    ['Hello ${city}!', 'Hello Berlin!'],
    ['${city}/${city}', 'Berlin/Berlin'],
    ['${ store name }', 'Mitte'],
    ['a${empty}b', 'ab'],
    ['$${city}', '${city}'],
    ['$$${city}', '$${city}'],
    ['$city $5 }{', '$city $5 }{'],
    ['${tricky}', '${city} $& $1'],
  ])('fills %j as %j', (text, filled) => {
    expect(fill(text, row)).toEqual([filled, []]);
  });

  it('reports an unknown column with the closest one', () => {
    expect(fill('${citty}', row)[1]).toEqual(['unknown_variable: Did you mean ${city}?']);
    expect(fill('${zzz}', row)[1]).toEqual(['unknown_variable: The columns are city, store name, empty, tricky']);
  });

  it('reports an unclosed placeholder', () => {
    expect(fill('a ${city', row)[1]).toEqual([expect.stringMatching(/^unknown_variable: Close it/)]);
  });

  it('limits the result to 65,536 characters', () => {
    const big = rowOf({ a: 'x'.repeat(1_000) });
    expect(fill('${a}'.repeat(65), big)[1]).toEqual([]);
    expect(fill('${a}'.repeat(100_000), big)[1]).toEqual([expect.stringMatching(/^text_too_long/)]);
  });

  it('reports a placeholder outside of rows', () => {
    expect(fill('${city}', null)[1]).toEqual([expect.stringMatching(/^unknown_variable: Write \$\$\{city\}/)]);
    expect(fill('$${city}', null)).toEqual(['${city}', []]);
  });

  it('restores any escaped text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        fc.pre(!/[\x00-\x1f\x7f-\x9f]/.test(text));
        const escaped = text.replaceAll('${', '$${');
        expect(fill(escaped, row)).toEqual([text, []]);
      }),
    );
  });
});
