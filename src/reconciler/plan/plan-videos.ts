import { plainScene } from '../../contract/video-spec.ts';
import { defined } from '../../kernel/defined.ts';
import { type Diagnostic, errorAt } from '../../kernel/diagnostic.ts';
import { byCodeUnit, type Sha256 } from '../../kernel/digest.ts';
import { groupBy } from '../../kernel/group-by.ts';
import { fingerprintDigits } from '../definition/destinations.ts';
import type { LocaleTexts } from '../definition/locale-texts.ts';
import type { LeftOutVideo, VideoId, WaitingVideo } from '../definition/video.ts';
import { inputName } from '../lock/input-names.ts';
import type { Fingerprint, Lock, LockEntry } from '../lock/lock.ts';
import { inputValues, specAsRecorded } from '../lock/recorded-inputs.ts';
import { adoptRenderings } from './adopt-renderings.ts';
import { wantedDestinations } from './caption-files.ts';
import {
  compareDestinations,
  compareFields,
  compareInputs,
  deliverReason,
  reasonOf,
  renewDestinations,
} from './compare-video.ts';
import { contentSpec, type DesiredVideo, styleVersionOf } from './desired-video.ts';
import { fingerprintOf } from './fingerprint.ts';
import type { Adjustment, Change, Creation, Observations, Plan, PlanDiagnostic, Reason } from './plan.ts';

/**
 * Computes the changes that bring the lock and its videos to the desired state. Pure; the order of the videos does not
 * matter.
 *
 * A video with a new id and the fingerprint of an entry without a definition was moved and keeps its rendering. Several
 * equal videos are paired in the order of their ids. Changes without cost are combined: a moved video may get a new
 * title, and a restored video both a new id and a new title. A rendering that exists or is running elsewhere is
 * adopted; of several equal videos one is rendered, and the rest adopt its rendering. The plan after an apply is
 * therefore always empty.
 *
 * @param desired all videos of the repository, with unique ids
 */
