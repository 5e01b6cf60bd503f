import { fillDestinations } from '../definition/destinations.ts';
import {
  localFiles,
  type Video,
  type VideoDestination,
  type VideoId,
  type VideoResource,
} from '../definition/video.ts';
import type { Fingerprint } from '../lock/lock.ts';
import { describeInputs } from './describe-inputs.ts';
import { fingerprintAsWritten, plainContent, type RenderingContext } from './fingerprint.ts';

/**
 * A video as its definition wants it, in comparable form: one side of every comparison; the lock entry is the other.
 */
export interface DesiredVideo
  extends Pick<Video, 'audio' | 'fonts' | 'output' | 'outputs'>,
    Pick<RenderingContext, 'service' | 'styleVersion' | 'renderEpoch' | 'measures'> {
  readonly id: VideoId;
  /** Path of the definition, repository-relative. */
  readonly path: string;
  readonly title: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly protect: boolean;
  /** Name of the template in reelform.yaml. */
  readonly template: string;
  /** The only field that decides whether the video is rendered again. */
  readonly fingerprint: Fingerprint;
  /**
   * Fingerprint that an earlier version computed for the same definition; absent when equal. See
   * `withKnownFingerprints`.
   */
  readonly formerFingerprint?: Fingerprint;
  /** Inputs in the lockfile's form, so that a later plan can show what changed. See `describeInputs`. */
  readonly inputs: Readonly<Record<string, string>>;
  /** Sources of the inputs, for display: kind, full text, file name. */
  readonly resources: ReadonlyMap<string, VideoResource>;
  /** Duration of the template's video; null when unknown. */
  readonly durationSeconds: number | null;
  /** Complete destinations of the finished file. */
  readonly deliver: readonly VideoDestination[];
}

/** Converts a video and the service that renders it to the form that plans compare. */
export function desiredVideo(
  video: Video,
  context: RenderingContext & { readonly durationSeconds: number | null },
): DesiredVideo {
  const plain = plainContent(video, context.measures);
  const ownFingerprint = fingerprintAsWritten(plain, context);
  const asWritten = plain === video ? ownFingerprint : fingerprintAsWritten(video, context);
  return {
    id: video.id,
    path: video.path,
    title: video.title,
    labels: video.labels,
    protect: video.protect,
    template: video.template,
    service: context.service,
    styleVersion: context.styleVersion,
    renderEpoch: context.renderEpoch,
    measures: context.measures,
    fingerprint: ownFingerprint,
    ...(asWritten !== ownFingerprint && { formerFingerprint: asWritten }),
    inputs: describeInputs(plain, context),
    resources: video.resources,
    audio: video.audio,
    fonts: video.fonts,
    output: video.output,
    ...(video.outputs !== undefined && { outputs: video.outputs }),
    durationSeconds: context.durationSeconds,
    deliver: video.deliver.flatMap((one) => fillDestinations(one, video, ownFingerprint)),
  };
}

/** Returns the repository files that a video uses, without duplicates. */
export function assetsOf(video: DesiredVideo): string[] {
  return localFiles(video);
}
