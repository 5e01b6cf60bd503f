import { posix } from 'node:path';
import picomatch from 'picomatch';
import type { Diagnostic, Severity } from '../diagnostic.ts';
import { closestMatch } from '../hints.ts';
import { type Change, everyChange, type Plan } from './plan.ts';

/** Which videos are meant, in globs over ids. `*` stays between two slashes, `**` does not. */
export interface Globs {
  /** Null when nothing was said, which means all; an empty list means none. */
  readonly targets: readonly string[] | null;
  readonly excludes: readonly string[];
}

/** Which videos of a plan are meant. */
export interface Selection extends Globs {
  /** What else a change has to fulfil. */
  readonly only?: (change: Change) => boolean;
}

/** Whether a glob matches an id. @param globs none of them match when there are none */
export function idMatcher(globs: readonly string[]): (id: string) => boolean {
  // No id is empty, and picomatch refuses a glob that is.
  const matchers = globs.filter((glob) => glob !== '').map((glob) => picomatch(glob, { dot: true, nonegate: true }));
  return (id) => matchers.some((matches) => matches(id));
}

/** Whether an id is meant. */
export function isSelected({ targets, excludes }: Globs): (id: string) => boolean {
  const isTarget = targets === null ? () => true : idMatcher(targets);
  const isExcluded = idMatcher(excludes);
  return (id) => isTarget(id) && !isExcluded(id);
}

/**
 * The part of a plan that somebody asked for. A video that was moved answers to both of its ids. What another video of the
 * plan was to be rendered for is rendered for itself when that one is left out.
 *
 * @returns the plan marked as incomplete, with a diagnostic for each glob that matches nothing: see `unmatchedGlobs`
 */
export function selectChanges(plan: Plan, { targets, excludes, only = () => true }: Selection): Plan {
  const isTarget = targets === null ? () => true : idMatcher(targets);
  const isExcluded = idMatcher(excludes);
  const answers = ({ id, previousId }: Change, matches: (id: string) => boolean): boolean =>
    matches(id) || (previousId !== null && matches(previousId));
  const all = everyChange(plan);
  const selected = all.filter((change) => answers(change, isTarget) && !answers(change, isExcluded) && only(change));
  const ids = new Set(selected.map(({ id }) => id));
  const left = new Map<string, Change>();
  const changes = selected.map((change): Change => {
    if (change.action !== 'adopt' || change.source.kind !== 'planned' || ids.has(change.source.id)) return change;
    // The first of those that wait for a video outside renders it for the others.
    const first = left.get(change.source.id);
    if (first !== undefined) return { ...change, source: { kind: 'planned', id: first.id } };
    left.set(change.source.id, change);
    return renderItself(change);
  });
  const known = all.flatMap(({ id, previousId }) => (previousId === null ? [id] : [id, previousId]));
  const unmatched = unmatchedGlobs({ targets, excludes }, known);
  const kept = plan.diagnostics.filter(({ video }) => video === undefined || ids.has(video as Change['id']));
  const leftOut = plan.changes.filter(({ id, action }) => action !== 'noop' && !ids.has(id)).length;
  return { changes, complete: false, leftOut, diagnostics: [...kept, ...unmatched] };
}

function renderItself(change: Change & { readonly action: 'adopt' }): Change {
  const { source: _source, before, ...rest } = change;
  return before === null ? { ...rest, before, action: 'create' } : { ...rest, before, action: 'update' };
}

/** An error for each target that none of these ids answers to, and a warning for each exclude. */
export function unmatchedGlobs({ targets, excludes }: Globs, ids: readonly string[]): Diagnostic[] {
  const isUnmatched = (glob: string): boolean => !ids.some(idMatcher([glob]));
  return [
    ...(targets ?? []).filter(isUnmatched).map((glob) => matchesNothing(glob, ids, 'error')),
    ...excludes.filter(isUnmatched).map((glob) => matchesNothing(glob, ids, 'warning')),
  ];
}

function matchesNothing(glob: string, ids: readonly string[], severity: Severity): Diagnostic {
  const message = `No video has an id like ${JSON.stringify(glob)}`;
  return { code: 'unknown_video', severity, message, hint: unmatchedHint(glob, ids) };
}

/** What to write in place of a glob that matches none of these ids. */
export function unmatchedHint(glob: string, ids: readonly string[]): string {
  const folders = new Set(ids.flatMap((id) => (id.includes('/') ? [posix.dirname(id)] : [])));
  const globs = [...folders].flatMap((folder) => [`${folder}/*`, `${folder}/**`]);
  const meant = closestMatch(glob, glob.includes('*') ? [...globs, ...ids] : ids);
  if (meant !== null) return `Did you mean ${meant}?`;
  return 'Globs are compared with ids, as `reelform plan --verbose` lists them; ** stands for any number of folders';
}
