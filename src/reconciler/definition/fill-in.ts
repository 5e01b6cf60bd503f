import { type Diagnostic, errorAt } from '../../kernel/diagnostic.ts';
import { closestMatch } from '../../kernel/hints.ts';
import type { FilledCell, MapEntry, ScalarNode, TreeNode } from '../../kernel/yaml/tree.ts';
import type { Row } from './read-rows.ts';

/** UTF-16 code units that columns may add to one text. */
const MAX_FILLED_LENGTH = 1 << 16;
/** An escaped `${`, a placeholder, or one that is not closed. */
const PLACEHOLDER = /\$\$\{|\$\{([^{}]*)\}|\$\{/g;

/**
 * Replaces every `${column}` by the row's text and every `$${` by a literal `${`, in values but not in keys. Does not
 * expand placeholders in the inserted text. Without a row every `${…}` is unknown.
 *
 * @param problems receives the unknown placeholders
 * @param file of the definition
 */
export function fillIn(root: TreeNode, row: Row | null, problems: Diagnostic[], file = root.span.file): TreeNode {
  const fill = (node: TreeNode): TreeNode => {
    switch (node.kind) {
      case 'scalar': {
        row?.onScalar?.(node);
        if (typeof node.value !== 'string' || !node.text.includes('${')) return node;
        const count = problems.length;
        const filled = fillScalar(node, row, problems);
        // Later problems with a filled-in text of a fragment are located at the row, not at the fragment.
        const isOfRow = filled.row !== undefined && problems.length === count && node.span.file !== file;
        return isOfRow ? { ...filled, span: row!.span } : filled;
      }
      case 'list': {
        const items = node.items.map(fill);
        return items.every((item, index) => item === node.items[index]) ? node : { ...node, items };
      }
      case 'map': {
        // Copied only with a text that is filled in: each locale of a definition is filled in by itself.
        let entries: Map<string, MapEntry> | null = null;
        node.entries.forEach((entry, key) => {
          const value = fill(entry.value);
          if (value !== entry.value) entries = (entries ?? new Map(node.entries)).set(key, { ...entry, value });
        });
        return entries === null ? node : { ...node, entries };
      }
    }
  };
  return fill(root);
}

function fillScalar(node: ScalarNode, row: Row | null, problems: Diagnostic[]): ScalarNode {
  let filled = false;
  let isLocal = false;
  let length = 0;
  const cells: FilledCell[] = [];
  const text = node.text.replaceAll(PLACEHOLDER, (found, written: string | undefined) => {
    if (found === '$${') return '${';
    filled = true;
    const name = written?.trim();
    isLocal ||= name === 'locale';
    const value = name === undefined ? undefined : row?.values.get(name);
    if (value !== undefined) row?.onRead?.(name!);
    if (value === undefined) problems.push(unknownVariable(name, node, row));
    else if (row?.isWritten?.(name!) !== true)
      cells.push({ text: value, column: name!, row: row!.span, locate: () => row!.cellSpan(name!) });
    length += value?.length ?? 0;
    // An unknown placeholder stays, so that it is not taken for an empty cell.
    return length > MAX_FILLED_LENGTH ? '' : (value ?? found);
  });
  if (!filled) return { ...node, value: text, text };
  if (length > MAX_FILLED_LENGTH) problems.push(tooLong(node, row));
  // A path that starts with a column is relative to the data file.
  const [, leading = ''] = /^\$\{([^{}]*)\}/.exec(node.text) ?? [];
  const isOfData = row !== null && node.text.startsWith('${') && row.isWritten?.(leading.trim()) !== true;
  const baseFile = isOfData ? (row.fileOf?.(leading.trim()) ?? row.file) : node.baseFile;
  const parents = isLocal && row?.isWritten?.('locale') === true ? (row.parents ?? []) : [];
  const inParents = parents.map((locale) => ({ locale, text: textIn(locale, node.text, row!) }));
  return {
    ...node,
    value: text,
    text,
    baseFile,
    row: row?.name,
    cells,
    ...(inParents.length > 0 && { inParents }),
  };
}

/** Fills in a text whose placeholders are known, as another locale of the same row. */
function textIn(locale: string, text: string, { values }: Row): string {
  return text.replaceAll(PLACEHOLDER, (found, written: string | undefined) => {
    if (found === '$${') return '${';
    const name = written?.trim() ?? '';
    return name === 'locale' ? locale : (values.get(name) ?? found);
  });
}

function tooLong(node: ScalarNode, row: Row | null): Diagnostic {
  const message = `The columns expand to more than ${MAX_FILLED_LENGTH} characters (${row?.name})`;
  return errorAt('text_too_long', node.span, message, 'Shorten the text of the column');
}

function unknownVariable(name: string | undefined, node: ScalarNode, row: Row | null): Diagnostic {
  const problem = (message: string, hint: string) => errorAt('unknown_variable', node.span, message, hint);
  if (name === undefined) return problem('A ${ is not closed', 'Close it with }, or write $${ for a literal ${');
  if (row === null || ofData(row).length === 0) {
    const message = `\${${name}} has no value: columns are only available in a definition with "each"`;
    return problem(message, `Write $\${${name}} for the literal text`);
  }
  const columns = [...row.values.keys()];
  const meant = closestMatch(name, columns);
  const hint = meant === null ? `The columns are ${columns.join(', ')}` : `Did you mean \${${meant}}?`;
  return problem(`${row.file} has no column ${JSON.stringify(name)}`, hint);
}

function ofData(row: Row): string[] {
  return [...row.values.keys()].filter((column) => row.isWritten?.(column) !== true);
}
