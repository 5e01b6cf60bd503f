import { trackKey } from '../../contract/wire/mapping.ts';
import type { Span } from '../../kernel/diagnostic.ts';
import { child, type FilledCell, type MapNode, type ScalarNode, type TreeNode } from '../../kernel/yaml/tree.ts';
import { resourceSpan } from './scene-spans.ts';
import type { Video, VideoId } from './video.ts';

/** Key of the title in `FilledValues`. */
export const TITLE_KEY = '@title';

/** What values of a video are from, by editable, `trackKey` or `TITLE_KEY`. */
export interface FilledValues {
  /** Cells of a data row that filled in a value. */
  readonly cells: ReadonlyMap<string, readonly FilledCell[]>;
  /** Entries of catalogues that translated a value. */
  readonly entries: ReadonlyMap<string, Span>;
}

/** Shared: most of the videos of a large repository have neither. */
const NONE = new Map<string, never>();
const NO_CELLS: readonly FilledCell[] = [];
export const UNFILLED: FilledValues = { cells: NONE, entries: NONE };

/** Returns whether all values are written in the definition. */
export function isUnfilled({ cells, entries }: FilledValues): boolean {
  return cells.size === 0 && entries.size === 0;
}

/** Returns what filled in the values of a definition. */
export function filledValues(root: MapNode): FilledValues {
  let cells: Map<string, readonly FilledCell[]> | null = null;
  let entries: Map<string, Span> | null = null;
  const take = (key: string, value: TreeNode): void => {
    const filled = cellsIn(value);
    if (filled.length > 0) cells = (cells ?? new Map<string, readonly FilledCell[]>()).set(key, filled);
    const entry = entryIn(value);
    if (entry !== undefined) entries = (entries ?? new Map<string, Span>()).set(key, entry);
  };
  const takeEach = (node: TreeNode | null, keyOf: (name: string) => string): void => {
    if (node?.kind !== 'map') return;
    node.entries.forEach(({ value }, name) => {
      take(keyOf(name), value);
    });
  };
  const title = child(root, 'title');
  if (title !== null) take(TITLE_KEY, title);
  takeEach(child(root, 'resources'), (name) => name);
  takeEach(child(root, 'audio'), trackKey);
  return { cells: cells ?? NONE, entries: entries ?? NONE };
}

function cellsIn(node: TreeNode): readonly FilledCell[] {
  return node.kind === 'scalar' ? (node.cells ?? NO_CELLS) : valuesIn(node).flatMap(cellsIn);
}

/** Returns the entry of the first text from a catalogue. */
function entryIn(node: TreeNode): Span | undefined {
  if (node.kind === 'scalar') return node.entry;
  for (const value of valuesIn(node)) {
    const entry = entryIn(value);
    if (entry !== undefined) return entry;
  }
  return undefined;
}

function valuesIn(node: Exclude<TreeNode, ScalarNode>): readonly TreeNode[] {
  return node.kind === 'list' ? node.items : [...node.entries.values()].map(({ value }) => value);
}

/** Videos of definitions whose values can be located. */
export interface LocatedVideos {
  /** Without videos whose values are all written in their definitions. */
  readonly filled: ReadonlyMap<VideoId, FilledValues>;
  source(file: string): string | undefined;
}

/**
 * Returns the location of the value of an editable or track: the entry of the catalogue that translated it, the cell of its data
 * row, or the value in the definition. A value of several cells is located at its row.
 *
 * @param key null if only the video is known
 * @param shown part of the value that is meant
 */
export function valueSpan(
  { id, path }: Pick<Video, 'id' | 'path'>,
  key: string | null,
  { filled, source }: LocatedVideos,
  shown?: string,
): Span {
  const { cells: byKey, entries } = filled.get(id) ?? UNFILLED;
  const cells = key === null ? [] : (byKey.get(key) ?? []);
  const entry = key === null ? undefined : entries.get(key);
  const written = (): Span => entry ?? resourceSpan(path, source, key);
  // A part that no cell has is written in the definition or its translation.
  if (shown !== undefined) return cells.find(({ text }) => text.includes(shown))?.locate() ?? written();
  const [first] = cells;
  if (first === undefined || entry !== undefined) return written();
  return cells.length === 1 ? first.locate() : first.row;
}
