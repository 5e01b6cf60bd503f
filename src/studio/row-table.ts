import { child, type MapNode, type ScalarNode } from '../kernel/yaml/tree.ts';
import { resolvePath } from '../reconciler/definition/definition-file.ts';
import { fillIn } from '../reconciler/definition/fill-in.ts';
import { type Row, readRows } from '../reconciler/definition/read-rows.ts';
import { globBase, idOfPath } from '../reconciler/definition/video.ts';
import { definitionTree } from './form-fields.ts';
import type { LoadedRepository } from './ports.ts';
import type { RowReference, RowTable } from './protocol.ts';
import { RequestError } from './request-error.ts';

/** The rows of a definition with `each`. */
interface EachRows {
  readonly path: string;
  readonly rows: readonly Row[];
  /** Video ids by row; null for a row that cannot be filled in. */
  readonly ids: readonly (string | null)[];
}

/** Returns the data file and the row of a video; null if its definition has no `each`. */
export function rowReference(
  id: string,
  path: string,
  tree: MapNode | null,
  loaded: LoadedRepository,
): RowReference | null {
  const each = eachRows(path, tree, loaded);
  if (each === null) return null;
  const index = each.ids.indexOf(id);
  return { path: each.path, index: index === -1 ? null : index };
}

/** @throws RequestError `not_found` for a file that no definition reads rows from */
export function rowTable(path: string, loaded: LoadedRepository): RowTable {
  const { project } = loaded;
  const definitions = [...project.origins].filter(([, files]) => files.includes(path));
  const found = definitions.flatMap(([file]) => {
    const each = eachRows(file, definitionTree(file, project), loaded);
    return each?.path === path ? [each] : [];
  });
  const [first] = found;
  if (first === undefined) throw new RequestError('not_found', `No definition reads rows from ${JSON.stringify(path)}`);
  const columns = [...new Set(first.rows.flatMap(({ values }) => [...values.keys()]))];
  return {
    path,
    isEditable: /\.[ct]sv$/i.test(path),
    columns,
    rows: first.rows.map(({ values }) => columns.map((column) => values.get(column) ?? '')),
    ids: first.ids,
  };
}

function eachRows(path: string, tree: MapNode | null, { project }: LoadedRepository): EachRows | null {
  const each = child(tree, 'each');
  const from = child(each, 'from');
  const rowId = child(each, 'id');
  if (from?.kind !== 'scalar' || rowId?.kind !== 'scalar') return null;
  const target = resolvePath(from.text, from.baseFile);
  const text = target.ok ? project.source(target.path) : undefined;
  if (!target.ok || text === undefined) return null;
  const rows = readRows(target.path, text);
  const idNode = child(tree, 'id');
  const ids = (rows.ok ? rows.value : []).map((row) => {
    const base = idNode?.kind === 'scalar' ? filled(idNode, row) : idOfPath(path, globBase(project.config.videos));
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
