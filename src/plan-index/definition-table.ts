import { byCodeUnit } from '../digest.ts';
import { type DefinitionColumns, definitionsWith, listAt } from './definition-columns.ts';
import { indexOfSorted, searchSorted } from './index-of-sorted.ts';
import type { RecordPlace, RememberedDefinition, TextRange } from './remembered-definition.ts';

/** Definitions by path in columns, and what the numbers in them stand for. */
export interface ColumnBase {
  readonly columns: DefinitionColumns;
  /** Of all files, by code unit. */
  readonly paths: readonly string[];
  /** Of all templates. */
  readonly names: readonly string[];
}

/**
 * All definitions that are remembered, each with a path of its own, in the order of their paths. One that stands in the
 * index is made when somebody asks for it; what was read since is laid over. A table does not change: what changes is
 * another one.
 */
export class DefinitionTable implements Iterable<RememberedDefinition> {
  readonly #base: ColumnBase;
  /** Indices in the base that are not in the table. */
  readonly #hidden: ReadonlySet<number>;
  readonly #own: ReadonlyMap<string, RememberedDefinition>;

  private constructor(base: ColumnBase, hidden: ReadonlySet<number>, own: ReadonlyMap<string, RememberedDefinition>) {
    this.#base = base;
    this.#hidden = hidden;
    this.#own = own;
  }

  static of(definitions: Iterable<RememberedDefinition>): DefinitionTable {
    return new DefinitionTable(NOTHING, new Set(), new Map(Array.from(definitions, (one) => [one.path, one])));
  }

  /** Those of an index. */
  static in(base: ColumnBase): DefinitionTable {
    return new DefinitionTable(base, new Set(), new Map());
  }

  get size(): number {
    return this.#base.columns.isSettled.length - this.#hidden.size + this.#own.size;
  }

