import type { StyleVersion } from '../../contract/wire/style-version.ts';
import { type Diagnostic, errorAt, type Span } from '../../kernel/diagnostic.ts';
import { child, type MapEntry, type MapNode, type TreeNode } from '../../kernel/yaml/tree.ts';

/** A definition without the values that empty cells left empty. */
export interface WithoutEmptyCells {
  readonly root: MapNode;
  /** Keys of required editables whose cells are empty. They stay in `root`. */
  readonly missing: ReadonlySet<string>;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Removes optional values that consist only of columns with empty cells: the template's own value is used instead, and a
 * track or a replaced font is left out. Reports required editables at their row. A text that is written as empty is kept.
 *
 * @param root filled in from the row
 * @param row location of the row
 */
export function withoutEmptyCells(root: MapNode, row: Span, { editables }: StyleVersion): WithoutEmptyCells {
  const missing = new Set<string>();
  const diagnostics: Diagnostic[] = [];
  const isKept = (section: string, key: string, value: TreeNode): boolean => {
    const name = emptyRow(value);
    if (name === null) return true;
    const editable = section === 'resources' ? editables[key] : undefined;
    if (section === 'resources' && editable === undefined) return true;
    if (editable === undefined || editable.required === false) return false;
    missing.add(key);
    const shown = editable.label === undefined ? key : `${key} (${editable.label})`;
    const hint = `Fill in the cell, or write "required: false" for ${key} in the template to allow empty cells`;
    diagnostics.push(errorAt('missing_editable', row, `${shown} has no value: its cell is empty (${name})`, hint));
    return true;
  };
  const entries = new Map(root.entries);
  for (const section of ['resources', 'audio', 'fonts']) {
    const entry = entries.get(section);
    if (entry?.value.kind !== 'map') continue;
    const kept = [...entry.value.entries].filter(([key, { value }]) => isKept(section, key, value));
    if (kept.length < entry.value.entries.size) entries.set(section, withEntries(entry, entry.value, kept));
  }
  return { root: { ...root, entries }, missing, diagnostics };
}

function withEntries(entry: MapEntry, map: MapNode, kept: readonly [string, MapEntry][]): MapEntry {
  return { ...entry, value: { ...map, entries: new Map(kept) } };
}

/** Returns the name of the row that left a value empty, in its short or its full form; null for other values. */
function emptyRow(value: TreeNode): string | null {
  if (value.kind === 'scalar') return value.row !== undefined && value.text.trim() === '' ? value.row : null;
  const source = child(value, 'source') ?? child(value, 'speak');
  if (source?.kind === 'scalar') return emptyRow(source);
  const inner = ['text', 'remote_url', 'font'].map((field) => child(source, field)).find((node) => node !== null);
  return inner?.kind === 'scalar' ? emptyRow(inner) : null;
}
