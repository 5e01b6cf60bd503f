import { isDeepStrictEqual } from 'node:util';
import { plainColor, plainOutput, plainTransform, type TemplateMeasures } from '../../contract/wire/defaults.ts';
import type { AudioTransform, Transform } from '../../contract/wire/mapping.ts';
import { type OutputRequest, withoutName } from '../../contract/wire/output.ts';
import { defined } from '../../kernel/defined.ts';
import { byCodeUnit, canonicalJson, type Json, type Sha256, sha256 } from '../../kernel/digest.ts';
import { mapToRecord } from '../../kernel/json.ts';
import { fillDestinations } from '../definition/destinations.ts';
import {
  furtherOutputs,
  localFiles,
  type Source,
  type Video,
  type VideoDestination,
  type VideoResource,
  type VideoSound,
} from '../definition/video.ts';
import type { Fingerprint } from '../lock/lock.ts';

/**
 * A video with all inputs of its rendering, in comparable form: one side of every comparison; the lock entry is the
 * other. The same object is rendered.
 */
export interface DesiredVideo
  extends Omit<Video, 'description'>,
    Pick<RenderingContext, 'service' | 'styleVersion' | 'renderEpoch' | 'measures'> {
  /** The only field that decides whether the video is rendered again. */
  readonly fingerprint: Fingerprint;
  /**
   * Fingerprint that an earlier version computed for the same definition; absent when equal. See
   * `withKnownFingerprints`.
   */
  readonly formerFingerprint?: Fingerprint;
  /** Inputs in the lockfile's form, so that a later plan can show what changed. See `describeInputs`. */
  readonly inputs: Readonly<Record<string, string>>;
  /** Duration of the template's video; null when unknown. */
  readonly durationSeconds: number | null;
  /** Complete destinations of the finished file. */
  readonly deliver: readonly VideoDestination[];
}

