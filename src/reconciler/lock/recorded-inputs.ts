import type { SpecCaptions } from '../../contract/captions/caption-style.ts';
import type { FullPlace } from '../../contract/timeline/place.ts';
import {
  type ContentId,
  canonicalValue,
  furtherOutputs,
  type ScenePlacement,
  type SceneSpec,
  type SpecSound,
  type SpecValue,
  type VideoSpec,
} from '../../contract/video-spec.ts';
import { type InheritedMeasures, plainOutput } from '../../contract/wire/defaults.ts';
import type { AudioTransform, Transform } from '../../contract/wire/mapping.ts';
import type { OutputRequest } from '../../contract/wire/output.ts';
import { byCodeUnit, sha256 } from '../../kernel/digest.ts';
import { type InputId, inputName, parseInputName } from './input-names.ts';
import { describeCues } from './recorded-cues.ts';

/** Inputs of a lock entry. */
type Inputs = Readonly<Record<string, string>>;

/** Maximum length of a text that the lockfile keeps literally, in UTF-16 code units. */
const VERBATIM_LENGTH = 200;

/**
 * Describes the inputs of a video in the lockfile's form: editables in the specification's order, then tracks, fonts, the
 * timeline, captions, the main output and the files beside it, by `inputName`.
 *
 * A text of up to 200 characters is kept literally, a longer text as `sha256:` with its digest; a colour as its digits;
 * a font as its name; a local file as `sha256:` with the digest of its bytes; a URL as written. A transform other than
 * plain `cover` follows the source as ` name=value` pairs, sorted by name; an output consists of such pairs.
 */
export function describeInputs(spec: VideoSpec<ContentId>): Record<string, string> {
  const inputs = inputValues(spec).map(({ id, value }): [InputId, string] => [id, describeValue(value)]);
  inputs.push(...timelineInputs(spec));
  if (spec.loudness !== undefined) inputs.push([LOUDNESS, describePairs(spec.loudness).trimStart()]);
  inputs.push(...captionInputs(spec));
  if (spec.output !== null) inputs.push([{ kind: 'output', name: '' }, describeOutput(spec.output)]);
  // Always records the format, because the text of an input must not be empty.
  for (const { name, format = 'mp4', ...settings } of furtherOutputs(spec)) {
    inputs.push([{ kind: 'output', name }, describeOutput({ format, ...settings })]);
  }
  return Object.fromEntries(inputs.map(([id, text]) => [inputName(id), text]));
}

function describeValue(value: SpecValue<ContentId>): string {
  switch (value.kind) {
    case 'text':
      return describeText(value.text);
    case 'color':
      return value.color;
    case 'font':
      return value.font;
    case 'image':
    case 'video':
    case 'audio':
      return describeSource(value);
  }
}

/** An editable, a track or a replaced font of a video, with its value. */
interface InputValue<S> {
  readonly id: InputId;
  readonly value: SpecValue<S>;
}

/** Returns the values of a video: those of each scene in its order, tracks of the whole video before the fonts. */
export function inputValues<S>({ scenes, audio }: Pick<VideoSpec<S>, 'scenes' | 'audio'>): InputValue<S>[] {
  const isOnly = scenes.length === 1;
  const values: InputValue<S>[] = [];
  const add = (id: InputId, value: SpecValue<S>): void => void values.push({ id, value });
  const addTracks = (tracks: SceneSpec<S>['audio'], scene: Pick<InputId, 'scene'>): void => {
    for (const [name, sound] of tracks) add({ kind: 'track', name, ...scene }, { kind: 'audio', ...sound });
  };
  for (const { id, resources, fonts, audio: tracks } of scenes) {
    const scene = isOnly ? {} : { scene: id };
    for (const [name, value] of resources) add({ kind: 'editable', name, ...scene }, value);
    addTracks(isOnly ? audio : tracks, scene);
    for (const [name, font] of fonts) add({ kind: 'font', name, ...scene }, { kind: 'font', font });
  }
  if (!isOnly) addTracks(audio, {});
  return values;
}

/** Returns the ids that prefix the names of inputs: those of several scenes. */
export function scenesOfInputs({ scenes }: Pick<VideoSpec<unknown>, 'scenes'>): string[] {
  return scenes.length === 1 ? [] : scenes.map(({ id }) => id);
}