export function planVideos(inputs: {
  readonly desired: readonly DesiredVideo[];
  /** Videos that conditions leave out, sorted by id. Their entries are removed. None when absent. */
  readonly leftOut?: readonly LeftOutVideo[];
  /** Videos that wait for speech, sorted by id. Their entries stay as they are. None when absent. */
  readonly waiting?: readonly WaitingVideo[];
  /** What videos do not have in their locale, sorted by id. Entries of those that wait are kept. None when absent. */
  readonly texts?: readonly LocaleTexts[];
  readonly lock: Lock;
  readonly observations: Observations;
  /** Returns true for videos whose new rendering was requested unconditionally. */
  readonly requested?: (id: string) => boolean;
  /**
   * Returns true for entries whose missing or damaged local output is restored even if nothing is delivered, by their
   * id; all are restored when absent. An output that has to be delivered is always restored.
   */
  readonly restores?: (id: string) => boolean;
  /**
   * Returns true for videos that may adopt a rendering whose local output is missing, if no entry with an equal
   * rendering has its output, by their id; none may when absent.
   */
  readonly adoptsAbsent?: (id: string) => boolean;
  /**
   * False to keep entries without a definition, because the definitions are incomplete; true when absent.
   */
  readonly forgets?: boolean;
  /** Accepts a repository without videos, which otherwise counts as a mistake. */
  readonly allowEmpty?: boolean;
}): Plan {
  const { lock, observations, allowEmpty = false, requested = () => false, restores = () => true } = inputs;
  const { adoptsAbsent = () => false, forgets = true, leftOut = [], waiting = [], texts = [] } = inputs;
  const desired = withKnownFingerprints(inputs.desired, lock, observations);
  const lacks = (id: string): Lack | null => {
    if (observations.missingOutputs.has(id)) return 'output_missing';
    return observations.damagedOutputs?.has(id) ? 'output_damaged' : null;
  };
  const wanted = new Set<string>([...desired, ...waiting].map((video) => video.id));
  const undefinedIds = [...lock.videos.keys()].filter((id) => !wanted.has(id)).sort(byCodeUnit) as VideoId[];
  // An entry whose definition is not known may not be taken over by a moved video either.
  const untranslated = new Set(texts.filter(({ waits }) => waits).flatMap(idsOfWaiting));
  const gone = forgets ? undefinedIds.filter((id) => !untranslated.has(id)) : [];
  const moves = pairMoves(desired, gone, lock);

  const compared = desired.map((video): Change => {
    const previousId = moves.get(video.id) ?? null;
    const lockId = previousId ?? video.id;
    const entry = lock.videos.get(lockId);
    if (entry === undefined) return create(video);
    const again =
      observations.refreshed?.get(lockId) ?? (entry.lost ? 'url_lost' : requested(video.id) ? 'requested' : null);
    const known = observations.missingCaptions?.has(lockId) ? withoutCaptionFiles(entry) : entry;
    return adjust(video, known, previousId, { again, lack: lacks(lockId), restores: restores(lockId) });
  });
  const { changes, diagnostics } = adoptRenderings(compared, { lock, observations, requested, adoptsAbsent });
  const moved = new Set(moves.values());
  if (desired.length === 0 && gone.length > 0 && !allowEmpty) diagnostics.push(allGone(lock.videos.size, leftOut));
  const leftOutById = new Map(leftOut.map((video) => [video.id, video]));
  const listed = leftOut.filter(({ byWhere }) => byWhere !== true);
  for (const id of gone) {
    if (moved.has(id)) continue;
    const entry = lock.videos.get(id)!;
    changes.push(forget(id, entry, leftOutById.get(id)));
    if (entry.protect) diagnostics.push(protectedVideo(id, leftOutById.get(id)));
  }
  changes.sort((a, b) => byCodeUnit(a.id, b.id));
  return {
    changes,
    complete: forgets,
    ...(listed.length > 0 && { leftOutVideos: listed }),
    ...(waiting.length > 0 && { waiting }),
    ...(texts.length > 0 && { texts }),
    diagnostics,
  };
}

/**
 * Returns the ids of entries that a waiting video keeps: its own, and that of the same video before the definition had variants, whose
 * content is not known until the texts are translated.
 */
function idsOfWaiting({ id, locale }: LocaleTexts): string[] {
  const parts = id.split('/');
  const hasVariant = parts.at(-1) === locale && parts.length > 2;
  return hasVariant ? [id, [...parts.slice(0, -2), locale].join('/')] : [id];
}

/** Maps each new id to the id of the entry that it takes over. */
function pairMoves(desired: readonly DesiredVideo[], gone: readonly VideoId[], lock: Lock): Map<VideoId, VideoId> {
  const waiting: Map<Fingerprint, VideoId[]> = groupBy(gone, (id) => lock.videos.get(id)!.fingerprint);
  const moves = new Map<VideoId, VideoId>();
  if (waiting.size === 0) return moves;
  const arrivals = desired.filter((video) => !lock.videos.has(video.id) && waiting.has(video.fingerprint));
  for (const video of arrivals.sort((a, b) => byCodeUnit(a.id, b.id))) {
    const previousId = waiting.get(video.fingerprint)!.shift();
    if (previousId !== undefined) moves.set(video.id, previousId);
  }
  return moves;
}

const NOTHING = { previousId: null, inputs: [], fields: [] };

/** Returns the creation of a video without an entry. */
export function create(desired: DesiredVideo): Creation {
  const destinations = compareDestinations(null, wantedDestinations(desired));
  return { action: 'create', id: desired.id, reason: 'new', destinations, desired, before: null, ...NOTHING };
}