/** Converts a video and the service that renders it to the form that plans compare. */
export function desiredVideo(
  { description: _, ...video }: Video,
  context: RenderingContext & { readonly durationSeconds: number | null },
): DesiredVideo {
  const plain = plainContent(video, context.measures);
  const ownFingerprint = fingerprintAsWritten(plain, context);
  const written = plain === video ? withCarriageReturns(video) : video;
  const asWritten = written === plain ? ownFingerprint : fingerprintAsWritten(written, context);
  return {
    ...video,
    service: context.service,
    styleVersion: context.styleVersion,
    renderEpoch: context.renderEpoch,
    measures: context.measures,
    fingerprint: ownFingerprint,
    ...(asWritten !== ownFingerprint && { formerFingerprint: asWritten }),
    inputs: describeInputs(plain, context),
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
type VideoContent = Pick<Video, 'resources' | 'audio' | 'fonts' | 'output' | 'outputs'>;

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
    resources: mapToRecord(resources, (resource) => resolve(resource, context)),
    audio_tracks: audio.size === 0 ? undefined : mapToRecord(audio, (sound) => resolveSource(sound, context)),
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
  return { resources, audio, fonts: video.fonts, output, ...defined({ outputs }) };
}

/** Restores the line breaks that earlier versions read from CSV files with CR LF. @returns the same object if there are none */
function withCarriageReturns<T extends VideoContent>(video: T): T {
  const isBroken = (one: VideoResource): boolean => one.kind === 'text' && one.text.includes('\n');
  if (![...video.resources.values()].some(isBroken)) return video;
  const resources = mapped(video.resources, (one) => {
    return one.kind === 'text' ? { ...one, text: one.text.replaceAll('\n', '\r\n') } : one;
  });
  return { ...video, resources };
}

function mapped<T>(map: ReadonlyMap<string, T>, change: (value: T) => T): Map<string, T> {
  return new Map([...map].map(([key, value]) => [key, change(value)]));
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

type MeasuredContent = VideoContent & Pick<RenderingContext, 'measures'>;

/** Maximum length of a text that the lockfile keeps literally, in UTF-16 code units. */
const VERBATIM_LENGTH = 200;

/**
 * Describes the inputs of a video in the lockfile's form: by editable key, in the specification's order, then by
 * `audio.<track>`, `fonts.<font>`, `output`, and `outputs.<name>` for each file beside the main one.
 *
 * A text of up to 200 characters is kept literally, a longer one as `sha256:` with its digest; a colour as its digits;
 * a font as its name; a local file as `sha256:` with the digest of its bytes; a URL as written. A transform other than
 * plain `cover` follows the source as ` name=value` pairs, sorted by name; an output consists of such pairs.
 */
export function describeInputs(
  { resources, audio, fonts, output, outputs }: VideoContent,
  context: Pick<RenderingContext, 'assetDigest'>,
): Record<string, string> {
  const inputs: [string, string][] = [];
  for (const [key, resource] of resources) inputs.push([key, describeInput(resource, context)]);
  for (const [name, sound] of audio) inputs.push([`audio.${name}`, describeSource(sound, context)]);
  for (const [name, font] of fonts) inputs.push([`fonts.${name}`, font]);
  if (output !== null) inputs.push(['output', describePairs(output).trimStart()]);
  // The format is never left out: an input has a text.
  for (const { name, format = 'mp4', ...rest } of furtherOutputs({ outputs })) {
    inputs.push([`outputs.${name}`, describePairs({ format, ...rest }).trimStart()]);
  }
  return Object.fromEntries(inputs);
}

function describeInput(resource: VideoResource, context: Pick<RenderingContext, 'assetDigest'>): string {
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
  context: Pick<RenderingContext, 'assetDigest'>,
): string {
  const from = source.kind === 'file' ? `sha256:${context.assetDigest(source.path)}` : source.url;
  return `${from}${describeTransform(transform)}`;
}

/** A text that looks like a digest is digested too, so that the two cannot be confused. */
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

/**
 * Returns the inputs of a lock entry without the defaults that earlier versions recorded, in the form that
 * `describeInputs` writes for the same content today.
 *
 * @param desired determines the kind of each input
 */
export function plainInputs(inputs: Readonly<Record<string, string>>, desired: MeasuredContent): Map<string, string> {
  const plain = Object.entries(inputs).map(([key, input]) => [key, plainInput(key, input, desired)] as const);
  return new Map(plain.filter(([key, input]) => input !== '' || !isOutput(key, desired)));
}

function plainInput(key: string, input: string, desired: MeasuredContent): string {
  if (isOutput(key, desired)) return describePairs(plainOutput(readPairs(input), desired.measures) ?? {}).trimStart();
  const kind = kindOf(key, desired);
  if (kind === 'color') return plainColor(input);
  if (kind !== 'image' && kind !== 'video' && kind !== 'audio') return input;
  const { source, settings } = splitSource(input);
  return `${source}${describeTransform(plainTransform(kind, readPairs(settings)))}`;
}

/**
 * Returns the content of a video with the transforms, colours and output of a lock entry; everything else comes from
 * the definition.
 */
export function contentAsRecorded(desired: MeasuredContent, inputs: Readonly<Record<string, string>>): VideoContent {
  const transformOf = (key: string, kind: string): Transform & AudioTransform => {
    const { settings } = splitSource(inputs[key] ?? '');
    return { ...(kind !== 'audio' && { crop_strategy: 'cover' }), ...readPairs(settings) };
  };
  const resources = [...desired.resources].map(([key, resource]): [string, VideoResource] => {
    if (resource.kind === 'color') return [key, { ...resource, color: inputs[key] ?? resource.color }];
    return [key, 'source' in resource ? { ...resource, transform: transformOf(key, resource.kind) } : resource];
  });
  const audio = [...desired.audio].map(([name, sound]) => {
    return [name, { ...sound, transform: transformOf(`audio.${name}`, 'audio') }] as const;
  });
  const output = desired.resources.has('output') ? desired.output : inputs.output && readPairs(inputs.output);
  const { fonts, outputs } = desired;
  const content = { resources: new Map(resources), audio: new Map(audio), fonts, output: output || null };
  return outputs === undefined ? content : { ...content, outputs };
}

function isOutput(key: string, { resources }: VideoContent): boolean {
  return key === 'output' && !resources.has(key);
}

/** Returns whether an input is an output of the video, main or not, and no editable. */
export function isAnyOutput(key: string, { resources }: Pick<VideoContent, 'resources'>): boolean {
  return /^output(?:s\.|$)/.test(key) && !resources.has(key);
}

function kindOf(key: string, { resources, audio }: VideoContent): VideoResource['kind'] | null {
  return (
    resources.get(key)?.kind ?? (key.startsWith('audio.') && audio.has(key.slice('audio.'.length)) ? 'audio' : null)
  );
}

function splitSource(input: string): { readonly source: string; readonly settings: string } {
  const [, source = input, settings = ''] = /^(.*?)((?: [a-z_]+=\S+)*)$/s.exec(input) ?? [];
  return { source, settings };
}

/** Parses ` name=value` pairs. `background` is the only text value that can look like a number. */
function readPairs(text: string): Transform & AudioTransform & OutputRequest {
  const pairs = text.split(' ').filter((pair) => pair !== '');
  return Object.fromEntries(
    pairs.map((pair) => {
      const [name, value] = [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)];
      const number = name === 'background' ? Number.NaN : Number(value);
      return [name, Number.isNaN(number) ? (value === 'true' ? true : value === 'false' ? false : value) : number];
    }),
  );
}
