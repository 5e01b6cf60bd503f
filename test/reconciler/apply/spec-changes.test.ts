import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StyleVersion } from '../../../src/contract/wire/style-version.ts';
import { specChanges } from '../../../src/reconciler/apply/spec-changes.ts';
import { specArbitrary } from '../../support/spec-arbitrary.ts';

const spec: StyleVersion = {
  id: 'tsv_1',
  editables: {
    t_01: { input_type: 'text', stillcut: 's', max_length: 20 },
    c_01: { input_type: 'color', stillcut: 's' },
  },
  fonts: ['A'],
};
const { t_01, c_01 } = spec.editables as Record<'t_01' | 'c_01', StyleVersion['editables'][string]>;

describe('specChanges()', () => {
  it.each<[string, Partial<StyleVersion> & Record<string, unknown>, object[]]>([
    ['nothing', {}, []],
    ['the order of keys', { editables: { t_01: { max_length: 20, stillcut: 's', input_type: 'text' }, c_01 } }, []],
    ['a limit', { editables: { t_01: { ...t_01, max_length: 30 }, c_01 } }, [['t_01', 'max_length', 20, 30]]],
    [
      'a field that is new',
      { editables: { t_01, c_01: { ...c_01, label: 'L' } } },
      [['c_01', 'label', undefined, 'L']],
    ],
    ['an editable that is gone', { editables: { t_01 } }, [['c_01', null, c_01, undefined]]],
    ['one that is new', { editables: { t_01, c_01, constructor: c_01 } }, [['constructor', null, undefined, c_01]]],
    ['their order', { editables: { c_01, t_01 } }, [[null, 'editables', ['t_01', 'c_01'], ['c_01', 't_01']]]],
    ['fonts', { fonts: ['A', 'B'] }, [[null, 'fonts', ['A'], ['A', 'B']]]],
    ['what the interface does not have', { weather: 1 }, [[null, 'weather', undefined, 1]]],
  ])('finds %s', (_, change, expected) => {
    const changes = specChanges(spec, { ...spec, ...change });
    expect(changes.map(({ editable, field, before, after }) => [editable, field, before, after])).toEqual(expected);
  });

  it('finds something exactly if two specifications differ', () => {
    fc.assert(
      fc.property(specArbitrary, specArbitrary, (one, other) => {
        expect(specChanges(one, structuredClone(one))).toEqual([]);
        if (JSON.stringify(one) !== JSON.stringify(other)) expect(specChanges(one, other)).not.toEqual([]);
      }),
    );
  });
});
