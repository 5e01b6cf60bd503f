import { isDeepStrictEqual } from 'node:util';
import { defined } from '../kernel/defined.ts';
import type { Sha256 } from '../kernel/digest.ts';
import {
  type InheritedMeasures,
  OUTPUT_DEFAULTS,
  plainColor,
  plainOutput,
  plainTransform,
  TRANSFORM_DEFAULTS,
} from './wire/defaults.ts';
import type { AudioTransform, Transform } from './wire/mapping.ts';
import { isSoundFormat, type NamedOutput, type OutputRequest, withoutName } from './wire/output.ts';

/**
 * Values that fill a template, and the files to render. A definition, a request and a session are forms of a spec that
 * differ in how they name a source; fingerprints, digests and comparisons are derived from `canonicalSpec`.
 *
 * @typeParam S name of a source: a path, a URL or a digest
 */
export interface VideoSpec<S> {
  /** By editable key, in the order of the specification, without optional editables that have no value. */
  readonly resources: ReadonlyMap<string, SpecValue<S>>;
  /** Keyed by the name of the track, sorted; mixed over the template's own sound. */
  readonly audio: ReadonlyMap<string, SpecSound<S>>;
  /** Font of the template → its replacement, sorted by name. */
  readonly fonts: ReadonlyMap<string, string>;
  /** Settings of the main file; null if there are none. */
  readonly output: OutputRequest | null;
  /** All files of a video with several; the first is `output` with its name. */
  readonly outputs?: readonly NamedOutput[];
}

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
 * Removes everything that repeats a default: fields of transforms and of outputs, and the alpha of an opaque colour. Specs
 * that mean the same are then equal. The service interface fixes these defaults.
 *
 * @param measures the video's own; null where they are not known
 * @returns the same object when there is nothing to remove
 */
export function canonicalSpec<S>(spec: VideoSpec<S>, measures: InheritedMeasures): VideoSpec<S> {
  const { fonts } = spec;
  const resources = mapValues(spec.resources, canonicalValue);
  const audio = mapValues(spec.audio, canonicalSound);
  const output = plainOutput(spec.output, measures);
  const outputs = spec.outputs?.map((file): NamedOutput => {
    return { name: file.name, ...plainOutput(withoutName(file) ?? null, measures) };
  });
  const canonical = { resources, audio, fonts, output, ...defined({ outputs }) };
  const { resources: values, audio: sounds, output: main, outputs: files } = spec;
  const isCanonical = isDeepStrictEqual([values, sounds, main, files], [resources, audio, output, outputs]);
  return isCanonical ? spec : canonical;
}

/**
 * Returns whether a file of the video has sound, as far as a spec shows: the engine mixes filled sounds, tracks, clips with a
 * volume and the template's sounds into files of a format with sound. A clip counts even if it is silent.
 *
 * @param template whether the template has sounds of its own
 */
export function hasSound(spec: VideoSpec<unknown>, template: boolean): boolean {
  const files = [spec.output, ...furtherOutputs(spec)];
  if (!files.some((file) => isSoundFormat(file?.format ?? OUTPUT_DEFAULTS.format))) return false;
  return template || spec.audio.size > 0 || [...spec.resources.values()].some(isHeard);
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
    case 'color':
      return { ...value, color: plainColor(value.color) };
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

/** Returns the same spec with other names of its sources. */
export function withSources<S, T>(spec: VideoSpec<S>, rename: (source: S) => T): VideoSpec<T> {
  const { fonts, output, outputs } = spec;
  const resources = mapValues(spec.resources, (value): SpecValue<T> => {
    return 'source' in value ? { ...value, source: rename(value.source) } : value;
  });
  const audio = mapValues(spec.audio, (sound) => ({ ...sound, source: rename(sound.source) }));
  return { resources, audio, fonts, output, ...defined({ outputs }) };
}

function mapValues<T, U>(map: ReadonlyMap<string, T>, change: (value: T) => U): Map<string, U> {
  return new Map([...map].map(([key, value]) => [key, change(value)]));
}