  get videoCount(): number {
    let count = this.#base.columns.marks.length;
    for (const index of this.#hidden) count -= this.#read(index).ids.length;
    for (const { ids } of this.#own.values()) count += ids.length;
    return count;
  }

  /** How many of them are not in the index. */
  get newCount(): number {
    return [...this.#own.values()].filter(({ record }) => typeof record === 'string').length;
  }

  [Symbol.iterator](): Iterator<RememberedDefinition> {
    return this.#pick(this.#indices(), () => true)[Symbol.iterator]();
  }

  paths(): string[] {
    return [...this.#indices().map((index) => this.#pathAt(index)), ...this.#own.keys()].sort(byCodeUnit);
  }

  find(path: string): RememberedDefinition | undefined {
    const index = this.#indexOf(path);
    return this.#own.get(path) ?? (index === -1 ? undefined : this.#read(index));
  }

  /** Those that depend on one of these files or templates. */
  touchedBy(files: ReadonlySet<string>, templates: ReadonlySet<string>): RememberedDefinition[] {
    const { columns, paths, names } = this.#base;
    const fileIndices = new Set(Array.from(files, (path) => indexOfSorted(paths, path)));
    const templateIndices = new Set(Array.from(templates, (name) => names.indexOf(name)));
    const touched = new Set([
      ...definitionsWith(columns.origins, fileIndices),
      ...definitionsWith(columns.assets, fileIndices),
      ...definitionsWith(columns.templates, templateIndices),
    ]);
    const hasChanged = (path: string): boolean => files.has(path);
    return this.#pick(
      touched,
      ({ origins, assets, templates: used }) =>
        origins.some(hasChanged) || assets.some(hasChanged) || used.some((name) => templates.has(name)),
    );
  }

  /** Those that the last plan did not see, or had something to do for. */
  unsettled(): RememberedDefinition[] {
    const { isSettled } = this.#base.columns;
    const indices = this.#indices().filter((index) => isSettled[index] === 0);
    return this.#pick(indices, ({ settled }) => settled === null);
  }

  /** Of those that are settled the ones with a video whose fingerprint begins so. */
  settledLike(wanted: ReadonlySet<number>): RememberedDefinition[] {
    const { isSettled, marks, videos } = this.#base.columns;
    const isLike = (own: Float64Array | readonly number[]): boolean => own.some((mark: number) => wanted.has(mark));
    const alike = new Set<number>();
    for (let index = 0, video = 0; video < marks.length; video++) {
      while (videos[index + 1]! <= video) index++;
      if (isSettled[index] === 1 && wanted.has(marks[video]!)) alike.add(index);
    }
    return this.#pick(alike, ({ settled, marks: own }) => settled !== null && isLike(own));
  }

  /** Some definition that is settled and has a video; null when none does. */
  anySettled(): RememberedDefinition | null {
    const { isSettled, videos } = this.#base.columns;
    const isOne = (index: number): boolean => isSettled[index] === 1 && videos[index]! < videos[index + 1]!;
    const index = this.#indices().find(isOne);
    if (index !== undefined) return this.#read(index);
    return [...this.#own.values()].find(({ settled, ids }) => settled !== null && ids.length > 0) ?? null;
  }

  /** Whether a video has one of these ids, written without capitals. */
  hasAnyId(wanted: ReadonlySet<string>): boolean {
    if (wanted.size === 0) return false;
    const { ids, videos } = this.#base.columns;
    const lines = ids.toLowerCase().split('\n');
    const has = (index: number): boolean =>
      lines.slice(videos[index], videos[index + 1]).some((line) => wanted.has(line));
    return (
      this.#indices().some(has) ||
      [...this.#own.values()].some((one) => one.ids.some((id) => wanted.has(id.toLowerCase())))
    );
  }

  /** Whether a video goes to one of these places, or to one that looks like it. */
  hasAnyPlace(wanted: ReadonlySet<number>): boolean {
    return (
      definitionsWith(this.#base.columns.places, wanted).some((index) => !this.#hidden.has(index)) ||
      [...this.#own.values()].some(({ places }) => places.some((place) => wanted.has(place)))
    );
  }

  /** Whether a video uses the file. */
  hasAsset(path: string): boolean {
    const { columns, paths } = this.#base;
    const users = definitionsWith(columns.assets, new Set([indexOfSorted(paths, path)]));
    return (
      users.some((index) => !this.#hidden.has(index)) ||
      [...this.#own.values()].some(({ assets }) => assets.includes(path))
    );
  }

  without(paths: Iterable<string>): DefinitionTable {
    const hidden = new Set(this.#hidden);
    const own = new Map(this.#own);
    for (const path of paths) {
      const index = this.#indexOf(path);
      if (index !== -1) hidden.add(index);
      own.delete(path);
    }
    return new DefinitionTable(this.#base, hidden, own);
  }

  /** With these in place of those that have the same paths. */
  with(definitions: readonly RememberedDefinition[]): DefinitionTable {
    const kept = this.without(definitions.map(({ path }) => path));
    const own = new Map(kept.#own);
    for (const one of definitions) own.set(one.path, one);
    return new DefinitionTable(this.#base, kept.#hidden, own);
  }

  /** @param indices each once, those that are hidden left out */
  #pick(indices: Iterable<number>, test: (one: RememberedDefinition) => boolean): RememberedDefinition[] {
    const found = [...this.#own.values()].filter(test);
    for (const index of indices) if (!this.#hidden.has(index)) found.push(this.#read(index));
    return found.sort((a, b) => byCodeUnit(a.path, b.path));
  }

  #indices(): number[] {
    const all = Array.from({ length: this.#base.columns.isSettled.length }, (_, index) => index);
    return this.#hidden.size === 0 ? all : all.filter((index) => !this.#hidden.has(index));
  }

  /** In the base; -1 for what is not there, or hidden. */
  #indexOf(path: string): number {
    const { columns, paths } = this.#base;
    const file = indexOfSorted(paths, path);
    const { starts, values } = columns.origins;
    const fileOf = (index: number): number => values[starts[index]!]!;
    const index = file === -1 ? -1 : searchSorted(columns.isSettled.length, (one) => fileOf(one) - file);
    return this.#hidden.has(index) ? -1 : index;
  }

  #pathAt(index: number): string {
    const { columns, paths } = this.#base;
    return paths[columns.origins.values[columns.origins.starts[index]!]!]!;
  }

  #read(index: number): RememberedDefinition {
    const { columns, paths, names } = this.#base;
    const { videos, idStarts, entries, records } = columns;
    const own = Array.from({ length: videos[index + 1]! - videos[index]! }, (_, at) => videos[index]! + at);
    const isSettled = columns.isSettled[index] === 1;
    return {
      path: this.#pathAt(index),
      origins: Array.from(listAt(columns.origins, index), (file) => paths[file]!),
      assets: Array.from(listAt(columns.assets, index), (file) => paths[file]!),
      templates: Array.from(listAt(columns.templates, index), (name) => names[name]!),
      ids: own.map((video) => columns.ids.slice(idStarts[video], idStarts[video + 1]! - 1)),
      marks: own.map((video) => columns.marks[video]!),
      places: [...listAt(columns.places, index)],
      settled: isSettled ? own.map((at): TextRange => [entries[2 * at]!, entries[2 * at + 1]!]) : null,
      record: [...records.subarray(3 * index, 3 * index + 3)] as unknown as RecordPlace,
    };
  }
}

const NO_LISTS = { starts: new Uint32Array(1), values: new Uint32Array() };
const NO_NUMBERS = new Float64Array();

const NOTHING: ColumnBase = {
  columns: {
    origins: NO_LISTS,
    assets: NO_LISTS,
    templates: NO_LISTS,
    places: NO_LISTS,
    videos: new Uint32Array(1),
    ids: '',
    idStarts: new Uint32Array(1),
    marks: NO_NUMBERS,
    entries: NO_NUMBERS,
    isSettled: new Uint8Array(),
    records: NO_NUMBERS,
  },
  paths: [],
  names: [],
};
