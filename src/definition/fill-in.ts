import type { Diagnostic } from '../diagnostic.ts';
import { closestMatch } from '../hints.ts';
import type { MapEntry, ScalarNode, TreeNode } from '../yaml/tree.ts';
import type { Row } from './read-rows.ts';

/** UTF-16 code units that columns may fill into one text. */
const MAX_FILLED_LENGTH = 1 << 16;

/**
 * The tree with every `${column}` replaced by the row's text and every `$${` by a literal `${`. Values alone, never
 * keys; what a column says is not looked at again. Without a row every `${…}` is unknown.
 *
 * @param problems takes the placeholders that stand for nothing
 */
export function fillIn(root: TreeNode, row: Row | null, problems: Diagnostic[]): TreeNode {
  const fill = (node: TreeNode): TreeNode => {
    switch (node.kind) {
      case 'scalar': {
        if (typeof node.value !== 'string' || !node.text.includes('${')) return node;
        const count = problems.length;
        const filled = fillScalar(node, row, problems);
        // A fragment whose placeholder is right is not to blame for what a row fills into it.
        const isOfRow = filled.row !== undefined && problems.length === count && node.span.file !== root.span.file;
        return isOfRow ? { ...filled, span: row!.span } : filled;
      }
      case 'list':
        return { ...node, items: node.items.map(fill) };
      case 'map': {
        const entries = new Map<string, MapEntry>();
        for (const [key, entry] of node.entries) entries.set(key, { ...entry, value: fill(entry.value) });
        return { ...node, entries };
      }
    }
  };
  return fill(root);
}

function fillScalar(node: ScalarNode, row: Row | null, problems: Diagnostic[]): ScalarNode {
  let filled = false;
  let length = 0;
  const text = node.text.replaceAll(/\$\$\{|\$\{([^{}]*)\}|\$\{/g, (found, written: string | undefined) => {
    if (found === '$${') return '${';
    filled = true;
    const name = written?.trim();
    const value = name === undefined ? undefined : row?.values.get(name);
    if (value === undefined) problems.push(unknownVariable(name, node, row));
    length += value?.length ?? 0;
    return length > MAX_FILLED_LENGTH ? '' : (value ?? '');
  });
  if (!filled) return { ...node, value: text, text };
  if (length > MAX_FILLED_LENGTH) problems.push(tooLong(node, row));
  // A path whose beginning comes from the data starts where the data stands.
  const saidBy = row !== null && node.text.startsWith('${') ? row.file : node.saidBy;
  return { ...node, value: text, text, saidBy, row: row?.name };
}

function tooLong(node: ScalarNode, row: Row | null): Diagnostic {
  const message = `The columns fill in more than ${MAX_FILLED_LENGTH} characters (${row?.name})`;
  return { code: 'text_too_long', severity: 'error', message, hint: 'Shorten the text of the column', at: node.span };
}

function unknownVariable(name: string | undefined, node: ScalarNode, row: Row | null): Diagnostic {
  const problem = { code: 'unknown_variable', severity: 'error', at: node.span } as const;
  if (name === undefined) {
    return {
      ...problem,
      message: 'A ${ is never closed',
      hint: 'Close it with }, or write $${ for the characters themselves',
    };
  }
  if (row === null) {
    const message = `\${${name}} stands for nothing: there are columns only in a definition with "each"`;
    return { ...problem, message, hint: `Write $\${${name}} for the characters themselves` };
  }
  const columns = [...row.values.keys()];
  const meant = closestMatch(name, columns);
  const hint = meant === null ? `Its columns: ${columns.join(', ')}` : `Did you mean \${${meant}}?`;
  return { ...problem, message: `${row.file} has no column ${JSON.stringify(name)}`, hint };
}
