import { byCodeUnit } from '../../kernel/digest.ts';
import type { Change, Plan } from '../../reconciler/plan/plan.ts';
import type { DesiredState } from '../state/load-desired-state.ts';

/** Adds the reasons of removed scenes whose rows do not pass `where`. Reads only the definitions of their videos. */
export async function explainRemovedScenes(plan: Plan, repository: DesiredState): Promise<Plan> {
  const removed = new Map(
    plan.changes.flatMap((change) => {
      const ids = removedRows(change);
      return ids.size === 0 ? [] : [[change.id as string, ids] as const];
    }),
  );
  if (removed.size === 0) return plan;
  const paths = plan.changes.flatMap(({ id, desired }) => (removed.has(id) ? [desired!.path] : []));
  const { videos } = await repository.definitionsAt([...new Set(paths)].sort(byCodeUnit));
  const filteredIn = new Map(videos.map(({ id, filteredScenes }) => [id, filteredScenes]));
  const changes = plan.changes.map((change): Change => {
    const scenes = removed.has(change.id) ? (filteredIn.get(change.id)?.() ?? []) : [];
    const filteredScenes = scenes.filter(({ id }) => removed.get(change.id)!.has(id));
    return filteredScenes.length === 0 ? change : { ...change, filteredScenes };
  });
  return { ...plan, changes };
}

const NONE: ReadonlySet<string> = new Set();

/** Returns the ids of the scenes of rows that only the lock entry has. */
function removedRows({ action, before, desired }: Change): ReadonlySet<string> {
  if (action === 'noop') return NONE;
  const rendered = desired === null ? [] : (before?.scenes ?? []);
  const shown = new Set(desired?.scenes.map(({ id }) => id));
  return new Set(rendered.flatMap(({ id }) => (id.includes('/') && !shown.has(id) ? [id] : [])));
}
