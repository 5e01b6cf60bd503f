import { valueName } from '../contract/video-spec.ts';
import type { Span } from '../kernel/diagnostic.ts';
import type { MapNode, TreeNode } from '../kernel/yaml/tree.ts';
import { type Row, readCsv } from '../reconciler/definition/read-rows.ts';
import type { LoadedRepository } from './ports.ts';
import type { PreviewProblem } from './problem-protocol.ts';
import type { FieldCell, VideoCard } from './protocol.ts';
import { type EachRows, sceneRows, videoRows } from './row-table.ts';

/** Where the cell of a field is. */
interface FoundCell {
  readonly span: Span;
  /** Null if its file is not CSV, as is `cell`. */
  readonly row: Row | null;
  readonly cell: FieldCell | null;
  /** Keys of a cell that is written in the definition, from its top; null for a cell of a data file. */
  readonly path: readonly string[] | null;
}

/** A value of a scene that a column fills. */
interface FilledValue {
  readonly scene: string;
  /** Node of the scene in its definition; null in a definition of one template. */
  readonly node: TreeNode | null;
  readonly key: string;
  /** Text of the value, such as `${price}`. */
  readonly text: string;
}

/**
 * Returns a function that finds the cell of a value that is a column alone. For a definition with errors, whose rows are not known,
 * that is the only row with the id of the video or of the scene.
 */
export function cellFinder(
  { id, path }: Pick<VideoCard, 'id' | 'path'>,
  tree: MapNode | null,
  loaded: LoadedRepository,
): (value: FilledValue) => FoundCell | null {
  const { project } = loaded;
  const video = project.videos.find((candidate) => candidate.id === id) ?? null;
  const cells = video === null ? undefined : project.filled.get(video.id)?.cells;
  const tables = new Map<string, readonly Row[]>();
  const rowsOf = (file: string): readonly Row[] => {
    const known = tables.get(file);
    if (known !== undefined) return known;
    const rows = /\.[ct]sv$/i.test(file) ? readCsv(file, project.source(file) ?? '') : null;
    tables.set(file, rows?.ok ? rows.value : []);
    return tables.get(file)!;
  };
  const foundAt = (span: Span, column: string): FoundCell => {
    const rows = rowsOf(span.file);
    const index = rows.findIndex(({ span: at }) => at.start <= span.start && span.start <= at.end);
    const cell = index === -1 ? null : { path: span.file, row: index, column };
    return {
      span,
      row: rows[index] ?? null,
      cell,
      path: span.file === path && tree !== null ? pathTo(tree, span) : null,
    };
  };
  return ({ scene, node, key, text }) => {
    const column = /^\$\{\s*([^{}]+?)\s*\}$/.exec(text)?.[1];
    if (column === undefined) return null;
    if (video !== null) {
      const filled = cells?.get(valueName(video, { id: scene }, key)) ?? [];
      return filled.length === 1 ? foundAt(filled[0]!.locate(), column) : null;
    }
    const ofScene = node === null ? null : rowWith(sceneRows(node, loaded), scene);
    const row = [ofScene, rowWith(videoRows(path, tree, loaded), id)].find((candidate) =>
      candidate?.values.has(column),
    );
    return row ? foundAt(row.cellSpan(column), column) : null;
  };
}

/** Returns whether a problem is one of a row. It is located at the value that columns fill, and its message names the row. */
export function isOfRow({ message }: PreviewProblem, row: Row | null): boolean {
  return row === null || !message.includes(`(${row.file} `) || message.includes(`(${row.name})`);
}

/** Returns the row of an id; null if several or none have it. */
function rowWith(each: EachRows | null, id: string): Row | null {
  const index = each?.ids.indexOf(id) ?? -1;
  return each === null || index === -1 || each.ids.lastIndexOf(id) !== index ? null : each.rows[index]!;
}

function pathTo(node: TreeNode, { file, start, end }: Span): readonly string[] | null {
  const { span } = node;
  if (span.file === file && span.start === start && span.end === end) return [];
  if (node.kind === 'scalar') return null;
  const parts: [string, TreeNode][] =
    node.kind === 'list'
      ? node.items.map((item, index) => [String(index), item])
      : [...node.entries].map(([key, { value }]) => [key, value]);
  for (const [key, part] of parts) {
    const rest = pathTo(part, { file, start, end });
    if (rest !== null) return [key, ...rest];
  }
  return null;
}
