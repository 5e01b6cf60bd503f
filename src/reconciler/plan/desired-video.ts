import type { VideoMeasures } from '../../contract/video-measures.ts';
import { type ContentId, canonicalSpec, hasSound, type VideoSpec, withSources } from '../../contract/video-spec.ts';
import type { Sha256 } from '../../kernel/digest.ts';
import { fillDestinations } from '../definition/destinations.ts';
import { localFiles, type Source, type Video, type VideoDestination } from '../definition/video.ts';
import type { Fingerprint } from '../lock/lock.ts';
import { describeInputs } from '../lock/recorded-inputs.ts';
import { type FingerprintContext, fingerprintOf } from './fingerprint.ts';

/**
 * A video with all inputs of its rendering, in comparable form. Plans compare it with the lock entry, and apply
 * renders it.
 */
export interface DesiredVideo
  extends Omit<Video, 'description'>,
    FingerprintContext,
    Pick<RenderingContext, 'measures'> {
  /** The only field that decides whether the video is rendered again. */
  readonly fingerprint: Fingerprint;
  /**
   * Fingerprint that an earlier version computed for the same definition; absent when equal. See
   * `withKnownFingerprints`.
   */
  readonly formerFingerprint?: Fingerprint;
  /** Inputs in the lockfile's form, so that a later plan can show what changed. See `describeInputs`. */
  readonly inputs: Readonly<Record<string, string>>;
  /** Complete destinations of the finished file. */
  readonly deliver: readonly VideoDestination[];
}

/** Converts a video and the service that renders it to the form that plans compare. */
export function desiredVideo({ description: _, ...video }: Video, context: RenderingContext): DesiredVideo {
  const { service, styleVersion, renderEpoch, sound, measures } = context;
  const written = contentSpec(video, context.assetDigest);
  const spec = canonicalSpec(written, measures);
  const isHeard = sound !== undefined && sound.epoch !== 0 && hasSound(spec, sound.isInTemplate);
  const renderer = { service, styleVersion, renderEpoch, ...(isHeard && { soundEpoch: sound.epoch }) };
  const fingerprint = fingerprintOf(spec, renderer);
  const asBefore = spec === written ? withCarriageReturns(spec) : written;
  const former = asBefore === spec ? fingerprint : fingerprintOf(asBefore, renderer);
  return {
    ...video,
    ...renderer,
    measures,
    fingerprint,
    ...(former !== fingerprint && { formerFingerprint: former }),
    inputs: describeInputs(spec),
    deliver: video.deliver.flatMap((destination) => fillDestinations(destination, video, fingerprint)),
  };
}

/** Returns the repository files that a video uses, without duplicates. */
export function assetsOf(video: DesiredVideo): string[] {
  return localFiles(video);
}

/** Everything except the definition that affects a video's pixels and sound. */
export interface RenderingContext extends Omit<FingerprintContext, 'soundEpoch'> {
  /** Absent for a remote service, whose engine and template are unknown. */
  readonly sound?: {
    /** `SOUND_EPOCH` of the embedded engine. */
    readonly epoch: number;
    /** Whether the template contains sounds. */
    readonly isInTemplate: boolean;
  };
  /**
   * Size and length of the video before its outputs; null when unknown. An output that requests exactly this size and rate
   * is equal to no output.
   */
  readonly measures: VideoMeasures | null;
  /**
   * Returns the digest of a local file's bytes by repository-relative path. Called for each use, so it should be
   * cached.
   */
  readonly assetDigest: (path: string) => Sha256;
}

/** Returns the spec of a video with the bytes of its files in place of their paths. */
export function contentSpec(
  video: VideoSpec<Source>,
  assetDigest: RenderingContext['assetDigest'],
): VideoSpec<ContentId> {
  return withSources(video, (source) => {
    return source.kind === 'file' ? { file: assetDigest(source.path) } : { url: source.url };
  });
}

/** Restores the line breaks that earlier versions read from CSV files with CR LF. @returns the same object if there are none */
function withCarriageReturns<S>(spec: VideoSpec<S>): VideoSpec<S> {
  let isBroken = false;
  const resources = [...spec.resources].map(([key, value]) => {
    if (value.kind !== 'text' || !value.text.includes('\n')) return [key, value] as const;
    isBroken = true;
    return [key, { ...value, text: value.text.replaceAll('\n', '\r\n') }] as const;
  });
  return isBroken ? { ...spec, resources: new Map(resources) } : spec;
}
