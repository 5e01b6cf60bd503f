import { furtherOutputs, type Source, type VideoResource } from '../definition/video.ts';
import { byCodeUnit, sha256 } from '../digest.ts';
import { plainColor, plainOutput, plainTransform } from '../wire/defaults.ts';
import type { AudioTransform, Transform } from '../wire/mapping.ts';
import type { OutputRequest } from '../wire/output.ts';
import type { RenderingContext, VideoContent } from './desired-video.ts';

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