/** Files with captions that are missing or changed are written and delivered again. */
function withoutCaptionFiles({ caption_files: _missing, deliveries, ...entry }: LockEntry): LockEntry {
  return { ...entry, ...defined({ deliveries: deliveries?.filter(({ sha256 }) => sha256 === undefined) }) };
}

/** Problem of a local output. */
type Lack = 'output_missing' | 'output_damaged';

function adjust(
  desired: DesiredVideo,
  before: LockEntry,
  previousId: VideoId | null,
  observed: { readonly again: Reason | null; readonly lack: Lack | null; readonly restores: boolean },
): Adjustment {
  const { id } = desired;
  const fields = compareFields(before, desired);
  const anew = renewDestinations(before, wantedDestinations(desired));
  if (before.fingerprint !== desired.fingerprint) {
    const inputs = compareInputs(before, desired);
    const reason = reasonOf(desired, inputs, fields);
    return { action: 'update', id, previousId, reason, inputs, fields, destinations: anew, desired, before };
  }
  const destinations = compareDestinations(before, wantedDestinations(desired));
  const unchanged = { id, previousId, reason: null, inputs: [], fields, destinations, desired, before };
  if (observed.again !== null) return { action: 'update', ...unchanged, reason: observed.again, destinations: anew };
  const { lack, restores } = observed;
  if (lack !== null && isRestored(lack, restores, { desired, destinations })) {
    return { action: 'restore', ...unchanged, reason: lack };
  }
  if (previousId !== null) return { action: 'move', ...unchanged };
  if (destinations.some(({ kind }) => kind === 'deliver')) {
    return { action: 'deliver', ...unchanged, reason: deliverReason(destinations) };
  }
  return { action: fields.length + destinations.length > 0 ? 'relabel' : 'noop', ...unchanged };
}

/** A file to deliver is needed locally; a missing file that has been delivered to all destinations is not. */
function isRestored(
  lack: Lack,
  restores: boolean,
  { desired, destinations }: Pick<Adjustment, 'desired' | 'destinations'>,
): boolean {
  if (destinations.some(({ kind, captions }) => kind === 'deliver' && captions === undefined)) return true;
  return restores && (lack === 'output_damaged' || desired.deliver.length === 0);
}

function forget(id: VideoId, before: LockEntry, leftOut: LeftOutVideo | undefined): Change {
  const change = { action: 'forget', id, reason: null, destinations: [], desired: null, before, ...NOTHING } as const;
  return { ...change, ...defined({ leftOut }) };
}

function conditionOf({ byWhere }: LeftOutVideo): string {
  return byWhere === true ? '"where"' : '"when"';
}

/** Protects against a mistyped glob or condition, which would discard every rendering. */
function allGone(count: number, leftOut: readonly LeftOutVideo[]): Diagnostic {
  const isEmpty = leftOut.length === 0;
  const message = isEmpty ? 'No definitions are left' : 'All videos are left out by their conditions';
  const properties = [...new Set(leftOut.map(conditionOf))].sort().join(' and ');
  const hint = `Check ${isEmpty ? '"videos" in reelform.yaml' : properties}. If this is intended, pass --allow-empty`;
  return errorAt('all_videos_gone', undefined, `${message}, but the lockfile has ${count}`, hint);
}

function protectedVideo(id: VideoId, leftOut: LeftOutVideo | undefined): PlanDiagnostic {
  const why = leftOut === undefined ? 'its definition was removed' : `its condition leaves it out: ${leftOut.reason}`;
  const [restore, remove] =
    leftOut === undefined
      ? ['Restore its definition', 'then remove the definition']
      : [`Change ${conditionOf(leftOut)} or its values in ${leftOut.path}`, 'then leave it out'];
  const hint = `${restore}. To remove the video, first apply with \`protect: false\`, ${remove}`;
  return { ...errorAt('protected_video', undefined, `The video "${id}" is protected, but ${why}`, hint), video: id };
}

