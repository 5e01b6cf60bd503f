import { byCodeUnit, type Sha256 } from '../digest.ts';
import type { FileSeen, FolderSeen } from '../project/read-log.ts';
import { COLUMN_PARTS, columnsOf, decodeColumns, encodeColumns, type StoredDefinition } from './definition-columns.ts';
import { DefinitionTable } from './definition-table.ts';
import { type IndexFile, sumOf, writeIndex } from './index-file.ts';
import { type Head, isLine, statesOf, tupleAt } from './index-format.ts';
import { indexOfSorted } from './index-of-sorted.ts';
import { LazyMap } from './lazy-map.ts';
import type { Memory, Trusted } from './memory.ts';
import type { RecordPlace, RememberedDefinition } from './remembered-definition.ts';

/** What of the body can be said in JSON. Besides there are the digests of files and folders, in the head's order, and columns. */
interface BodyMeta {
  readonly config: Memory['config'];
  readonly templates: Memory['templates'];
  readonly loose: NonNullable<Memory['outcome']>['loose'] | null;
  /** Of templates, in the order of their indices. */
  readonly names: readonly string[];
}

const BODY_PARTS = 3 + COLUMN_PARTS;
const DIGEST_BYTES = 32;
/** Rewritten without what nobody needs any more when that is more than this and half of it all. */
const MOST_WASTE_BYTES = 1 << 20;

/**
 * Writes what is remembered over what was. EDGE.
 *
 * @param key of this program
 * @param base the open index that the memory came from
 */
export function storeMemory(path: string, key: string, memory: Memory, base: IndexFile | null): void {
  const files = sortedEntries(memory.files);
  const folders = sortedEntries(memory.folders);
  if (![...files, ...folders].every((one) => isLine(one.path))) return;
  const stored = placeRecords([...memory.definitions], base);
  if (stored === null) return;

  const { outcome } = memory;
  const reals = files.flatMap(({ path: file, real }) => (real === null ? [] : [[file, real]]));
  const head: Head = {
    meta: {
      key,
      absent: memory.absent,
      reals: Object.fromEntries(reals),
      outcome: outcome && { isEmpty: outcome.isEmpty, lock: outcome.lock, journal: outcome.journal },
      videos: memory.definitions.videoCount,
      hasDiagnostics: [...memory.templates.values()].some(({ diagnostics }) => diagnostics.length > 0),
    },
    files: statesOf(files),
    folders: statesOf(folders),
    ways: memory.ways,
    outputs: outcome?.outputs ?? { paths: [], sizes: new Float64Array() },
  };
  const names = [...memory.templates.keys()];
  const meta: BodyMeta = {
    config: memory.config,
    templates: memory.templates,
    loose: outcome?.loose ?? null,
    names,
  };
  const columns = columnsOf(
    stored.definitions,
    (file) => indexOfSorted(head.files.paths, file),
    (name) => names.indexOf(name),
  );
  const body = [
    Buffer.from(JSON.stringify(meta, writeMaps)),
    Buffer.from(files.map(({ sha256 }) => sha256).join(''), 'hex'),
    Buffer.from(folders.map(({ listing }) => listing).join(''), 'hex'),
    ...encodeColumns(columns),
  ];
  writeIndex(path, stored.base, stored.records, body, head);
}

function sortedEntries<T>(seen: ReadonlyMap<string, T>): ({ readonly path: string } & T)[] {
  return Array.from(seen, ([path, one]) => ({ path, ...one })).sort((a, b) => byCodeUnit(a.path, b.path));
}

interface PlacedRecords {
  readonly definitions: StoredDefinition[];
  /** Those that are added behind the base's. */
  readonly records: readonly Buffer[];
  /** Null: its records are not worth keeping. */
  readonly base: IndexFile | null;
}

/** @returns null when a record is not as it was written */
function placeRecords(definitions: readonly RememberedDefinition[], base: IndexFile | null): PlacedRecords | null {
  const kept = base !== null && isWorthKeeping(definitions, base) ? base : null;
  const records: Buffer[] = [];
  let offset = kept?.recordBytes ?? 0;
  const placed: StoredDefinition[] = [];
  for (const one of definitions) {
    let place: RecordPlace;
    if (typeof one.record !== 'string' && kept !== null) place = one.record;
    else {
      const text = typeof one.record === 'string' ? one.record : base?.record(one.record);
      if (text === null || text === undefined) return null;
      const bytes = Buffer.from(text);
      place = [offset, bytes.length, sumOf(bytes)];
      records.push(bytes);
      offset += bytes.length;
    }
    placed.push({ ...one, record: place });
  }
  return { definitions: placed, records, base: kept };
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
  const body = index.body(BODY_PARTS);
  if (body === null) return null;
  const { head } = index;
  const [metaPart, digests, listings, ...columns] = body as [Buffer, Buffer, Buffer, ...Buffer[]];
  const { config, templates, loose, names } = JSON.parse(metaPart.toString(), readMaps) as BodyMeta;
  const files = new LazyMap(head.files.paths, (path, at): Trusted<FileSeen> => {
    const isTrusted = head.files.trust[at] === 1;
    return {
      tuple: tupleAt(head.files, at),
      sha256: digestAt(digests, at),
      real: head.meta.reals[path] ?? null,
      isTrusted,
    };
  });
  const folders = new LazyMap(head.folders.paths, (_, at): Trusted<FolderSeen> => {
    const isTrusted = head.folders.trust[at] === 1;
    return { tuple: tupleAt(head.folders, at), listing: digestAt(listings, at), isTrusted };
  });
  const { outcome, absent } = head.meta;
  return {
    config,
    templates,
    files,
    folders,
    ways: head.ways,
    absent,
    definitions: DefinitionTable.in({ columns: decodeColumns(columns), paths: head.files.paths, names }),
    outcome: loose === null || outcome === null ? null : { ...outcome, outputs: head.outputs, loose },
  };
}

function digestAt(digests: Buffer, at: number): Sha256 {
  return digests.toString('hex', at * DIGEST_BYTES, (at + 1) * DIGEST_BYTES) as Sha256;
}

function writeMaps(_: string, value: unknown): unknown {
  return value instanceof Map ? { $map: [...value] } : value;
}

function readMaps(_: string, value: unknown): unknown {
  const map = (value as { $map?: [string, unknown][] } | null)?.$map;
  return map === undefined ? value : new Map(map);
}
