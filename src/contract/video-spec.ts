import { isDeepStrictEqual } from 'node:util';
import { defined } from '../kernel/defined.ts';
import type { Sha256 } from '../kernel/digest.ts';
import { remembered } from '../kernel/memory.ts';
import { areUsed, plainCaptions, type SpecCaptions } from './captions/caption-style.ts';
import { defaultsOf, plainColor } from './fields/field.ts';
import { TRANSITION_FIELDS } from './fields/scene-fields.ts';
import { TRANSFORM_FIELDS } from './fields/transform-fields.ts';
import type { FullPlace } from './timeline/place.ts';
import type { DurationWish, Shortening } from './timeline/timeline.ts';
import {
  type InheritedMeasures,
  OUTPUT_DEFAULTS,
  plainOutput,
  plainTransform,
  TRANSFORM_DEFAULTS,
} from './wire/defaults.ts';
import type { Loudness } from './wire/loudness.ts';
import type { AudioTransform, Speech, Transform } from './wire/mapping.ts';
import { isSoundFormat, type NamedOutput, type OutputRequest, withoutName } from './wire/output.ts';

/**
 * Templates with values in sequence, and the files to render. A definition, a request and a session are forms of a spec that
 * differ in how they name a source and a template; fingerprints, digests and comparisons are derived from `canonicalSpec`.
 *
 * @typeParam S name of a source: a path, a URL or a digest
 */
export interface VideoSpec<S> extends TimelineWish {
  /** In their order; at least one. */
  readonly scenes: readonly SceneSpec<S>[];
  /** Sounds of the whole video, also those of an only scene. Keyed by the name of the track, sorted. */
  readonly audio: ReadonlyMap<string, SpecSound<S>>;
  /** Loudness of the finished sound; that of the mix if absent. */
  readonly loudness?: Loudness;
  /** Captions of the whole video, also those of an only scene. */
  readonly captions?: SpecCaptions;
  /** Settings of the main file; null if there are none. */
  readonly output: OutputRequest | null;
  /** All files of a video with several; the first is `output` with its name. */
  readonly outputs?: readonly NamedOutput[];
}

/** What a video wants of its timeline. A field is absent if the scenes decide it. */
export interface TimelineWish {
  /** Pixels; those of the template of the first written scene if absent. */
  readonly size?: readonly [width: number, height: number];
  /** Frames per second, as `size`. */
  readonly rate?: number;
  /** Seconds. Of an only scene, the length of the scene. */
  readonly duration?: number;
}

/** The scenes of a video, and what it wants of their timeline. */
export type TimelineSpec<S> = Pick<VideoSpec<S>, 'scenes'> & TimelineWish;

/** A template with values, at a place in a video. */
export interface SceneSpec<S> extends ScenePlacement {
  /** Unique in the video, ignoring case. No frame depends on it. */
  readonly id: string;
  /** Name of the template in reelform.yaml, or the id of its style version. */
  readonly template: string;
  /** By editable key, in the order of the specification, without optional editables that have no value. */
  readonly resources: ReadonlyMap<string, SpecValue<S>>;
  /** Font of the template → its replacement, sorted by name. */
  readonly fonts: ReadonlyMap<string, string>;
  /** Sounds that begin with the scene, keyed by the name of the track, sorted. Empty for the only scene of a video. */
  readonly audio: ReadonlyMap<string, SpecSound<S>>;
  /** Captions that end with the scene, above those of the video. Absent for the only scene of a video. */
  readonly captions?: SpecCaptions;
}

/** Everything about a scene that is not a value. A field is absent at its default. */
export interface ScenePlacement {
  /** Absent for the natural length of the template. */
  readonly duration?: DurationWish;
  /** From the scene before; absent for a cut. */
  readonly transition?: Transition;
  /** How a template of another shape fills the video. */
  readonly fit?: 'cover' | 'contain';
  /** Colour behind the scene: 6 upper-case hexadecimal digits. Black if absent; transparent outputs have none. */
  readonly background?: string;
  /** Permits a scene that is shorter than its template can be. */
  readonly shorten?: Shortening;
  /** Where the template can become longer or shorter, in order of priority. Only in canonical form, where a length is set. */
  readonly timing?: readonly FullPlace[];
}

export const TRANSITION_TYPES = TRANSITION_FIELDS.type.values;
export const EASINGS = TRANSITION_FIELDS.easing.values;
export const DIRECTIONS = TRANSITION_FIELDS.direction.values;