/**
 * Gives each video the fingerprint under which an earlier version of reelform recorded the same rendering, if any.
 *
 * Earlier versions hashed the defaults that a definition repeats, such as `focus_x: 0.5`. Their renderings keep that
 * fingerprint in the lockfile, the journal and the history until the content of the video changes: nothing is rendered
 * or delivered again, and the entry does not change.
 */
export function withKnownFingerprints(
  desired: readonly DesiredVideo[],
  lock: Lock,
  observations: Observations,
): readonly DesiredVideo[] {
  const recordedById = new Map<string, Fingerprint>();
  const known = new Map<Fingerprint, Fingerprint>();
  for (const video of desired) {
    const entry = lock.videos.get(video.id);
    if (entry === undefined || !isSameContent(entry, video)) continue;
    recordedById.set(video.id, entry.fingerprint);
    known.set(video.fingerprint, entry.fingerprint);
  }
  const written = desired.filter(
    ({ id, formerFingerprint }) => formerFingerprint !== undefined && !recordedById.has(id),
  );
  const recorded = written.length === 0 ? null : recordedFingerprints(lock, observations);
  for (const { fingerprint, formerFingerprint } of written) {
    if (recorded?.has(fingerprint) || !recorded?.has(formerFingerprint!)) continue;
    known.set(fingerprint, formerFingerprint!);
  }
  if (known.size === 0) return desired;
  return desired.map((video) => {
    const isCurrent = lock.videos.get(video.id)?.fingerprint === video.fingerprint;
    const former = isCurrent ? undefined : (recordedById.get(video.id) ?? known.get(video.fingerprint));
    return former === undefined ? video : withFingerprint(video, former);
  });
}

/** Checks whether an entry has the content of a video, and another fingerprint only because of written-out defaults. */
function isSameContent(entry: LockEntry, video: DesiredVideo): boolean {
  if (entry.fingerprint === video.fingerprint) return false;
  if (entry.fingerprint === video.formerFingerprint) return true;
  // Earlier versions had no scenes.
  if (plainScene(video) === null || entry.scenes !== undefined) return false;
  if (entry.service !== video.service || entry.style_version !== styleVersionOf(video)) return false;
  if (compareInputs(entry, video).length > 0) return false;
  // The inputs do not contain the engine or long texts: only the hash is proof.
  const spec = contentSpec(video, video.styleVersions, digestsOf(video));
  return fingerprintOf(specAsRecorded(spec, entry.inputs), video) === entry.fingerprint;
}

/** Returns the digests of a video's local files, which its inputs contain. */
export function digestsOf(video: DesiredVideo): (path: string) => Sha256 {
  const digests = new Map<string, Sha256>();
  const inputs = video.inputs();
  for (const { id, value } of inputValues(video)) {
    if (!('source' in value) || value.source.kind === 'url') continue;
    const recorded = inputs[inputName(id)]!;
    digests.set(value.source.path, recorded.slice('sha256:'.length).slice(0, 64) as Sha256);
  }
  return (path) => digests.get(path)!;
}

function recordedFingerprints(lock: Lock, { journal, gone = [], history }: Observations): Set<Fingerprint> {
  const attempts = [...(journal?.attempts.values() ?? []), ...gone].filter(({ state }) => state !== 'closed');
  return new Set([
    ...[...lock.videos.values()].map(({ fingerprint }) => fingerprint),
    ...attempts.map(({ intent }) => intent.fingerprint),
    ...(history?.keys() ?? []),
  ]);
}

/** Also replaces the fingerprint in destinations, so that the recorded destinations stay the same. */
function withFingerprint(video: DesiredVideo, fingerprint: Fingerprint): DesiredVideo {
  const [digits, known] = [fingerprintDigits(video.fingerprint), fingerprintDigits(fingerprint)];
  return {
    ...video,
    fingerprint,
    deliver: video.deliver.map((destination) => ({ ...destination, to: destination.to.replaceAll(digits, known) })),
  };
}
