import { byCodeUnit } from '../digest.ts';
import type { Lock } from '../lock/lock.ts';
import { serialiseLock } from '../lock/serialise-lock.ts';
import { isEmptyPlan, type Plan } from '../plan/plan.ts';
import { DefinitionTable } from './definition-table.ts';
import type { Memory, Outcome } from './memory.ts';
import type { RememberedDefinition, TextRange } from './remembered-definition.ts';

/** The files that a plan was compared with, as they were. */
export type Compared = Pick<Outcome, 'lock' | 'journal' | 'outputs'>;

/**
 * What is remembered after a plan of everything: which definitions it left alone, and where their entries are.
 *
 * @param lock as it was read from these bytes
 * @param bytes of the lockfile; null when there is none
 */
export function rememberOutcome(
  memory: Memory,
  plan: Plan,
  lock: Lock,
  bytes: Buffer | null,
  compared: Compared,
): Memory {
  const places = bytes === null ? new Map<string, TextRange>() : placesOf(lock, bytes);
  // A lockfile that somebody laid out anew is read as a whole each time.
  if (places === null) return withoutOutcome(memory);
  const idle = new Set<string>(plan.changes.flatMap(({ action, id }) => (action === 'noop' ? [id] : [])));
  const loose = new Map(places);
  const definitions = Array.from(memory.definitions, (one): RememberedDefinition => {
    if (!one.ids.every((id) => idle.has(id))) return unsettled(one);
    return {
      ...one,
      settled: one.ids.map((id) => {
        loose.delete(id);
        return places.get(id)!;
      }),
    };
  });
  const outcome: Outcome = {
    isEmpty: isEmptyPlan(plan) && plan.diagnostics.length === 0 && loose.size === 0,
    ...compared,
    loose: [...loose].map(([id, range]) => [id, ...range] as const),
  };
  return { ...memory, definitions: DefinitionTable.of(definitions), outcome };
}

/** What the last plan found is worth nothing any more. */
export function withoutOutcome(memory: Memory): Memory {
  return { ...memory, outcome: null, definitions: DefinitionTable.of(Array.from(memory.definitions, unsettled)) };
}

function unsettled(definition: RememberedDefinition): RememberedDefinition {
  return definition.settled === null ? definition : { ...definition, settled: null };
}

/** Where each entry stands in the text that `serialiseLock` gives; null for any other text. */
function placesOf(lock: Lock, bytes: Buffer): Map<string, TextRange> | null {
  const text = serialiseLock(lock);
  if (bytes.length !== Buffer.byteLength(text) || !bytes.equals(Buffer.from(text))) return null;
  const places = new Map<string, TextRange>();
  const begin = bytes.indexOf('\n  "videos": {\n');
  let at = begin + '\n  "videos": {\n'.length;
  const ids = [...lock.videos.keys()].sort(byCodeUnit);
  for (const id of ids) {
    const end = bytes.indexOf('\n    }', at) + '\n    }'.length;
    places.set(id, [at, end]);
    at = end + ',\n'.length;
  }
  return places;
}
