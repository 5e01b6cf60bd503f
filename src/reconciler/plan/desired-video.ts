import { canonicalTimeline, type FactsByTemplate, withoutInherited } from '../../contract/canonical-timeline.ts';
import type { Timeline, TimelineScene } from '../../contract/timeline/timeline.ts';
import { isHttpUrl } from '../../contract/urls.ts';
import type { SoundLength, VideoMeasures } from '../../contract/video-measures.ts';
import {
  type ContentId,
  canonicalSpec,
  hasCaptions,
  hasSound,
  plainScene,
  type SceneSpec,
  type VideoSpec,
  withNames,
} from '../../contract/video-spec.ts';
import type { InheritedMeasures } from '../../contract/wire/defaults.ts';
import { defined } from '../../kernel/defined.ts';
import { type Sha256, sha256 } from '../../kernel/digest.ts';
import { Memory } from '../../kernel/memory.ts';
import { fillDestinations } from '../definition/destinations.ts';
import { firstTemplate, localFiles, type Source, type Video, type VideoDestination } from '../definition/video.ts';
import { locationOf } from '../definition/video-timeline.ts';
import type { Fingerprint } from '../lock/lock.ts';
import { describeInputs } from '../lock/recorded-inputs.ts';
import { type FingerprintContext, fingerprintOf } from './fingerprint.ts';

/**
 * A video with all inputs of its rendering, in comparable form: see `canonicalTimeline`. Plans compare it with the lock entry, and apply
 * renders it.
 */
export interface DesiredVideo
  extends Omit<Video, 'description' | 'captionOrigins' | 'filteredScenes' | 'deliver'>,
    FingerprintContext,
    Pick<RenderingContext, 'measures' | 'styleVersions' | 'times' | 'contentLengths'> {
  /** The only field that decides whether the video is rendered again. */
  readonly fingerprint: Fingerprint;
  /**
   * Fingerprint that an earlier version computed for the same definition; absent when equal. See
   * `withKnownFingerprints`.
   */
  readonly formerFingerprint?: Fingerprint;
  /**
   * Returns the inputs in the lockfile's form, so that a later plan can show what changed: see `describeInputs`. Computed on
   * demand, because most videos of a plan have not changed.
   */
  readonly inputs: () => Readonly<Record<string, string>>;
  /** Complete destinations of the finished file. */
  readonly deliver: readonly VideoDestination[];
}

/** Converts a video and the service that renders it to the form that plans compare. */
export function desiredVideo(written: Video, context: RenderingContext): DesiredVideo {
  const { service, styleVersions, renderEpoch, sound, measures, times, facts = {} } = context;
  const { contentLengths = {}, timelineEpoch = 0, captionsEpoch = 0 } = context;
  const {
    captionOrigins: _origins,
    filteredScenes: _filtered,
    description: _description,
    size: _size,
    rate: _rate,
    duration: _duration,
    scenes: _scenes,
    ...values
  } = written;
  const { scenes, ...timeline } = canonicalTimeline(written, facts);
  const video = { scenes, ...values, ...timeline };
  const asWritten = contentSpec(video, styleVersions, context.assetDigest);
  const spec = canonicalSpec(asWritten, inheritedMeasures({ measures, ...video }));
  const isPlain = plainScene(spec) !== null;
  const isHeard = sound !== undefined && sound.epoch !== 0 && hasSound(spec, sound.isInTemplate);
  const isCaptioned = hasCaptions(spec);
  const renderer = {
    service,
    renderEpoch,
    ...(isHeard && { soundEpoch: sound.epoch }),
    ...(!isPlain && timelineEpoch !== 0 && { timelineEpoch }),
    ...(isCaptioned && captionsEpoch !== 0 && { captionsEpoch }),
  };
  const fingerprint = fingerprintOf(spec, renderer);
  const asBefore = spec === asWritten ? withCarriageReturns(spec) : asWritten;
  // Earlier versions had neither scenes nor captions.
  const former = asBefore === spec || !isPlain || isCaptioned ? fingerprint : fingerprintOf(asBefore, renderer);
  return {
    styleVersions,
    measures,
    fingerprint,
    inputs: () => describeInputs(withoutInherited(spec, facts[firstTemplate(video)])),
    ...(!isPlain && times !== undefined && { times }),
    ...(Object.keys(contentLengths).length > 0 && { contentLengths }),
    ...(former !== fingerprint && { formerFingerprint: former }),
    ...renderer,
    ...video,
    deliver: video.deliver.flatMap((destination) => fillDestinations(destination, video, fingerprint)),
  };
}

/** Returns the size and rate that outputs repeat, which are known before lengths of sounds are. */
export function inheritedMeasures({
  measures,
  size,
  rate,
}: Pick<DesiredVideo, 'measures' | 'size' | 'rate'>): InheritedMeasures {
  return measures ?? (size === undefined || rate === undefined ? null : { height: size[1], rate });
}

/** Returns whether the length of a sound is not known that decides how long a scene is. Such a video is measured before it is rendered. */
export function hasUnknownLength({ contentLengths = {} }: Pick<DesiredVideo, 'contentLengths'>): boolean {
  return Object.values(contentLengths).includes(null);
}

