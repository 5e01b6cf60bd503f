import { posix } from 'node:path';
import type { DesiredVideo } from '../../plan/desired-video.ts';
import type { Change, Plan } from '../../plan/plan.ts';
import { type Globs, selectChanges } from '../../plan/select-changes.ts';
import type { OpenDesired } from './open-desired.ts';
import type { PlanFlags } from './plan-flags.ts';

/**
 * The part of a plan that a command line asks for; the plan itself when it asks for all.
 *
 * @throws ReelformError what git says of a revision that it does not have
 */
export async function selectVideos(plan: Plan, globs: Globs, flags: PlanFlags, repository: OpenDesired): Promise<Plan> {
  const { targets, excludes } = globs;
  if (targets === null && excludes.length === 0 && flags.changedSince === undefined) return plan;
  if (flags.changedSince === undefined) return selectChanges(plan, globs);
  return selectChanges(plan, { ...globs, only: await changedSince(flags.changedSince, repository) });
}

/** Whether a change comes from a file that is not what it was where the branch began. */
async function changedSince(ref: string, repository: OpenDesired): Promise<(change: Change) => boolean> {
  const { changedFiles } = await import('../../git/revisions.ts');
  const changed = await changedFiles(repository.root, ref);
  const made = new Map<string, boolean>();
  const isMadeOfChanged = (desired: DesiredVideo): boolean => {
    const known = made.get(desired.id);
    if (known !== undefined) return known;
    const answer = repository.dependenciesOf(desired).some((file) => changed.has(file));
    made.set(desired.id, answer);
    return answer;
  };
  // Of a video that no definition has, the lockfile knows the id alone: the name of a file that went, or of rows.
  const named = [...changed].map(withoutEnding);
  const isRow = ({ id, path }: DesiredVideo): boolean => endsWithPath(withoutEnding(path), posix.dirname(id));
  const ofRows = repository.desired.filter((video) => isRow(video) && isMadeOfChanged(video));
  const folders = new Set(ofRows.map(({ id }) => posix.dirname(id)));
  const wasNamed = (id: string): boolean =>
    folders.has(posix.dirname(id)) ||
    named.some((name) => endsWithPath(name, id) || endsWithPath(name, posix.dirname(id)));
  return (change) => (change.desired === null ? wasNamed(change.id) : isMadeOfChanged(change.desired));
}

function withoutEnding(path: string): string {
  return path.replace(/\.[^./]*$/, '');
}

function endsWithPath(path: string, end: string): boolean {
  return end !== '.' && (path === end || path.endsWith(`/${end}`));
}