/** How a scene replaces the scene before it. */
export interface Transition {
  readonly type: (typeof TRANSITION_TYPES)[number];
  /** Seconds, > 0. */
  readonly duration: number;
  /** `before`: during the end of the scene before, instead of the start of this scene. */
  readonly at?: 'before';
  /** `ease-in-out` if absent. */
  readonly easing?: (typeof EASINGS)[number];
  /** Where the pictures of `slide`, `push` and `wipe` move; `left` if absent. */
  readonly direction?: (typeof DIRECTIONS)[number];
  /** Colour of `dip`: 6 upper-case hexadecimal digits; black if absent. */
  readonly color?: string;
}

/** Values of the fields that a transition does not have. */
export const TRANSITION_DEFAULTS = defaultsOf(TRANSITION_FIELDS);

/** Removes fields that repeat a default, or that a transition of its type does not have. @returns the same object if there are none */
export const plainTransition = remembered((transition: Transition): Transition => {
  const { type, duration, at, easing, direction, color } = transition;
  const moves = type === 'slide' || type === 'push' || type === 'wipe';
  const plain = {
    type,
    duration,
    ...defined({
      at,
      easing: easing === TRANSITION_DEFAULTS.easing ? undefined : easing,
      direction: moves && direction !== TRANSITION_DEFAULTS.direction ? direction : undefined,
      color: type === 'dip' && color !== TRANSITION_DEFAULTS.color ? color : undefined,
    }),
  };
  return isDeepStrictEqual(plain, transition) ? transition : plain;
});

/** Value of an editable, checked against its kind. */
export type SpecValue<S> =
  /** Also a number, a point or a gradient, in the normal form of its text. */
  | { readonly kind: 'text'; readonly text: string }
  /** 6 or 8 upper-case hexadecimal digits, no `#`. */
  | { readonly kind: 'color'; readonly color: string }
  | { readonly kind: 'image' | 'video'; readonly source: S; readonly transform: Transform }
  | ({ readonly kind: 'audio' } & SpecSound<S>)
  /** Name of a font of the template or the repository. */
  | { readonly kind: 'font'; readonly font: string };

/** A sound and its transform. */
export interface SpecSound<S> {
  readonly source: S;
  readonly transform: AudioTransform;
  /** Where words are spoken, of a track under which others are lowered; if absent, its level shows where. */
  readonly speech?: Speech;
  /** What a voice says in it; absent for other sounds. Nothing that is rendered depends on it. */
  readonly spoken?: Spoken;
}

/** A text that a voice speaks. */
export interface Spoken {
  readonly text: string;
  /** Name of the voice in reelform.yaml. */
  readonly voice: string;
  /** The text as captions show it; absent if they show what is spoken. */
  readonly caption?: string;
}

/** Identifies the content of a source: the digest of a file, or a URL as written. */
export type ContentId = { readonly file: Sha256 } | { readonly url: string };

/** Returns the outputs of a video after the main file. */
export function furtherOutputs({
  outputs = [],
}: {
  readonly outputs?: readonly NamedOutput[] | undefined;
}): readonly NamedOutput[] {
  return outputs.slice(1);
}

/**
 * Returns the only scene of a video that is nothing but a template with values: at its natural length, of its size and rate.
 *
 * @returns null for several scenes, and for a scene that is placed
 */
export function plainScene<S>({ scenes, size, rate, duration }: TimelineSpec<S>): SceneSpec<S> | null {
  const only = scenes[0];
  if (only === undefined || scenes.length > 1) return null;
  const placement = [size, rate, duration, only.duration, only.transition, only.fit, only.background, only.shorten];
  return placement.every((field) => field === undefined) ? only : null;
}

/** Returns whether the sound of a video needs more than sounds that start with it: a loudness, or a place or level of a track. */
export function hasMixing({
  scenes,
  audio,
  loudness,
}: Pick<VideoSpec<unknown>, 'scenes' | 'audio' | 'loudness'>): boolean {
  const tracks = [audio, ...scenes.map((scene) => scene.audio)].flatMap((sounds) => [...sounds.values()]);
  const isMixed = ({ transform }: SpecSound<unknown>): boolean =>
    Object.keys(transform).some((field) => !Object.hasOwn(TRANSFORM_FIELDS.audio, field));
  return loudness !== undefined || tracks.some(isMixed);
}

/** Names a value of a scene: its key; in a video of several scenes `<scene>.<key>`. */
export function valueName({ scenes }: Pick<VideoSpec<unknown>, 'scenes'>, scene: { readonly id: string }, key: string) {
  return scenes.length === 1 ? key : `${scene.id}.${key}`;
}

/**
 * Removes everything that repeats a default: fields of transforms and of outputs, and the alpha of an opaque colour. Specs
 * that mean the same are then equal. The service interface fixes these defaults.
 *
 * @param measures the video's own; null where they are not known
 * @returns the same object when there is nothing to remove
 */
