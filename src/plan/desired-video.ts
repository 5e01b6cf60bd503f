import { fillDestination } from '../definition/fill-destination.ts';
import type { Source, Video, VideoDestination, VideoId, VideoResource } from '../definition/video.ts';
import { localFiles } from '../definition/video-sources.ts';
import { byCodeUnit, sha256 } from '../digest.ts';
import type { Fingerprint } from '../lock/lock.ts';
import type { AudioTransform, Transform } from '../wire/mapping.ts';
import type { OutputRequest } from '../wire/output.ts';
import { fingerprint, type RenderingContext } from './fingerprint.ts';

/** A video as the definitions want it, in the terms in which the lockfile remembers it: one side of every comparison. */
export interface DesiredVideo extends Pick<Video, 'audio' | 'fonts' | 'output'> {
  readonly id: VideoId;
  /** The definition's file, repository-relative. */
  readonly path: string;
  readonly title: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly protect: boolean;
  /** The template's name in reelform.yaml. */
  readonly template: string;
  readonly service: string;
  readonly styleVersion: string;
  /** Decides alone whether the video is rendered again. */
  readonly fingerprint: Fingerprint;
  /**
   * By editable key, in the specification's order, then by `audio.<track>`, `fonts.<font>` and `output`: what the lockfile
   * keeps so that a later plan can say what changed.
   */
  readonly inputs: Readonly<Record<string, string>>;
  /** What the inputs came from, for showing them: the kind, the whole text, the name of the file. */
  readonly resources: ReadonlyMap<string, VideoResource>;
  /** Length of the template's video; null when nothing tells it. */
  readonly durationSeconds: number | null;
  /** Where the finished file is to be, each place whole. */
  readonly deliver: readonly VideoDestination[];
}

/** The longest text that the lockfile keeps word for word, in UTF-16 code units. */
const VERBATIM_LENGTH = 200;

/**
 * Brings a video and the service it is meant for into the form that plans compare.
 *
 * Its `inputs` hold, by kind: a text as it is up to 200 characters, and `sha256:` with its digest beyond; a colour's
 * digits; a font's name; `sha256:` with the digest of a local file's bytes; a URL as written. A transform other than plain
 * `cover` follows the source as ` name=value` pairs, sorted by name; an output consists of such pairs.
 */
export function desiredVideo(
  video: Video,
  context: RenderingContext & { readonly durationSeconds: number | null },
): DesiredVideo {
  const inputs: [string, string][] = [];
  for (const [key, resource] of video.resources) inputs.push([key, describeInput(resource, context)]);
  for (const [name, sound] of video.audio) inputs.push([`audio.${name}`, describeSource(sound, context)]);
  for (const [name, font] of video.fonts) inputs.push([`fonts.${name}`, font]);
  if (video.output !== null) inputs.push(['output', describePairs(video.output).trimStart()]);
  const ownFingerprint = fingerprint(video, context);
  return {
    id: video.id,
    path: video.path,
    title: video.title,
    labels: video.labels,
    protect: video.protect,
    template: video.template,
    service: context.service,
    styleVersion: context.styleVersion,
    fingerprint: ownFingerprint,
    inputs: Object.fromEntries(inputs),
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

function describeInput(resource: VideoResource, context: RenderingContext): string {
  switch (resource.kind) {
    case 'text':
      return describeText(resource.text);
    case 'color':
      return resource.color;
    case 'font':
      return resource.font;
    case 'image':
    case 'video':
    case 'audio':
      return describeSource(resource, context);
  }
}

function describeSource(
  { source, transform }: { readonly source: Source; readonly transform: Transform | AudioTransform },
  context: RenderingContext,
): string {
  const from = source.kind === 'file' ? `sha256:${context.assetDigest(source.path)}` : source.url;
  return `${from}${describeTransform(transform)}`;
}

/** A text that looks like a digest is digested as well, so that the two cannot be taken for each other. */
function describeText(text: string): string {
  return text.length <= VERBATIM_LENGTH && !text.startsWith('sha256:') ? text : `sha256:${sha256(text)}`;
}

function describeTransform(transform: Transform | AudioTransform): string {
  const isPlain = Object.entries(transform).every(([name, value]) => name === 'crop_strategy' && value === 'cover');
  return isPlain ? '' : describePairs(transform);
}

function describePairs(fields: Transform | AudioTransform | OutputRequest): string {
  return Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => byCodeUnit(a, b))
    .map(([name, value]) => ` ${name}=${value}`)
    .join('');
}
