import { hash } from 'node:crypto';
import { closeSync, fstatSync, mkdirSync, openSync, readSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { unfinishedPath } from '../../kernel/replace-file.ts';
import type { FileSeen, FolderSeen, StatTuple } from '../project/read-log.ts';
import { byPath, type CachedDefinition, type CachedState, type LastPlan, type RecordRange } from './cached-state.ts';

/**
 * The plan cache is a text file of JSON: a first line with the lengths and digests of head and body, the head, the body,
 * and a record with the videos of each definition. A head, body or record that does not match its digest is not used.
 */
const FORMAT = 'reelform plan cache 1';
const FIRST_LINE_BYTES = 256;

/** The first part of the file, which every plan reads: enough to detect that nothing changed. */
export interface CacheHead {
  /** Identifies the program and user that wrote the cache. Only they use it. */
  readonly key: string;
  readonly files: readonly CachedStat[];
  readonly folders: readonly CachedStat[];
  /** Target of each linked path. */
  readonly links: Readonly<Record<string, string>>;
  readonly parentDirs: readonly string[];
  readonly absent: readonly string[];
  readonly lastPlan: Pick<LastPlan, 'isEmpty' | 'lock' | 'journal' | 'outputs'> | null;
  readonly videoCount: number;
  /** True if a plan reports anything besides its changes. */
  readonly hasDiagnostics: boolean;
}

export type CachedStat = readonly [path: string, isTrusted: boolean, tuple: StatTuple];

interface CacheBody {
  /** JSON with maps, see `writeMaps`. */
  readonly project: string;
  /** Digests of the head's files and folders, in their order. */
  readonly fileDigests: readonly FileSeen['sha256'][];
  readonly folderDigests: readonly FolderSeen['listing'][];
  readonly definitions: readonly CachedDefinition[];
  readonly unmatchedEntries: LastPlan['unmatchedEntries'] | null;
}

interface FirstLine {
  readonly format: string;
  readonly head: PartSum;
  readonly body: PartSum;
}

type PartSum = readonly [bytes: number, sha256: string];

/** An open plan cache. It stays readable when another process replaces the file. */
export class CacheFile {
  readonly head: CacheHead;
  readonly #file: number;
  readonly #first: FirstLine;
  #state: CachedState | null | undefined;
  /** All records; null before they were read together. */
  #records: Buffer | null = null;

  private constructor(file: number, first: FirstLine, head: CacheHead) {
    this.#file = file;
    this.#first = first;
    this.head = head;
  }

  /** Opens the file and reads its head. @returns null for a file that is missing, damaged, or has another key */
  static open(path: string, key: string): CacheFile | null {
    let file: number;
    try {
      file = openSync(path, 'r');
    } catch {
      return null;
    }
    try {
      const first = JSON.parse(readAt(file, 0, FIRST_LINE_BYTES).toString()) as FirstLine;
      const head = readPart<CacheHead>(file, FIRST_LINE_BYTES, first.head);
      if (first.format === FORMAT && head.key === key) return new CacheFile(file, first, head);
    } catch {
      // Damaged, or written by another version.
    }
    closeSync(file);
    return null;
  }

  /** Reads everything except the videos, once. @returns null when the file is damaged */
  readState(): CachedState | null {
    if (this.#state === undefined) this.#state = this.#readState();
    return this.#state;
  }

  #readState(): CachedState | null {
    const { head } = this;
    try {
      const start = FIRST_LINE_BYTES + this.#first.head[0];
      const body = readPart<CacheBody>(this.#file, start, this.#first.body);
      const project = JSON.parse(body.project, readMaps) as Pick<CachedState, 'config' | 'templates'>;
      const files = head.files.map(([path, isTrusted, tuple], index) => {
        return [path, { tuple, sha256: body.fileDigests[index]!, real: head.links[path] ?? null, isTrusted }] as const;
      });
      const folders = head.folders.map(([path, isTrusted, tuple], index) => {
        return [path, { tuple, listing: body.folderDigests[index]!, isTrusted }] as const;
      });
      const { parentDirs, absent, lastPlan } = head;
      const { definitions, unmatchedEntries } = body;
      return {
        ...project,
        files: new Map(files),
        folders: new Map(folders),
        parentDirs,
        absent,
        definitions: byPath(definitions),
        lastPlan: lastPlan === null || unmatchedEntries === null ? null : { ...lastPlan, unmatchedEntries },
      };
    } catch {
      return null;
    }
  }

  /** Reads the records of all definitions together: one after the other takes longer. */
  readRecords(): void {
    if (this.#records !== null) return;
    const start = this.#recordsStart;
    this.#records = readAt(this.#file, start, fstatSync(this.#file).size - start);
  }

  get #recordsStart(): number {
    const { head, body } = this.#first;
    return FIRST_LINE_BYTES + head[0] + body[0];
  }

  /** Reads the videos of a definition. @returns null when they are damaged */
  record(range: RecordRange): string | null {
    const bytes = this.recordBytes(range);
    return bytes !== null && recordSum(bytes) === range[2] ? bytes.toString() : null;
  }

  /** Returns a record, which may be damaged; null when the file is too short. */
  recordBytes([offset, length]: RecordRange): Buffer | null {
    const known = this.#records?.subarray(offset, offset + length);
    if (known?.length === length) return known;
    try {
      return readAt(this.#file, this.#recordsStart + offset, length);
    } catch {
      return null;
    }
  }
}

/**
 * Writes the plan cache, or keeps the present file if that fails. Not synced to disk: a crash may lose it.
 *
 * @param key of this program
 * @param before open cache from which the state was loaded
 */
export function writeCacheFile(path: string, key: string, state: CachedState, before: CacheFile | null): void {
  const stored = storeRecords(state, before);
  if (stored === null) return;
  const { files, folders, lastPlan, parentDirs, absent, config, templates } = state;
  const links = [...files].flatMap(([file, { real }]) => (real === null ? [] : [[file, real]]));
  const head: CacheHead = {
    key,
    files: statsOf(files),
    folders: statsOf(folders),
    links: Object.fromEntries(links),
    parentDirs,
    absent,
    lastPlan: lastPlan && {
      isEmpty: lastPlan.isEmpty,
      lock: lastPlan.lock,
      journal: lastPlan.journal,
      outputs: lastPlan.outputs,
    },
    videoCount: [...state.definitions.values()].reduce((count, { ids }) => count + ids.length, 0),
    hasDiagnostics:
      [...templates.values()].some(({ diagnostics }) => diagnostics.length > 0) ||
      [...state.definitions.values()].some(
        ({ leftOut, texts }) => texts.length > 0 || leftOut.some(({ byWhere }) => byWhere !== true),
      ),
  };
  const body: CacheBody = {
    project: JSON.stringify({ config, templates }, writeMaps),
    fileDigests: Array.from(files.values(), ({ sha256 }) => sha256),
    folderDigests: Array.from(folders.values(), ({ listing }) => listing),
    definitions: stored.definitions,
    unmatchedEntries: lastPlan?.unmatchedEntries ?? null,
  };
  const parts = [head, body].map((part) => Buffer.from(`${JSON.stringify(part)}\n`));
  const [headSum, bodySum] = parts.map((part) => [part.length, hash('sha256', part)] as const);
  const first = JSON.stringify({ format: FORMAT, head: headSum, body: bodySum });
  const unfinished = unfinishedPath(dirname(path));
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(
      unfinished,
      Buffer.concat([Buffer.from(`${first.padEnd(FIRST_LINE_BYTES - 1)}\n`), ...parts, ...stored.records]),
    );
    renameSync(unfinished, path);
  } catch {
    // The disk is full or read-only, so the next plan takes longer.
    rmSync(unfinished, { force: true });
  }
}

/**
 * Lays out the videos of all definitions. A damaged record keeps its digest, so that it is not used.
 *
 * @returns null when the open cache is too short
 */
function storeRecords(
  { definitions }: CachedState,
  before: CacheFile | null,
): { definitions: readonly CachedDefinition[]; records: readonly Buffer[] } | null {
  const records: Buffer[] = [];
  const stored: CachedDefinition[] = [];
  let offset = 0;
  before?.readRecords();
  for (const definition of definitions.values()) {
    const { videos } = definition;
    const bytes = typeof videos === 'string' ? Buffer.from(videos) : (before?.recordBytes(videos) ?? null);
    if (bytes === null) return null;
    const sum = typeof videos === 'string' ? recordSum(bytes) : videos[2];
    stored.push({ ...definition, videos: [offset, bytes.length, sum] });
    records.push(bytes);
    offset += bytes.length;
  }
  return { definitions: stored, records };
}

function statsOf(seen: ReadonlyMap<string, { tuple: StatTuple; isTrusted: boolean }>): CachedStat[] {
  return Array.from(seen, ([path, { tuple, isTrusted }]) => [path, isTrusted, tuple]);
}

/** @throws when it is damaged */
function readPart<T>(file: number, offset: number, [length, sha256]: PartSum): T {
  const bytes = readAt(file, offset, length);
  if (hash('sha256', bytes) !== sha256) throw new Error('damaged');
  return JSON.parse(bytes.toString()) as T;
}

/** @throws when the file is too short */
function readAt(file: number, offset: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  if (readSync(file, bytes, 0, length, offset) < length) throw new Error('cut short');
  return bytes;
}

/** Returns the first 48 bits of the SHA-256 of a record. */
function recordSum(record: Uint8Array): number {
  return hash('sha256', record, 'buffer').readUIntBE(0, 6);
}

function writeMaps(_: string, value: unknown): unknown {
  return value instanceof Map ? { $map: [...value] } : value;
}

function readMaps(_: string, value: unknown): unknown {
  const map = (value as { $map?: [string, unknown][] } | null)?.$map;
  return map === undefined ? value : new Map(map);
}
