import { isDeepStrictEqual } from 'node:util';
import { fillDestinations } from '../definition/destinations.ts';
import {
  furtherOutputs,
  localFiles,
  type Source,
  type Video,
  type VideoDestination,
  type VideoId,
  type VideoResource,
  type VideoSound,
} from '../definition/video.ts';
import { canonicalJson, type Json, type Sha256, sha256 } from '../digest.ts';
import type { Fingerprint } from '../lock/lock.ts';
import { plainColor, plainOutput, plainTransform, type TemplateMeasures } from '../wire/defaults.ts';
import type { AudioTransform, Transform } from '../wire/mapping.ts';
import { withoutName } from '../wire/output.ts';
import { describeInputs } from './describe-inputs.ts';

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

/** Everything except the definition that affects a video's pixels and sound. */
export interface RenderingContext {
  /** `embedded`, or the origin of the service's URL. */
  readonly service: string;
  /** Id of the template style version; for a package, the digest of everything in it that can affect a frame. */
  readonly styleVersion: string;
  /** Raised by the embedded engine when its frames change; null for a remote service, whose engine is unknown. */
  readonly renderEpoch: number | null;
  /** The template's own dimensions and rate. An output that requests exactly these is equal to no output. */
  readonly measures: TemplateMeasures;
  /**
   * Returns the digest of a local file's bytes by repository-relative path. Called for each use, so it should be
   * cached.
   */
  readonly assetDigest: (path: string) => Sha256;
}

/** The part of a video that its fingerprint depends on. */
export type VideoContent = Pick<Video, 'resources' | 'audio' | 'fonts' | 'output' | 'outputs'>;

/**
 * Computes the content hash of a video. Two videos have equal fingerprints exactly when the service would be asked for
 * the same picture and sound.
 *
 * It is the SHA-256 of the canonical JSON of one object with
 * - `service` and `style_version`, and `render_epoch` for the embedded engine;
 * - `resources`: each filled editable's key with its `text`; its `color`; its `font`; or its `transform` and either
 *   `file`, the digest of the local file's bytes, or `url`, the address of a remote source as written;
 * - if there are any, `audio_tracks`: each track's name with the fields of a resource with a source; `font_changes`:
 *   each replaced font with the name of the other; the requested `output`; and `outputs`, the named files beside it.
 *
 * Values equal to a default are left out: see `plainContent`.
 *
 * Everything else can change without a render: the definition's path, key order, comments and formatting, the name of a
 * local file, and the video's id, title, description, labels, protection and template name. The bytes behind a URL are
 * not included either: only a refresh detects a remote file that changes in place.
 *
 * @see RFC 8785 for the canonical form
 */
export function fingerprint(video: VideoContent, context: RenderingContext): Fingerprint {
  return fingerprintAsWritten(plainContent(video, context.measures), context);
}

/** Computes the fingerprint as earlier versions did, with the written-out defaults of a definition. */
export function fingerprintAsWritten(
  { resources, audio, fonts, output, outputs }: VideoContent,
  context: Omit<RenderingContext, 'measures'>,
): Fingerprint {
  const further = furtherOutputs({ outputs });
  const content = canonicalJson({
    service: context.service,
    style_version: context.styleVersion,
    render_epoch: context.renderEpoch ?? undefined,
    resources: mapValues(resources, (resource) => resolve(resource, context)),
    audio_tracks: audio.size === 0 ? undefined : mapValues(audio, (sound) => resolveSource(sound, context)),
    font_changes: fonts.size === 0 ? undefined : Object.fromEntries(fonts),
    output: output === null ? undefined : { ...output },
    // The name of the main file is no part: nothing that is rendered depends on it.
    outputs: further.length === 0 ? undefined : further.map((one) => ({ ...one })),
  });
  return `v1:${sha256(content)}` as Fingerprint;
}

/**
 * Removes values equal to a default: fields of transforms and of the output, and the alpha of an opaque colour. The
 * service interface fixes these defaults. A template's own height and rate are known only for packages.
 *
 * @returns the same object when there is nothing to remove
 */
function plainContent(video: VideoContent, measures: TemplateMeasures): VideoContent {
  let isPlain = true;
  const kept = <T extends object>(written: T, plain: T): T => {
    if (isDeepStrictEqual(written, plain)) return written;
    isPlain = false;
    return plain;
  };
  const plainResource = (resource: VideoResource): VideoResource => {
    if (resource.kind === 'color') return kept(resource, { ...resource, color: plainColor(resource.color) });
    if (!('transform' in resource)) return resource;
    const transform = kept(resource.transform, plainTransform(resource.kind, resource.transform));
    return { ...resource, transform } as VideoResource;
  };
  const plainSound = (sound: VideoSound): VideoSound => {
    return { ...sound, transform: kept(sound.transform, plainTransform('audio', sound.transform)) };
  };
  const resources = mapped(video.resources, plainResource);
  const audio = mapped(video.audio, plainSound);
  const output = plainOutput(video.output, measures);
  const outputs = video.outputs?.map((one) =>
    kept(one, { name: one.name, ...plainOutput(withoutName(one) ?? null, measures) }),
  );
  const isSameOutput = isDeepStrictEqual(video.output, output);
  if (isPlain && isSameOutput) return video;
  return { resources, audio, fonts: video.fonts, output, ...(outputs !== undefined && { outputs }) };
}

function mapped<T>(map: ReadonlyMap<string, T>, change: (value: T) => T): Map<string, T> {
  return new Map([...map].map(([key, value]) => [key, change(value)]));
}

function mapValues<T>(map: ReadonlyMap<string, T>, change: (value: T) => Json): Record<string, Json> {
  return Object.fromEntries([...map].map(([key, value]) => [key, change(value)]));
}

type Digests = Pick<RenderingContext, 'assetDigest'>;

function resolve(resource: VideoResource, context: Digests): Json {
  switch (resource.kind) {
    case 'text':
      return { text: resource.text };
    case 'color':
      return { color: resource.color };
    case 'font':
      return { font: resource.font };
    case 'image':
    case 'video':
    case 'audio':
      return resolveSource(resource, context);
  }
}

function resolveSource(
  { source, transform }: { readonly source: Source; readonly transform: Transform | AudioTransform },
  context: Digests,
): Json {
  const handled: Json = { ...transform };
  return source.kind === 'file'
    ? { file: context.assetDigest(source.path), transform: handled }
    : { url: source.url, transform: handled };
}
