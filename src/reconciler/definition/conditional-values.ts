import { trackKey } from '../../contract/wire/mapping.ts';
import type { StyleVersion } from '../../contract/wire/style-version.ts';
import { type Diagnostic, errorAt } from '../../kernel/diagnostic.ts';
import { child, type MapEntry, type MapNode, type TreeNode } from '../../kernel/yaml/tree.ts';
import { failedTest, parseCondition, reasonOf } from './condition.ts';
import type { Row } from './read-rows.ts';

/** A condition that was evaluated. */
export interface Evaluated {
  /** Why it is false; null if it is true, or has a problem. */
  readonly reason: string | null;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Evaluates a condition.
 *
 * @param row that the condition is about; null without rows
 */
export function evaluateCondition(node: TreeNode, row: Row | null): Evaluated {
  const condition = parseCondition(node, row === null ? null : row.values.keys());
  if (!condition.ok) return { reason: null, diagnostics: condition.diagnostics };
  const failed = failedTest(condition.value, row);
  return { reason: failed === null ? null : reasonOf(failed), diagnostics: [] };
}

/** A map of values without those that a condition leaves out, and without the conditions. */
export interface ConditionalValues {
  readonly root: MapNode;
  /** Keys of editables and `trackKey`s, each with its reason. */
  readonly leftOut: readonly { readonly name: string; readonly reason: string }[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Evaluates the `when` of tracks and of optional editables.
 *
 * @param root filled in
 * @param spec of the template; null if it is not known
 * @param row that filled it in
 */
export function withoutConditions(root: MapNode, spec: StyleVersion | null, row: Row | null): ConditionalValues {
  const leftOut: { name: string; reason: string }[] = [];
  const diagnostics: Diagnostic[] = [];
  let entries: Map<string, MapEntry> | null = null;
  for (const section of SECTIONS) {
    const entry = root.entries.get(section);
    if (entry?.value.kind !== 'map' || !hasCondition(entry.value)) continue;
    const kept = [...entry.value.entries].flatMap(([key, value]): [string, MapEntry][] => {
      const condition = child(value.value, 'when');
      if (value.value.kind !== 'map') return [[key, value]];
      if (condition === null) return [[key, withoutAdvice(value, value.value)]];
      const isRequired = section === 'resources' && spec?.editables[key]?.required !== false && spec !== null;
      if (isRequired && spec.editables[key] !== undefined) {
        const at = value.value.entries.get('when')!.keySpan;
        const message = `${key} is required, so its value cannot depend on a condition`;
        const hint = `Remove "when", or write "required: false" for ${key} in the template`;
        diagnostics.push(errorAt('definition_invalid', at, message, hint));
      }
      const { reason, diagnostics: problems } = evaluateCondition(condition, row);
      diagnostics.push(...problems);
      if (reason !== null && !isRequired) {
        leftOut.push({ name: section === 'audio' ? trackKey(key) : key, reason });
        return [];
      }
      return [[key, withoutAdvice(value, value.value)]];
    });
    entries ??= new Map(root.entries);
    entries.set(section, { ...entry, value: { ...entry.value, entries: new Map(kept) } });
  }
  return { root: entries === null ? root : { ...root, entries }, leftOut, diagnostics };
}

function hasCondition(map: MapNode): boolean {
  for (const { value } of map.entries.values()) {
    if (value.kind === 'map' && ADVICE.some((name) => value.entries.has(name))) return true;
  }
  return false;
}

const SECTIONS = ['resources', 'audio'] as const;
/** Properties of a value that say when it is used and whether it is translated. */
const ADVICE: readonly string[] = ['when', 'translate'];

function withoutAdvice(entry: MapEntry, map: MapNode): MapEntry {
  return { ...entry, value: { ...map, entries: new Map([...map.entries].filter(([name]) => !ADVICE.includes(name))) } };
}
