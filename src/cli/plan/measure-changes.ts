import type { SoundLength, SoundLengths } from '../../contract/video-measures.ts';
import { SOUND_EPOCH } from '../../engine/render-epoch.ts';
import { defined } from '../../kernel/defined.ts';
import { type Diagnostic, ReelformError, warningAt } from '../../kernel/diagnostic.ts';
import { byCodeUnit } from '../../kernel/digest.ts';
import { locateTimeline } from '../../reconciler/definition/scene-spans.ts';
import { timelineDiagnostics } from '../../reconciler/definition/timeline-diagnostics.ts';
import type { Video } from '../../reconciler/definition/video.ts';
import { timelineOf } from '../../reconciler/definition/video-timeline.ts';
import type { Lock } from '../../reconciler/lock/lock.ts';
import { remoteContent } from '../../reconciler/plan/desired-video.ts';
import { type Change, type PlanDiagnostic, renders } from '../../reconciler/plan/plan.ts';
import { openSoundLengthCache } from '../../reconciler/project/sound-length-cache.ts';
import { cachedLengths } from '../state/cached-lengths.ts';
import { contentFindings } from '../state/content-lengths.ts';
import { type DesiredState, desire, type VideoSource } from '../state/load-desired-state.ts';
import { failedSounds, type MeasuredSound, type MeasureRemote, withMeasured } from '../state/measure-remote-sounds.ts';

interface MeasureOptions {
  readonly repository: Pick<DesiredState, 'root' | 'config' | 'definitionsAt'>;
  readonly lock: Lock;
  /** Null to use known lengths only. */
  readonly measure: MeasureRemote | null;
}

interface MeasuredChanges {
  /** In the order of the given changes, with the lengths that are known now. */
  readonly changes: readonly Change[];
  /** About lengths that are not known, and about the timelines of measured sounds. */
  readonly diagnostics: readonly PlanDiagnostic[];
  /** Why videos cannot be rendered, by id: a sound that could not be measured, or a timeline with an error. */
  readonly unrenderable: ReadonlyMap<string, ReelformError>;
}

/**
 * Resolves the timelines of videos that are as long as remote sounds, with the lengths of the last measurement, or else of the
 * lockfile. With `measure`, those of videos to render are measured before. Lengths are no part of a fingerprint, so the changes stay.
 */
export async function measureChanges(
  changes: readonly Change[],
  { repository, lock, measure }: MeasureOptions,
): Promise<MeasuredChanges> {
  const paths = new Set(changes.flatMap(({ desired }) => desired?.path ?? []));
  const source = await repository.definitionsAt([...paths].sort(byCodeUnit));
  const videos = new Map<string, Video>(source.videos.map((video) => [video.id, video]));
  await recallLengths(changes, repository.root, lock);
  const urls = new Set(changes.filter(needsLength).flatMap(({ desired }) => remoteContent(desired!)));
  const measured: ReadonlyMap<string, MeasuredSound> =
    measure === null || urls.size === 0 ? new Map() : await measure([...urls].sort(byCodeUnit));
  const known = cachedLengths({ root: repository.root, assets: source.assets });
  const lengths = withMeasured(measured, known);
  const context = { source, config: repository.config, lengths, measured };
  const results = changes.map((change): MeasuredChange => {
    const video = videos.get(change.id);
    return video === undefined ? { change, diagnostics: [], error: null } : measuredChange(change, video, context);
  });
  return {
    changes: results.map(({ change }) => change),
    diagnostics: results.flatMap(({ diagnostics }) => diagnostics),
    unrenderable: new Map(
      results.flatMap(({ change, error }) => (error === null ? [] : [[change.id, error] as const])),
    ),
  };
}

/** A rendering of an earlier lockfile is compared with the request that the video needs. */
function needsLength(change: Change): boolean {
  return renders(change) || (change.action === 'adopt' && change.source.kind === 'history');
}

/** Adds lengths of the lockfile to the cache, from which all parts of a command take them: those of the latest rendering. */
async function recallLengths(changes: readonly Change[], root: string, lock: Lock): Promise<void> {
  const cache = openSoundLengthCache(root, SOUND_EPOCH, true);
  const unknown = new Set(changes.flatMap(({ desired }) => remoteContent(desired!)));
  for (const url of unknown) if (cache.getRemote(url) !== undefined) unknown.delete(url);
  if (unknown.size === 0) return;
  const entries = [...lock.videos.values()].sort((a, b) => byCodeUnit(a.rendered_at, b.rendered_at));
  const recorded = new Map<string, { readonly length: SoundLength; readonly version: string | null }>();
  for (const { sound_lengths = {}, sources = {} } of entries) {
    for (const [url, length] of Object.entries(sound_lengths)) {
      if (unknown.has(url)) recorded.set(url, { length, version: sources[url] ?? null });
    }
  }
  for (const [url, length] of recorded) cache.setRemote(url, length);
  await cache.store();
}

interface ChangeContext extends Pick<DesiredState, 'config'> {
  readonly source: VideoSource;
  readonly lengths: SoundLengths;
  readonly measured: ReadonlyMap<string, MeasuredSound>;
}

interface MeasuredChange {
  readonly change: Change;
  readonly diagnostics: readonly PlanDiagnostic[];
  /** Why it cannot be rendered; null if it can. */
  readonly error: ReelformError | null;
}

function measuredChange(
  change: Change,
  video: Video,
  { source, config, lengths, measured }: ChangeContext,
): MeasuredChange {
  const { assets, templateOf } = source;
  const templates = { get: (name: string) => templateOf(name) ?? undefined };
  const packages = { get: (name: string) => templateOf(name)?.package };
  const { measures, times, contentLengths } = desire(video, { config, assets, templates }, lengths);
  const failures = failedSounds(video, measured);
  const resolved = timelineOf(video, packages, lengths);
  const unknown =
    resolved?.findings.filter(({ code }) => code === 'content_unknown' || code === 'content_unlimited') ?? [];
  const locate = locateTimeline(video.path, source.source);
  const found: Diagnostic[] = [
    ...failures.map(({ scene, name, error: { code, message, hint } }) => {
      return warningAt(code, locate(scene, 'audio', name), message, hint);
    }),
    // A failure says it already, and an unchanged video needs no length.
    ...(failures.length > 0 || change.action === 'noop'
      ? []
      : timelineDiagnostics(unknown, video, locate).map(asWarning)),
    ...contentFindings({ videos: [video], source: source.source, lengths }, packages),
  ];
  const mistake = found.find(({ severity }) => severity === 'error');
  const { times: _times, ...kept } = change.desired!;
  return {
    change: { ...change, desired: { ...kept, measures, ...defined({ times, contentLengths }) } } as Change,
    diagnostics: found.map((diagnostic) => ({ ...diagnostic, video: change.id })),
    error:
      failures[0]?.error ?? (mistake ? new ReelformError(mistake.code, mistake.message, { hint: mistake.hint }) : null),
  };
}

function asWarning(diagnostic: Diagnostic): Diagnostic {
  return { ...diagnostic, severity: 'warning' };
}