/** Returns whether a scene has its longest length, because the length of the track is not known that decides it. */
export function isEstimated(
  { contentLengths = {}, audio }: Pick<DesiredVideo, 'contentLengths' | 'audio'>,
  scene: SceneSpec<Source>,
  { length }: SceneTimes['why'],
): boolean {
  if (length.rule !== 'content') return false;
  const source = (scene.audio.get(length.item) ?? audio.get(length.item))?.source;
  return source !== undefined && contentLengths[locationOf(source)] === null;
}

/**
 * Returns the digest of everything that is drawn and heard: also of the lengths of remote sounds, which a fingerprint lacks because
 * they are known only after the sounds were measured.
 */
export function contentKey(video: Pick<DesiredVideo, 'fingerprint' | 'contentLengths'>): string {
  const lengths = remoteContent(video).map((url) => [url, video.contentLengths?.[url] ?? null]);
  return lengths.length === 0 ? video.fingerprint : `${video.fingerprint}:${sha256(JSON.stringify(lengths))}`;
}

/** Returns the URLs of the sounds that decide how long scenes are. */
export function remoteContent({ contentLengths = {} }: Pick<DesiredVideo, 'contentLengths'>): string[] {
  return Object.keys(contentLengths).filter(isHttpUrl);
}

/** Returns the style version of the first scene's template. */
export function styleVersionOf({ scenes, styleVersions }: Pick<DesiredVideo, 'scenes' | 'styleVersions'>): string {
  return styleVersions[scenes[0]!.template]!;
}

/** Returns the repository files that a video uses, without duplicates. */
export function assetsOf(video: DesiredVideo): string[] {
  return localFiles(video);
}

/** Everything except the definition that affects a video's pixels and sound. */
export interface RenderingContext extends Omit<FingerprintContext, 'soundEpoch' | 'timelineEpoch' | 'captionsEpoch'> {
  /**
   * By name of the template, the id of its style version; for a package, the digest of everything in it that can affect a
   * frame.
   */
  readonly styleVersions: Readonly<Record<string, string>>;
  /** Absent for a remote service, whose engine and template are unknown. */
  readonly sound?: {
    /** `SOUND_EPOCH` of the embedded engine. */
    readonly epoch: number;
    /** Whether a template of the video contains sounds. */
    readonly isInTemplate: boolean;
  };
  /**
   * Size and length of the video before its outputs; null when unknown. An output that requests exactly this size and rate
   * is equal to no output.
   */
  readonly measures: VideoMeasures | null;
  /** When each scene is shown. Absent for a template with values, and if a length is not known. */
  readonly times?: readonly SceneTimes[];
  /**
   * Lengths of the sounds that decide how long scenes are, by repository-relative path or URL; null for a length that is not known.
   * Scenes then have their longest length. Absent when empty.
   */
  readonly contentLengths?: Readonly<Record<string, SoundLength | null>>;
  /** Facts about the templates. Without those of a template, fields that repeat a default of its scenes are not recognized. */
  readonly facts?: FactsByTemplate;
  /** `TIMELINE_EPOCH` of the embedded engine; 0 when absent. */
  readonly timelineEpoch?: number;
  /** `CAPTIONS_EPOCH` of the embedded engine; 0 when absent. */
  readonly captionsEpoch?: number;
  /**
   * Returns the digest of a local file's bytes by repository-relative path. Called for each use, so it should be
   * cached.
   */
  readonly assetDigest: (path: string) => Sha256;
}

/** When a scene is shown, in frames of the video's measures, and why. */
export interface SceneTimes extends Pick<TimelineScene, 'start' | 'length' | 'why'> {
  /** Frames per second of its template, in which `why.places` are counted; absent without changed places. */
  readonly templateRate?: number;
}

const sceneTimes = new Memory<readonly SceneTimes[]>();

/** Returns when each scene of a timeline is shown: the same list for all videos that share the timeline. @param facts that it was resolved from */
export function timesOf(timeline: Timeline, facts: FactsByTemplate): readonly SceneTimes[] {
  return sceneTimes.of(timeline, 'times', () => {
    return timeline.scenes.map(({ template, start, length, why }) => {
      const templateRate = why.places.length === 0 ? undefined : facts[template]!.rate;
      return { start, length, why, ...defined({ templateRate }) };
    });
  });
}

/** Returns the spec of a video with the bytes of its files in place of their paths, and style versions for templates. */
export function contentSpec(
  video: VideoSpec<Source>,
  styleVersions: RenderingContext['styleVersions'],
  assetDigest: RenderingContext['assetDigest'],
): VideoSpec<ContentId> {
  return withNames(video, {
    source: (source) => (source.kind === 'file' ? { file: assetDigest(source.path) } : { url: source.url }),
    template: (name) => styleVersions[name]!,
  });
}

/** Restores the line breaks that earlier versions read from CSV files with CR LF. @returns the same object if there are none */
function withCarriageReturns<S>(spec: VideoSpec<S>): VideoSpec<S> {
  const scene = plainScene(spec);
  // Those versions had no scenes.
  if (scene === null) return spec;
  let isBroken = false;
  const resources = [...scene.resources].map(([key, value]) => {
    if (value.kind !== 'text' || !value.text.includes('\n')) return [key, value] as const;
    isBroken = true;
    return [key, { ...value, text: value.text.replaceAll('\n', '\r\n') }] as const;
  });
  return isBroken ? { ...spec, scenes: [{ ...scene, resources: new Map(resources) }] } : spec;
}
