import { trackKey } from '../../contract/wire/mapping.ts';
import type { Span } from '../../kernel/diagnostic.ts';
import { child, type FilledCell, type MapNode, type TreeNode } from '../../kernel/yaml/tree.ts';
import { resourceSpan } from './scene-spans.ts';
import type { Video, VideoId } from './video.ts';

/** Key of the title in `FilledCells`. */
export const TITLE_KEY = '@title';

/** Cells of a data row that filled in values of a video, by editable, `trackKey` or `TITLE_KEY`. */
export type FilledCells = ReadonlyMap<string, readonly FilledCell[]>;

/** Returns the cells that filled in a definition; empty for a definition without a row. */
export function filledCells(root: MapNode): FilledCells {
  const found = new Map<string, readonly FilledCell[]>();
  const take = (node: TreeNode | null, keyOf: (name: string) => string): void => {
    if (node?.kind !== 'map') return;
    for (const [name, { value }] of node.entries) {
      const cells = cellsIn(value);
      if (cells.length > 0) found.set(keyOf(name), cells);
    }
  };
  const title = child(root, 'title');
  const ofTitle = title === null ? [] : cellsIn(title);
  if (ofTitle.length > 0) found.set(TITLE_KEY, ofTitle);
  take(child(root, 'resources'), (name) => name);
  take(child(root, 'audio'), trackKey);
  return found;
}

function cellsIn(node: TreeNode): readonly FilledCell[] {
  if (node.kind === 'scalar') return node.cells ?? [];
  return (node.kind === 'list' ? node.items : [...node.entries.values()].map(({ value }) => value)).flatMap(cellsIn);
}

/** Videos of definitions whose values can be located. */
export interface LocatedVideos {
  /** Without videos that no data row filled in. */
  readonly cells: ReadonlyMap<VideoId, FilledCells>;
  source(file: string): string | undefined;
}

/**
 * Returns the location of the value of an editable or track: the cell of its data row, or the value in the definition. A
 * value of several cells is located at its row.
 *
 * @param key null if only the video is known
 * @param shown part of the value that is meant
 */
export function valueSpan(
  { id, path }: Pick<Video, 'id' | 'path'>,
  key: string | null,
  { cells: filled, source }: LocatedVideos,
  shown?: string,
): Span {
  const written = (): Span => resourceSpan(path, source, key);
  const cells = key === null ? [] : (filled.get(id)?.get(key) ?? []);
  const [first] = cells;
  if (first === undefined) return written();
  // A part that no cell has is written in the definition.
  if (shown !== undefined) return cells.find(({ text }) => text.includes(shown))?.locate() ?? written();
  return cells.length === 1 ? first.locate() : first.row;
}