export function canonicalSpec<S>(written: VideoSpec<S>, measures: InheritedMeasures): VideoSpec<S> {
  const spec = withPlainCaptions(written);
  const scenes = spec.scenes.map((scene) => {
    const resources = changedValues(scene.resources, canonicalValue);
    const sounds = changedValues(scene.audio, canonicalSound);
    return resources === scene.resources && sounds === scene.audio ? scene : { ...scene, resources, audio: sounds };
  });
  const audio = changedValues(spec.audio, canonicalSound);
  const output = plainOutput(spec.output, measures);
  const outputs = spec.outputs?.map((file): NamedOutput => {
    return { name: file.name, ...plainOutput(withoutName(file) ?? null, measures) };
  });
  const hasSameValues = audio === spec.audio && scenes.every((scene, index) => scene === spec.scenes[index]);
  const isCanonical = hasSameValues && isDeepStrictEqual([spec.output, spec.outputs], [output, outputs]);
  return isCanonical ? spec : { ...spec, scenes, audio, output, ...defined({ outputs }) };
}

/** @returns the same object for a video without captions */
function withPlainCaptions<S>(spec: VideoSpec<S>): VideoSpec<S> {
  const { captions, scenes, ...rest } = spec;
  if (captions === undefined && scenes.every((scene) => scene.captions === undefined)) return spec;
  const plain = scenes.map(({ captions: ofScene, ...scene }) => {
    return { ...scene, ...defined({ captions: ofScene && plainCaptions(ofScene) }) };
  });
  return { ...rest, scenes: plain, ...defined({ captions: captions && plainCaptions(captions) }) };
}

/** Returns whether captions of a video are drawn or added to its files. */
export function hasCaptions({ captions, scenes }: Pick<VideoSpec<unknown>, 'captions' | 'scenes'>): boolean {
  const isUsed = (given: SpecCaptions | undefined): boolean => given !== undefined && areUsed(given);
  return isUsed(captions) || scenes.some((scene) => isUsed(scene.captions));
}

/** Returns whether a file of the video names the language of its sound. */
export function hasLanguage({ output, outputs = [] }: Pick<VideoSpec<unknown>, 'output' | 'outputs'>): boolean {
  return [output, ...outputs].some((file) => file?.lang !== undefined);
}

/**
 * Returns whether a file of the video has sound, as far as a spec shows: the engine mixes filled sounds, tracks, clips with a
 * volume and the template's sounds into files of a format with sound. A clip counts even if it is silent.
 *
 * @param template whether a template of the video has sounds of its own
 */
export function hasSound(spec: VideoSpec<unknown>, template: boolean): boolean {
  const files = [spec.output, ...furtherOutputs(spec)];
  if (!files.some((file) => isSoundFormat(file?.format ?? OUTPUT_DEFAULTS.format))) return false;
  if (template || spec.audio.size > 0) return true;
  return spec.scenes.some(({ audio, resources }) => audio.size > 0 || [...resources.values()].some(isHeard));
}

function isHeard(value: SpecValue<unknown>): boolean {
  if (value.kind === 'video') return (value.transform.volume ?? TRANSFORM_DEFAULTS.video.volume) !== 0;
  return value.kind === 'audio';
}

/** Removes the repeated defaults of a value. See `canonicalSpec`. */
export function canonicalValue<S>(value: SpecValue<S>): SpecValue<S> {
  switch (value.kind) {
    case 'text':
    case 'font':
      return value;
    case 'color': {
      const color = plainColor(value.color);
      return color === value.color ? value : { ...value, color };
    }
    case 'image':
    case 'video':
      return { ...value, transform: plainTransform(value.kind, value.transform) };
    case 'audio':
      return canonicalSound(value);
  }
}

function canonicalSound<T extends Pick<SpecSound<unknown>, 'transform'>>(sound: T): T {
  return { ...sound, transform: plainTransform('audio', sound.transform) };
}

/** How another form of a spec names things. */
export interface Renaming<S, T> {
  source(source: S): T;
  /** As before if absent. */
  template?(template: string): string;
}

/** Returns the same spec with other names of its sources and templates. */
export function withNames<S, T>(
  { scenes, audio, ...rest }: VideoSpec<S>,
  { source: rename, template = (name) => name }: Renaming<S, T>,
): VideoSpec<T> {
  const renameSound = (sound: SpecSound<S>): SpecSound<T> => ({ ...sound, source: rename(sound.source) });
  return {
    scenes: scenes.map((scene) => ({
      ...scene,
      template: template(scene.template),
      resources: changedValues(scene.resources, (value: SpecValue<S | T>): SpecValue<S | T> => {
        return 'source' in value ? { ...value, source: rename(value.source as S) } : value;
      }) as ReadonlyMap<string, SpecValue<T>>,
      audio: mapValues(scene.audio, renameSound),
    })),
    audio: mapValues(audio, renameSound),
    ...rest,
  };
}

