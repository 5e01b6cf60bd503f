import type { MapEntry, MapNode } from '../yaml/tree.ts';

/**
 * Two maps as one: maps under the same key are merged in turn, of anything else the later stays. Each value keeps the
 * place where it was written.
 *
 * @param later its keys and its own place win
 */
export function mergeMaps(earlier: MapNode, later: MapNode): MapNode {
  const entries = new Map<string, MapEntry>(earlier.entries);
  for (const [key, entry] of later.entries) {
    const before = entries.get(key)?.value;
    const merge = before?.kind === 'map' && entry.value.kind === 'map';
    entries.set(key, merge ? { ...entry, value: mergeMaps(before, entry.value) } : entry);
  }
  return { ...later, entries };
}