/** Returns the cues that are drawn or embedded, and how they look. */
function captionInputs({ captions, scenes }: VideoSpec<unknown>): [InputId, string][] {
  const inputsOf = (given: SpecCaptions | undefined, scene: Pick<InputId, 'scene'>): [InputId, string][] => {
    if (given === undefined) return [];
    const { cues, style, layer, fonts, lang, embed } = given;
    const { axes, features, ...fields } = style ?? {};
    const settings = [axes, features].map((values) => describePairs(values ?? {}));
    const look = style && `${describePairs(fields)}${settings.join('')}`.trimStart();
    const texts = {
      cues: describeCues(cues),
      style: look === '' ? 'default' : look,
      layer,
      fonts: fonts?.join(', '),
      lang,
      embed,
    };
    return Object.entries(texts).flatMap(([name, text]): [InputId, string][] => {
      return text === undefined ? [] : [[{ kind: 'captions', name, ...scene }, String(text)]];
    });
  };
  return [...inputsOf(captions, {}), ...scenes.flatMap((scene) => inputsOf(scene.captions, { scene: scene.id }))];
}

const LOUDNESS: InputId = { kind: 'loudness', name: '' };

/** Returns everything that decides when and how the scenes of a video are shown and heard, except the lengths that follow from content. */
function timelineInputs({ scenes, size, rate, duration }: VideoSpec<unknown>): [InputId, string][] {
  const isOnly = scenes.length === 1;
  const ofScenes = scenes.flatMap((scene) => fieldsOf(placementTexts(scene), isOnly ? {} : { scene: scene.id }));
  const ofVideo = { size: size?.join('x'), rate, duration };
  return [...ofScenes, ...fieldsOf(ofVideo, {})];
}

function fieldsOf(fields: TimelineFields, scene: Pick<InputId, 'scene'>): [InputId, string][] {
  return Object.entries(fields).flatMap(([name, value]): [InputId, string][] => {
    return value === undefined ? [] : [[{ kind: 'timeline', name, ...scene }, String(value)]];
  });
}

type TimelineFields = Readonly<Record<string, string | number | undefined>>;

function placementTexts({ duration, transition, fit, background, shorten, timing }: ScenePlacement): TimelineFields {
  const { content: _, ...limits } = typeof duration === 'object' ? duration : { content: true };
  const { type, ...style } = transition ?? { type: '' };
  return {
    duration: typeof duration === 'object' ? `content${describePairs(limits)}` : duration,
    transition: transition && `${type}${describePairs(style)}`,
    fit,
    background,
    shorten,
    timing: timing && (timing.map(placeText).join(', ') || 'none'),
  };
}

function placeText({ kind, from, to, min, max }: FullPlace): string {
  const range = kind === 'hold' ? `${from}` : `${from}-${to}`;
  const shortest = kind === 'stretch' ? ` min=${min}` : '';
  return `${kind} ${range}${shortest}${max === null ? '' : ` max=${max}`}`;
}

/** A text that looks like a digest is digested too, so that the two cannot be confused. */
function describeText(text: string): string {
  return text.length <= VERBATIM_LENGTH && !text.startsWith('sha256:') ? text : `sha256:${sha256(text)}`;
}

function describeSource({ source, transform }: DescribedSource): string {
  const isPlain = Object.entries(transform).every(([name, value]) => name === 'crop_strategy' && value === 'cover');
  return `${recordedSource(source)}${isPlain ? '' : describePairs(transform)}`;
}

interface DescribedSource {
  readonly source: ContentId;
  readonly transform: Transform | AudioTransform;
}

/** Returns the form of a source without its transform. */
export function recordedSource(source: ContentId): string {
  return 'file' in source ? `sha256:${source.file}` : source.url;
}

function describeOutput(output: OutputRequest): string {
  return describePairs(output).trimStart();
}