/** Returns the values and sounds of a video, in no particular order. */
export function allValues<S>(spec: Pick<VideoSpec<S>, 'scenes' | 'audio'>): SpecValue<S>[] {
  const sounds = [spec.audio, ...spec.scenes.map(({ audio }) => audio)].flatMap((audio) => [...audio.values()]);
  return [
    ...spec.scenes.flatMap(({ resources }) => [...resources.values()]),
    ...sounds.map((sound): SpecValue<S> => ({ kind: 'audio', ...sound })),
  ];
}

/** The tracks of a video and of its scenes, by name. */
interface VideoTracks {
  readonly scenes: readonly { readonly audio: ReadonlyMap<string, unknown> }[];
  readonly audio: ReadonlyMap<string, unknown>;
}

/**
 * Replaces the names in `duck_under` by the positions of the tracks, because no sound depends on the names. See `givesWay`.
 *
 * @param scene index of the scene whose track it is; null for a track of the video
 */
export function withSpeakers(
  { duck_under: under, ...transform }: AudioTransform,
  { scenes, audio }: VideoTracks,
  scene: number | null,
): AudioTransform {
  if (under === undefined) return transform;
  const names = new Set(under.split(','));
  const positions = (tracks: ReadonlyMap<string, unknown>, of: number | null): string[] =>
    [...tracks.keys()].sort().flatMap((name, position) => {
      return names.has(name) && givesWay(scene, of) ? [of === null ? `${position}` : `${of}.${position}`] : [];
    });
  const heard = scenes.flatMap((tracks, index) => positions(tracks.audio, index));
  return { ...transform, duck_under: [...heard, ...positions(audio, null)].join(',') };
}

/**
 * Returns whether a track can be lowered under another: a track of the video under those of the video and of all scenes, a track of a
 * scene under those of the video and of its scene.
 *
 * @param lowered scene of the track that is lowered, as is `speaker`; null for a track of the video
 */
export function givesWay<Scene>(lowered: Scene | null, speaker: Scene | null): boolean {
  return lowered === null || speaker === null || lowered === speaker;
}

/** Removes the times of words from tracks under which no other track is lowered, because nothing depends on them. */
export function withoutUnusedSpeech<S>({ scenes, audio }: TracksOf<S>): TracksOf<S> {
  const under = (tracks: ReadonlyMap<string, SpecSound<S>>): string[] =>
    [...tracks.values()].flatMap(({ transform }) => transform.duck_under?.split(',') ?? []);
  const hasSpeech = (tracks: ReadonlyMap<string, SpecSound<S>>): boolean =>
    tracks.size > 0 && [...tracks.values()].some((sound) => Object.hasOwn(sound, 'speech'));
  if (!hasSpeech(audio) && !scenes.some((scene) => hasSpeech(scene.audio))) return { scenes, audio };
  const places = [{ scene: null, audio }, ...scenes.map((tracks, scene) => ({ ...tracks, scene }))];
  const usedIn = (speaker: number | null): ReadonlySet<string> =>
    new Set(places.flatMap((place) => (givesWay(place.scene, speaker) ? under(place.audio) : [])));
  const kept = (tracks: ReadonlyMap<string, SpecSound<S>>, used: ReadonlySet<string>): Map<string, SpecSound<S>> =>
    new Map(
      [...tracks].map(([name, { speech, ...sound }]) => [
        name,
        { ...sound, ...defined({ speech: used.has(name) ? speech : undefined }) },
      ]),
    );
  return {
    scenes: scenes.map((scene, index) => ({ ...scene, audio: kept(scene.audio, usedIn(index)) })),
    audio: kept(audio, usedIn(null)),
  };
}

type TracksOf<S> = Pick<VideoSpec<S>, 'scenes' | 'audio'>;

/** Changes values of a map. @returns the same map if no value changes, so that a plan copies few maps */
function changedValues<T>(map: ReadonlyMap<string, T>, change: (value: T) => T): ReadonlyMap<string, T> {
  // Most scenes have no sounds.
  if (map.size === 0) return map;
  let changed: Map<string, T> | null = null;
  // Faster than a loop, which makes a list for each entry until it is optimized.
  map.forEach((value, key) => {
    const other = change(value);
    if (other !== value && !isDeepStrictEqual(other, value)) changed = (changed ?? new Map(map)).set(key, other);
  });
  return changed ?? map;
}

function mapValues<T, U>(map: ReadonlyMap<string, T>, change: (value: T) => U): ReadonlyMap<string, U> {
  if (map.size === 0) return map as ReadonlyMap<string, never>;
  return new Map([...map].map(([key, value]) => [key, change(value)]));
}
