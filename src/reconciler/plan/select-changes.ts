import { posix } from 'node:path';
import picomatch from 'picomatch';
import { defined } from '../../kernel/defined.ts';
import type { Diagnostic, Severity } from '../../kernel/diagnostic.ts';
import { byCodeUnit } from '../../kernel/digest.ts';
import { didYouMean } from '../../kernel/hints.ts';
import type { LeftOutVideo } from '../definition/video.ts';
import type { Change, Plan } from './plan.ts';

/** Selection of videos by globs over ids. `*` does not match slashes, `**` does. */
export interface IdGlobs {
  /** Null for all videos; an empty list for none. */
  readonly targets: readonly string[] | null;
  readonly excludes: readonly string[];
}

/** Selection of changes. */
export interface Selection extends IdGlobs {
  /** Additional condition on changes. Idle videos have none: they never meet it. */
  readonly only?: (change: Change) => boolean;
  /** Additional condition on videos that are left out or wait. */
  readonly onlyLeftOut?: (video: Pick<LeftOutVideo, 'id' | 'path'>) => boolean;
}

/** Returns a function that matches ids against globs. @param globs no id matches an empty list */
export function idMatcher(globs: readonly string[]): (id: string) => boolean {
  // Ids are never empty, and picomatch rejects an empty glob.
  const matchers = globs.filter((glob) => glob !== '').map((glob) => picomatch(glob, { dot: true, nonegate: true }));
  return (id) => matchers.some((matches) => matches(id));
}

/** Returns a function that matches ids against a selection. */
export function isSelected({ targets, excludes }: IdGlobs): (id: string) => boolean {
  const isTarget = targets === null ? () => true : idMatcher(targets);
  const isExcluded = idMatcher(excludes);
  return (id) => isTarget(id) && !isExcluded(id);
}

/**
 * Selects a part of a plan. A moved video matches by both of its ids. A video that would adopt the rendering of a
 * deselected video is rendered itself.
 *
 * @returns the plan marked as incomplete, with a diagnostic for each glob that matches nothing: see `unmatchedGlobs`
 */
export function selectChanges(plan: Plan, { targets, excludes, only, onlyLeftOut }: Selection): Plan {
  const isTarget = targets === null ? () => true : idMatcher(targets);
  const isExcluded = idMatcher(excludes);
  const selected = plan.changes.filter((change) => {
    const ids = idsOf(change);
    return ids.some(isTarget) && !ids.some(isExcluded) && (only?.(change) ?? true);
  });
  const ids = new Set(selected.map(({ id }) => id));
  // Changes that render in place of a deselected change, by the id of that change.
  const substitutes = new Map<string, Change>();
  const changes = selected.map((change): Change => {
    if (change.action !== 'adopt' || change.source.kind !== 'planned' || ids.has(change.source.id)) return change;
    // Of the videos that would adopt from the same deselected video, the first is rendered and the rest adopt from it.
    const substitute = substitutes.get(change.source.id);
    if (substitute !== undefined) return { ...change, source: { kind: 'planned', id: substitute.id } };
    substitutes.set(change.source.id, change);
    return renderItself(change);
  });
  const idle = only === undefined ? plan.idle?.filter((id) => isTarget(id) && !isExcluded(id)) : undefined;
  const isKept = (video: Pick<LeftOutVideo, 'id' | 'path'>): boolean =>
    isTarget(video.id) && !isExcluded(video.id) && (onlyLeftOut?.(video) ?? true);
  const leftOutVideos = plan.leftOutVideos?.filter(isKept) ?? [];
  const waiting = plan.waiting?.filter(isKept) ?? [];
  const ofConditions = [...(plan.leftOutVideos ?? []), ...(plan.waiting ?? []), ...(plan.texts ?? [])].map(
    ({ id }) => id,
  );
  const texts = plan.texts?.filter(isKept) ?? [];
  const known = [...plan.changes.flatMap(idsOf), ...(plan.idle ?? []), ...ofConditions].sort(byCodeUnit);
  const unmatched = unmatchedGlobs({ targets, excludes }, known);
  const kept = plan.diagnostics.filter(({ video }) => video === undefined || ids.has(video as Change['id']));
  const leftOut = plan.changes.filter(({ id, action }) => action !== 'noop' && !ids.has(id)).length;
  return {
    changes,
    ...defined({ idle }),
    complete: false,
    leftOut,
    ...(leftOutVideos.length > 0 && { leftOutVideos }),
    ...(waiting.length > 0 && { waiting }),
    ...(texts.length > 0 && { texts }),
    diagnostics: [...kept, ...unmatched],
  };
}

function idsOf({ id, previousId }: Change): string[] {
  return previousId === null ? [id] : [id, previousId];
}

function renderItself(change: Change & { readonly action: 'adopt' }): Change {
  const { source: _source, before, ...rest } = change;
  return before === null ? { ...rest, before, action: 'create' } : { ...rest, before, action: 'update' };
}

/** Returns an error for each target that matches no id, and a warning for each exclude. */
export function unmatchedGlobs({ targets, excludes }: IdGlobs, ids: readonly string[]): Diagnostic[] {
  const isUnmatched = (glob: string): boolean => !ids.some(idMatcher([glob]));
  return [
    ...(targets ?? []).filter(isUnmatched).map((glob) => matchesNothing(glob, ids, 'error')),
    ...excludes.filter(isUnmatched).map((glob) => matchesNothing(glob, ids, 'warning')),
  ];
}

function matchesNothing(glob: string, ids: readonly string[], severity: Severity): Diagnostic {
  const message = `No video id matches ${JSON.stringify(glob)}`;
  return { code: 'unknown_video', severity, message, hint: unmatchedHint(glob, ids) };
}

/** Returns a suggestion for a glob that matches no id. */
export function unmatchedHint(glob: string, ids: readonly string[]): string {
  const folders = new Set(ids.flatMap((id) => (id.includes('/') ? [posix.dirname(id)] : [])));
  const globs = [...folders].flatMap((folder) => [`${folder}/*`, `${folder}/**`]);
  return (
    didYouMean(glob, glob.includes('*') ? [...globs, ...ids] : ids) ??
    'Globs match video ids as listed by `reelform plan --verbose`; ** matches any number of folders'
  );
}