function describePairs(fields: object): string {
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
 * @param spec determines the kind of each input
 */
export function canonicalInputs(
  inputs: Inputs,
  spec: VideoSpec<unknown>,
  measures: InheritedMeasures,
): Map<string, string> {
  const canonical = new Map<string, string>();
  const scenes = scenesOfInputs(spec);
  for (const [name, text] of currentNames(inputs, spec)) {
    const id = parseInputName(name, scenes);
    if (id.kind !== 'output' || id.name !== '') canonical.set(name, canonicalInput(text, inputValue(spec, id)));
    else {
      const output = plainOutput(readPairs(text), measures);
      if (output !== null) canonical.set(name, describeOutput(output));
    }
  }
  return canonical;
}

/**
 * Returns the inputs of a lock entry by `inputName`. Earlier versions named every editable by its key: if an input of
 * another kind had the same name, only that was recorded.
 */
export function currentNames(inputs: Inputs, spec: VideoSpec<unknown>): Map<string, string> {
  // Those versions had no scenes.
  const [only, second] = spec.scenes;
  const resources = second === undefined ? only!.resources : new Map();
  const renamed = Object.entries(inputs).map(([name, text]): [string, string] => {
    const current = inputName({ kind: 'editable', name });
    const isEditable = resources.has(name) && !Object.hasOwn(inputs, current);
    return [isEditable && !hasInput(spec, parseInputName(name)) ? current : name, text];
  });
  return new Map(renamed);
}

/** Returns whether a spec has an input that is no editable. */
function hasInput(spec: VideoSpec<unknown>, { kind, name }: InputId): boolean {
  switch (kind) {
    case 'editable':
      return false;
    case 'track':
      return spec.audio.has(name);
    case 'font':
      // Only called for the entries of versions that had no scenes.
      return spec.scenes[0]!.fonts.has(name);
    case 'timeline':
      return timelineInputs(spec).some(([id]) => id.name === name);
    case 'loudness':
      return spec.loudness !== undefined;
    case 'captions':
      return spec.captions !== undefined;
    case 'output':
      return name === '' ? spec.output !== null : furtherOutputs(spec).some((file) => file.name === name);
  }
}

/** @param value of the same input in the definition; its kind determines how the recorded text is read */
function canonicalInput(text: string, value: SpecValue<unknown> | undefined): string {
  switch (value?.kind) {
    case 'color':
      return describeValue(canonicalValue({ kind: value.kind, color: text }));
    case 'image':
    case 'video':
    case 'audio': {
      const { source: url, settings } = splitSource(text);
      return describeValue(canonicalValue({ kind: value.kind, source: { url }, transform: readPairs(settings) }));
    }
    default:
      return text;
  }
}

/** Returns the value of an editable or of a track. */
export function inputValue<S>(
  { scenes, audio }: Pick<VideoSpec<S>, 'scenes' | 'audio'>,
  { kind, name, scene }: InputId,
): SpecValue<S> | undefined {
  const named = scene === undefined ? undefined : scenes.find(({ id }) => id === scene);
  if (kind === 'editable') return (named ?? scenes[0])?.resources.get(name);
  const sound = kind === 'track' ? (named?.audio ?? audio).get(name) : undefined;
  return sound && { kind: 'audio', ...sound };
}

/**
 * Returns a spec with the transforms, colours and main output of a lock entry; everything else is that of the spec.
 */
export function specAsRecorded<S>(spec: VideoSpec<S>, inputs: Inputs): VideoSpec<S> {
  const named = currentNames(inputs, spec);
  const textOf = (id: InputId): string | undefined => named.get(inputName(id));
  const soundsOf = (sounds: SceneSpec<S>['audio'], scene: Pick<InputId, 'scene'>): Map<string, SpecSound<S>> => {
    return new Map(
      [...sounds].map(([name, sound]) => {
        const { settings } = splitSource(textOf({ kind: 'track', name, ...scene }) ?? '');
        return [name, { ...sound, transform: readPairs(settings) }];
      }),
    );
  };
  const scenes = spec.scenes.map((scene) => {
    const id = spec.scenes.length === 1 ? {} : { scene: scene.id };
    const resources = [...scene.resources].map(([name, value]): [string, SpecValue<S>] => {
      return [name, valueAsRecorded(value, textOf({ kind: 'editable', name, ...id }))];
    });
    return { ...scene, resources: new Map(resources), audio: soundsOf(scene.audio, id) };
  });
  const main = textOf({ kind: 'output', name: '' });
  const output = main ? readPairs(main) : null;
  return { ...spec, scenes, audio: soundsOf(spec.audio, {}), output };
}

function valueAsRecorded<S>(value: SpecValue<S>, text = ''): SpecValue<S> {
  switch (value.kind) {
    case 'text':
    case 'font':
      return value;
    case 'color':
      return text === '' ? value : { ...value, color: text };
    case 'audio':
      return { ...value, transform: readPairs(splitSource(text).settings) };
    case 'image':
    case 'video':
      return { ...value, transform: { crop_strategy: 'cover', ...readPairs(splitSource(text).settings) } };
  }
}

function splitSource(input: string): { readonly source: string; readonly settings: string } {
  const [, source = input, settings = ''] = /^(.*?)((?: [a-z_]+=\S+)*)$/s.exec(input) ?? [];
  return { source, settings };
}

/** Texts that can look like a number. */
const TEXT_PAIRS: ReadonlySet<string> = new Set(['background', 'duck_under']);

/** Parses ` name=value` pairs. */
function readPairs(text: string): Transform & AudioTransform & OutputRequest {
  const pairs = text.split(' ').filter((pair) => pair !== '');
  return Object.fromEntries(
    pairs.map((pair) => {
      const [name, value] = [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)];
      const number = TEXT_PAIRS.has(name) ? Number.NaN : Number(value);
      return [name, Number.isNaN(number) ? (value === 'true' ? true : value === 'false' ? false : value) : number];
    }),
  );
}
