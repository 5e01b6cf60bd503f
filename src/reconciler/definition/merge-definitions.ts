import { type Diagnostic, errorAt } from '../../kernel/diagnostic.ts';
import { didYouMean } from '../../kernel/hints.ts';
import { child, type MapEntry, type MapNode, type TreeNode, textOf } from '../../kernel/yaml/tree.ts';

/** Properties of a scene. */
export const SCENE_PROPERTIES = [
  'template',
  'extends',
  'id',
  'when',
  'each',
  'resources',
  'audio',
  'captions',
  'fonts',
  'duration',
  'transition',
  'fit',
  'background',
  'shorten',
] as const;

/**
 * Merges two definitions. A map of scenes overrides scenes of the earlier list by their ids; a list replaces all.
 *
 * @param later its values and its own location win
 * @param problems receives overrides of scenes that do not exist
 */
export function mergeDefinitions(earlier: MapNode, later: MapNode, problems: Diagnostic[]): MapNode {
  const merged = mergeMaps(earlier, later);
  const [before, after] = [child(earlier, 'scenes'), child(later, 'scenes')];
  if (before?.kind !== 'list' || after?.kind !== 'map') return merged;
  const ids = before.items.map(writtenId);
  for (const [id, { keySpan }] of after.entries) {
    if (ids.includes(id)) continue;
    const known = ids.filter((known) => known !== null);
    const hint = didYouMean(id, known) ?? `The scenes are ${known.join(', ')}`;
    problems.push(errorAt('unknown_scene', keySpan, `No scene has the id ${JSON.stringify(id)}`, hint));
  }
  const items = before.items.map((item, index) => {
    const override = child(after, ids[index] ?? '');
    return item.kind === 'map' && override?.kind === 'map' ? { ...mergeMaps(item, override), span: item.span } : item;
  });
  const entry = { ...later.entries.get('scenes')!, value: { ...before, items } };
  return { ...merged, entries: new Map([...merged.entries, ['scenes', entry]]) };
}

/** Returns the id of a scene as written: that of its template if it has none; null if it has neither. */
export function writtenId(scene: TreeNode): string | null {
  return textOf(child(scene, 'id')) ?? textOf(child(scene, 'template'));
}

/**
 * Merges two maps recursively. Other values are replaced by the later value of the same key. Values keep their source
 * location.
 *
 * @param later its keys and its own location win
 */
export function mergeMaps(earlier: MapNode, later: MapNode): MapNode {
  const entries = new Map<string, MapEntry>(earlier.entries);
  for (const [key, entry] of later.entries) {
    const before = entries.get(key)?.value;
    const merge = before?.kind === 'map' && entry.value.kind === 'map' && !isReplaced(key, before, entry.value);
    entries.set(key, merge ? { ...entry, value: mergeMaps(before, entry.value) } : entry);
  }
  return { ...later, entries };
}

/** Transitions of different types have different fields: another type replaces the whole transition. */
function isReplaced(key: string, before: MapNode, after: MapNode): boolean {
  const type = textOf(child(after, 'type'));
  return key === 'transition' && type !== null && type !== textOf(child(before, 'type'));
}
