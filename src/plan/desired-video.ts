import { fillDestination } from '../definition/destinations.ts';
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

/** A video as the definitions want it, in the terms in which the lockfile remembers it: one side of every comparison. */
export interface DesiredVideo
  extends Pick<Video, 'audio' | 'fonts' | 'output'>,
    Pick<RenderingContext, 'service' | 'styleVersion' | 'renderEpoch' | 'measures'> {
  readonly id: VideoId;
  /** The definition's file, repository-relative. */
  readonly path: string;
  readonly title: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly protect: boolean;
  /** The template's name in reelform.yaml. */
  readonly template: string;
  /** Decides alone whether the video is rendered again. */
  readonly fingerprint: Fingerprint;
  /** What an earlier version made of the same definition; absent where it is the same. See `withKnownFingerprints`. */
  readonly formerFingerprint?: Fingerprint;
  /**
   * What the lockfile keeps so that a later plan can say what changed: see `describeInputs`.
   */
  readonly inputs: Readonly<Record<string, string>>;
  /** What the inputs came from, for showing them: the kind, the whole text, the name of the file. */
  readonly resources: ReadonlyMap<string, VideoResource>;
  /** Length of the template's video; null when nothing tells it. */
  readonly durationSeconds: number | null;
  /** Where the finished file is to be, each place whole. */
  readonly deliver: readonly VideoDestination[];
}

/** Brings a video and the service it is meant for into the form that plans compare. */
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
    durationSeconds: context.durationSeconds,
    deliver: video.deliver.map((one) => ({ ...one, to: fillDestination(one.to, video, ownFingerprint) })),
  };
}

/** The files of the repository that it is made from, each once. */
export function assetsOf(video: DesiredVideo): string[] {
  return localFiles(video);
}
