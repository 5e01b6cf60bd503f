import { child, type MapNode, type ScalarNode, type TreeNode } from '../kernel/yaml/tree.ts';
import { resolvePath } from '../reconciler/definition/definition-file.ts';
import { fillIn } from '../reconciler/definition/fill-in.ts';
import { writtenId } from '../reconciler/definition/merge-definitions.ts';
import { type Row, readRows } from '../reconciler/definition/read-rows.ts';
import { globBase, idOfPath } from '../reconciler/definition/video.ts';
import { definitionTree } from './definition-tree.ts';
import type { LoadedRepository } from './ports.ts';
import type { RowReference, RowTable } from './protocol.ts';
import { RequestError } from './request-error.ts';

/** The rows of a data file that `each` of a definition or of a scene names. */
export interface EachRows {
  readonly path: string;
  readonly rows: readonly Row[];
  /** Ids of the videos or scenes by row; null for a row that cannot be filled in. */
  readonly ids: readonly (string | null)[];
}

/** Returns the data file and the row of a video; null if its definition has no `each`. */
export function rowReference(
  id: string,
  path: string,
  tree: MapNode | null,
  loaded: LoadedRepository,
): RowReference | null {
  const each = videoRows(path, tree, loaded);
  if (each === null) return null;
  const index = each.ids.indexOf(id);
  return { path: each.path, index: index === -1 ? null : index };
}

/** @throws RequestError `not_found` for a file that no definition reads rows from */
export function rowTable(path: string, loaded: LoadedRepository): RowTable {
  const { project } = loaded;
  const definitions = [...project.origins].filter(([, files]) => files.includes(path));
  const found = definitions.flatMap(([file]) => {
    const tree = definitionTree(file, project);
    const scenes = child(tree, 'scenes');
    const ofScenes = (scenes?.kind === 'list' ? scenes.items : []).map((scene) => sceneRows(scene, loaded));
    return [videoRows(file, tree, loaded), ...ofScenes].filter((each) => each?.path === path).map((each) => each!);
  });
  const [first] = found;
  if (first === undefined) throw new RequestError('not_found', `No definition reads rows from ${JSON.stringify(path)}`);
  const columns = [...new Set(first.rows.flatMap(({ values }) => [...values.keys()]))];
  return {
    path,
    isEditable: /\.[ct]sv$/i.test(path),
    columns,
    rows: first.rows.map(({ values }) => columns.map((column) => values.get(column) ?? '')),
    // Only videos have a page of their own.
    ids: first.ids.map((id) => (loaded.project.videos.some((video) => video.id === id) ? id : null)),
  };
}

/** Returns the rows of a definition's videos; null without a data file. */
export function videoRows(path: string, tree: MapNode | null, loaded: LoadedRepository): EachRows | null {
  const idNode = child(tree, 'id');
  const { videos } = loaded.project.config;
  return eachRows(child(tree, 'each'), loaded, (row) =>
    idNode?.kind === 'scalar' ? filled(idNode, row) : idOfPath(path, globBase(videos)),
  );
}

/** Returns the rows of a written scene; null without a data file. */
export function sceneRows(scene: TreeNode, loaded: LoadedRepository): EachRows | null {
  return eachRows(child(scene, 'each'), loaded, () => writtenId(scene));
}

/** @param baseOf what is in front of the id of each row */
function eachRows(
  each: TreeNode | null,
  { project }: LoadedRepository,
  baseOf: (row: Row) => string | null,
): EachRows | null {
  const from = child(each, 'from');
  const rowId = child(each, 'id');
  if (from?.kind !== 'scalar' || rowId?.kind !== 'scalar') return null;
  const target = resolvePath(from.text, from.baseFile);
  const text = target.ok ? project.source(target.path) : undefined;
  if (!target.ok || text === undefined) return null;
  const rows = readRows(target.path, text);
  const ids = (rows.ok ? rows.value : []).map((row) => {
    const base = baseOf(row);
    const last = filled(rowId, row);
    return base === null || last === null ? null : `${base}/${last}`;
  });
  return { path: target.path, rows: rows.ok ? rows.value : [], ids };
}

function filled(node: ScalarNode, row: Row): string | null {
  const problems: Parameters<typeof fillIn>[2] = [];
  const text = (fillIn(node, row, problems) as ScalarNode).text;
  return problems.length > 0 ? null : text;
}
