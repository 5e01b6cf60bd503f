import { describe, expect, it } from 'vitest';
import {
  columnsOf,
  decodeColumns,
  encodeColumns,
  type StoredDefinition,
} from '../../src/plan-index/definition-columns.ts';
import { DefinitionTable } from '../../src/plan-index/definition-table.ts';

const FILES = ['a.yaml', 'b.yaml', 'c.yaml', 'd.yaml', 'photo.png'];
const TEMPLATES = ['launch', 'plain'];

function definition(path: string, more: Partial<StoredDefinition> = {}): StoredDefinition {
  const ids = more.ids ?? [path.replace('.yaml', '')];
  return {
    path,
    origins: [path],
    assets: [],
    templates: ['launch'],
    marks: ids.map((id) => id.length),
    places: [],
    record: [7, 70, 2 ** 48 - 1],
    settled: ids.map((_, index) => [index * 10, index * 10 + 9]),
    ...more,
    ids,
  };
}

const A = definition('a.yaml', { ids: [], settled: [] });
const B = definition('b.yaml', { assets: ['photo.png'], templates: ['plain'], settled: null });
const C = definition('c.yaml', { ids: ['c/One', 'c/Three'], origins: ['c.yaml', 'd.yaml'], places: [3, 2 ** 32 - 1] });

/** The same table twice: laid over nothing, and in columns that were written and read. */
const TABLES: [string, DefinitionTable][] = [
  ['of rows', DefinitionTable.of([C, A, B])],
  ['in columns', inColumns([A, B, C])],
];

function inColumns(definitions: StoredDefinition[]): DefinitionTable {
  const columns = columnsOf(
    definitions,
    (path) => FILES.indexOf(path),
    (name) => TEMPLATES.indexOf(name),
  );
  const parts = encodeColumns(columns).map((part) => Buffer.from(Uint8Array.from(part).buffer));
  return DefinitionTable.in({ columns: decodeColumns(parts), paths: FILES, names: TEMPLATES });
}

const paths = (found: Iterable<{ path: string }>): string[] => Array.from(found, ({ path }) => path);

describe.each(TABLES)('DefinitionTable %s', (_, table) => {
  it('has every definition as it was, by path', () => {
    expect([...table]).toEqual([A, B, C]);
    expect([table.size, table.videoCount, table.paths()]).toEqual([3, 3, ['a.yaml', 'b.yaml', 'c.yaml']]);
    expect([table.find('c.yaml'), table.find('d.yaml'), table.find('x.yaml')]).toEqual([C, undefined, undefined]);
  });

  it('finds those that depend on a file or a template', () => {
    const none = new Set<string>();
    expect(paths(table.touchedBy(new Set(['d.yaml', 'x.yaml']), none))).toEqual(['c.yaml']);
    expect(paths(table.touchedBy(new Set(['photo.png', 'a.yaml']), none))).toEqual(['a.yaml', 'b.yaml']);
    expect(paths(table.touchedBy(none, new Set(['launch', 'other'])))).toEqual(['a.yaml', 'c.yaml']);
    expect([table.hasAsset('photo.png'), table.hasAsset('d.yaml'), table.hasAsset('x.png')]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('finds those that are settled, those that are not, and those alike', () => {
    expect(paths(table.unsettled())).toEqual(['b.yaml']);
    expect(table.anySettled()).toEqual(C);
    expect(paths(table.settledLike(new Set([1, 7])))).toEqual(['c.yaml']);
    expect(paths(table.settledLike(new Set([1])))).toEqual([]);
  });

  it('finds ids, whatever the case of their letters', () => {
    expect([
      table.hasAnyId(new Set(['x', 'c/one'])),
      table.hasAnyId(new Set(['one', 'c'])),
      table.hasAnyId(new Set()),
    ]).toEqual([true, false, false]);
  });

  it('finds places', () => {
    const has = (...places: number[]): boolean => table.hasAnyPlace(new Set(places));
    expect([has(7, 2 ** 32 - 1), has(7), has()]).toEqual([true, false, false]);
    const changed = table.with([definition('b.yaml', { places: [7] })]);
    expect([changed.hasAnyPlace(new Set([7])), changed.without(['c.yaml']).hasAnyPlace(new Set([3]))]).toEqual([
      true,
      false,
    ]);
  });

  it('is another table without some, and with others', () => {
    const other = definition('c.yaml', { ids: ['d'], templates: ['plain'], assets: ['photo.png'] });
    const changed = table.without(['b.yaml', 'x.yaml']).with([other]);
    expect([[...changed], changed.size, changed.videoCount]).toEqual([[A, other], 2, 1]);
    expect([changed.hasAnyId(new Set(['c/one'])), changed.hasAnyId(new Set(['d']))]).toEqual([false, true]);
    expect(paths(changed.touchedBy(new Set(['photo.png', 'd.yaml']), new Set()))).toEqual(['c.yaml']);
    expect([changed.hasAsset('photo.png'), changed.unsettled(), changed.anySettled()]).toEqual([true, [], other]);
    expect(paths(changed.settledLike(new Set([1, 7])))).toEqual(['c.yaml']);
    expect([...changed.without(['c.yaml'])]).toEqual([A]);
    expect([...table]).toEqual([A, B, C]);
  });
});
