import { byCodeUnit, type Sha256 } from '../digest.ts';
import type { FileSeen, FolderSeen } from '../project/read-log.ts';
import { type IndexFile, sumOf, writeIndex } from './index-file.ts';
import { type Head, statesOf, tupleAt } from './index-format.ts';
import { LazyMap } from './lazy-map.ts';
import { countVideos, type Memory, type RecordPlace, type RememberedDefinition, type Trusted } from './memory.ts';

/** The part of the index that is read when something changed. */
interface Body {
  readonly config: unknown;
  readonly templates: unknown;
  readonly loose: NonNullable<Memory['outcome']>['loose'] | null;
  /** 64 digits for each file, and for each folder, in the head's order. */
  readonly digests: string;
  readonly listings: string;
  readonly names: readonly string[];
  readonly definitions: readonly Row[];
}

/** Files by their index, templates by that of their name; what the last plan settled: starts and ends in turn. */
type Row = readonly [
  origins: readonly number[],
  assets: readonly number[],
  templates: readonly number[],
  ids: readonly string[],
  marks: readonly string[],
  settled: readonly number[] | 0,
  ...record: RecordPlace,
];

const DIGITS = 64;
/** Rewritten without what nobody needs any more when that is more than this and half of it all. */
const MOST_WASTE_BYTES = 1 << 20;

/**
 * Writes what is remembered over what was. EDGE.
 *
 * @param key of this program
 * @param base the open index that the memory came from
 */
export function storeMemory(path: string, key: string, memory: Memory, base: IndexFile | null): void {
  const files = [...memory.files].map(([file, seen]) => ({ path: file, ...seen }));
  const folders = [...memory.folders].map(([folder, seen]) => ({ path: folder, ...seen }));
  const reals = files.flatMap(({ path: file, real }) => (real === null ? [] : [[file, real]]));
  const { outcome, definitions } = memory;
  const head: Head = {
    meta: {
      key,
      absent: memory.absent,
      reals: Object.fromEntries(reals),
      outcome: outcome && { isEmpty: outcome.isEmpty, lock: outcome.lock, journal: outcome.journal },
      videos: countVideos(definitions),
      hasDiagnostics: [...memory.templates.values()].some(({ diagnostics }) => diagnostics.length > 0),
    },
    files: statesOf(files),
    folders: statesOf(folders),
    ways: memory.ways,
    outputs: outcome?.outputs ?? [],
  };
  const kept = base !== null && isWorthKeeping(definitions, base) ? base : null;
  const records: Buffer[] = [];
  let offset = kept?.recordBytes ?? 0;
  const indexOf = new Map(files.map((file, index) => [file.path, index]));
  const names = [...memory.templates.keys()];
  const rows: Row[] = [];
  for (const one of definitions) {
    let place = one.record;
    if (typeof place === 'string' || kept === null) {
      const text = typeof place === 'string' ? place : base?.record(place);
      if (text === null || text === undefined) return;
      const bytes = Buffer.from(text);
      place = [offset, bytes.length, sumOf(bytes)];
      records.push(bytes);
      offset += bytes.length;
    }
    rows.push([
      one.origins.map((file) => indexOf.get(file)!),
      one.assets.map((file) => indexOf.get(file)!),
      one.templates.map((name) => names.indexOf(name)),
      one.ids,
      one.marks,
      one.settled === null ? 0 : one.settled.flat(),
      ...place,
    ]);
  }
  const body: Body = {
    config: memory.config,
    templates: [...memory.templates],
    loose: outcome?.loose ?? null,
    digests: files.map(({ sha256 }) => sha256).join(''),
    listings: folders.map(({ listing }) => listing).join(''),
    names,
    definitions: rows,
  };
  writeIndex(path, kept, records, Buffer.from(JSON.stringify(body, writeMaps)), head);
}

function isWorthKeeping(definitions: readonly RememberedDefinition[], base: IndexFile): boolean {
  const used = definitions.reduce((sum, { record }) => sum + (typeof record === 'string' ? 0 : record[1]), 0);
  return base.recordBytes - used <= Math.max(MOST_WASTE_BYTES, used / 2);
}

/**
 * What an index remembers. EDGE.
 *
 * @returns null when it is not as it was written
 */
export function recallMemory(index: IndexFile): Memory | null {
  const body = index.body() as Body | null;
  if (body === null) return null;
  const { head } = index;
  const read = JSON.parse(JSON.stringify([body.config, body.templates]), readMaps) as [
    Memory['config'],
    [string, never][],
  ];
  const files = new LazyMap(head.files.paths, (path, at): Trusted<FileSeen> => {
    const sha256 = body.digests.slice(at * DIGITS, (at + 1) * DIGITS) as Sha256;
    const isTrusted = head.files.trust[at] === 1;
    return { tuple: tupleAt(head.files, at), sha256, real: head.meta.reals[path] ?? null, isTrusted };
  });
  const folders = new Map<string, Trusted<FolderSeen>>();
  head.folders.paths.forEach((path, at) => {
    const listing = body.listings.slice(at * DIGITS, (at + 1) * DIGITS) as Sha256;
    folders.set(path, { tuple: tupleAt(head.folders, at), listing, isTrusted: head.folders.trust[at] === 1 });
  });
  const { outcome, absent } = head.meta;
  return {
    config: read[0],
    templates: new Map(read[1]),
    files,
    folders,
    ways: head.ways,
    absent,
    definitions: body.definitions.map((row) => readRow(row, head.files.paths, body.names)),
    outcome: body.loose === null || outcome === null ? null : { ...outcome, outputs: head.outputs, loose: body.loose },
  };
}

function readRow(
  [origins, assets, templates, ids, marks, settled, ...record]: Row,
  paths: readonly string[],
  names: readonly string[],
): RememberedDefinition {
  return {
    path: paths[origins[0]!]!,
    origins: pick(paths, origins),
    assets: pick(paths, assets),
    templates: pick(names, templates),
    ids,
    marks,
    settled: settled === 0 ? null : pairs(settled),
    record,
  };
}

function pick(texts: readonly string[], indices: readonly number[]): string[] {
  // There are ten thousands of these lists, nearly all of one: called for each, a closure is what takes the time.
  if (indices.length === 1) return [texts[indices[0]!]!];
  return indices.map((index) => texts[index]!);
}

function pairs(numbers: readonly number[]): [number, number][] {
  const found: [number, number][] = [];
  for (let at = 0; at < numbers.length; at += 2) found.push([numbers[at]!, numbers[at + 1]!]);
  return found;
}

function writeMaps(_: string, value: unknown): unknown {
  return value instanceof Map ? { $map: [...value] } : value;
}

function readMaps(_: string, value: unknown): unknown {
  const map = (value as { $map?: [string, unknown][] } | null)?.$map;
  return map === undefined ? value : new Map(map);
}

/** By path: the order in which definitions are read. */
export function byPath(a: RememberedDefinition, b: RememberedDefinition): number {
  return byCodeUnit(a.path, b.path);
}
