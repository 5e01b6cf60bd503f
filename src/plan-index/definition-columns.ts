import { bytesOf, float64s, uint32s } from './byte-parts.ts';
import type { RecordPlace, RememberedDefinition } from './remembered-definition.ts';

/**
 * Definitions as they stand in the index: numbers in columns, which cost nothing until somebody asks. Files and templates
 * are told by their index among all of them.
 */
export interface DefinitionColumns {
  readonly origins: Lists;
  readonly assets: Lists;
  readonly templates: Lists;
  /** No indices: what stands for places that videos go to. */
  readonly places: Lists;
  /** Where the videos of each definition begin; one number more says where the last ones end. */
  readonly videos: Uint32Array;
  /** A line for each video. */
  readonly ids: string;
  /** Where each line begins, and where the last one ends. */
  readonly idStarts: Uint32Array;
  readonly marks: Float64Array;
  /** Start and end for each video; of settled definitions alone they say something. */
  readonly entries: Float64Array;
  /** 1 or 0 for each definition. */
  readonly isSettled: Uint8Array;
  /** Offset, length and sum for each definition. */
  readonly records: Float64Array;
}

/** A list of numbers for each definition: those from its start to that of the next. */
export interface Lists {
  readonly starts: Uint32Array;
  readonly values: Uint32Array;
}

/** How many parts `encodeColumns` makes. */
export const COLUMN_PARTS = 15;

/** What stands in the index of a definition. */
export type StoredDefinition = RememberedDefinition & { readonly record: RecordPlace };

/**
 * @param definitions by path
 * @param fileIndex of each of their files, a larger one for a later path
 */
export function columnsOf(
  definitions: readonly StoredDefinition[],
  fileIndex: (path: string) => number,
  templateIndex: (name: string) => number,
): DefinitionColumns {
  const ids = definitions.flatMap((one) => one.ids);
  return {
    origins: listsOf(definitions.map(({ origins }) => origins.map(fileIndex))),
    assets: listsOf(definitions.map(({ assets }) => assets.map(fileIndex))),
    templates: listsOf(definitions.map(({ templates }) => templates.map(templateIndex))),
    places: listsOf(definitions.map(({ places }) => places)),
    videos: startsOf(definitions.map((one) => one.ids.length)),
    ids: ids.map((id) => `${id}\n`).join(''),
    idStarts: startsOf(ids.map(({ length }) => length + 1)),
    marks: Float64Array.from(definitions.flatMap(({ marks }) => marks)),
    entries: Float64Array.from(
      definitions.flatMap(({ settled, ids: own }) => settled?.flat() ?? own.flatMap(() => [0, 0])),
    ),
    isSettled: Uint8Array.from(definitions, ({ settled }) => (settled === null ? 0 : 1)),
    records: Float64Array.from(definitions.flatMap(({ record }) => record)),
  };
}

function listsOf(lists: readonly (readonly number[])[]): Lists {
  return { starts: startsOf(lists.map(({ length }) => length)), values: Uint32Array.from(lists.flat()) };
}

function startsOf(lengths: readonly number[]): Uint32Array {
  const starts = new Uint32Array(lengths.length + 1);
  lengths.forEach((length, index) => {
    starts[index + 1] = starts[index]! + length;
  });
  return starts;
}

/** The columns as bytes, a part for each, in the order in which they are read again. */
export function encodeColumns(columns: DefinitionColumns): Uint8Array[] {
  const { origins, assets, templates, places, videos, ids, idStarts, marks, entries, isSettled, records } = columns;
  const lists = [origins, assets, templates, places].flatMap(({ starts, values }) => [
    bytesOf(starts),
    bytesOf(values),
  ]);
  const numbers = [videos, idStarts, marks, entries, records].map(bytesOf);
  return [...lists, ...numbers, isSettled, Buffer.from(ids, 'latin1')];
}

/** @param parts of `encodeColumns`; their memory is kept */
export function decodeColumns(parts: readonly Buffer[]): DefinitionColumns {
  const part = (index: number): Buffer => parts[index]!;
  const lists = (index: number): Lists => ({ starts: uint32s(part(index)), values: uint32s(part(index + 1)) });
  return {
    origins: lists(0),
    assets: lists(2),
    templates: lists(4),
    places: lists(6),
    videos: uint32s(part(8)),
    idStarts: uint32s(part(9)),
    marks: float64s(part(10)),
    entries: float64s(part(11)),
    records: float64s(part(12)),
    isSettled: part(13),
    ids: part(14).toString('latin1'),
  };
}

/** The definitions in whose list one of these stands, in their order. */
export function definitionsWith({ starts, values }: Lists, wanted: ReadonlySet<number>): number[] {
  const found: number[] = [];
  if (wanted.size === 0) return found;
  for (let index = 0, at = 0; index + 1 < starts.length; index++) {
    const end = starts[index + 1]!;
    let isWanted = false;
    for (; at < end; at++) isWanted ||= wanted.has(values[at]!);
    if (isWanted) found.push(index);
  }
  return found;
}

/** A list of one definition. */
export function listAt({ starts, values }: Lists, index: number): Uint32Array {
  return values.subarray(starts[index], starts[index + 1]);
}
