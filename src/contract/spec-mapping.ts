import { defined } from '../kernel/defined.ts';
import { mapToRecord } from '../kernel/json.ts';
import type { EditableKind } from './fields/editable-kinds.ts';
import type { Place } from './timeline/place.ts';
import { divide, framesOf, type Rational, rational, rationalRate, toNumber } from './timeline/rational.ts';
import type { Timeline } from './timeline/timeline.ts';
import type { SceneSpec, SpecSound, SpecValue, Transition, VideoSpec } from './video-spec.ts';
import { captionsRequest } from './wire/captions.ts';
import type { AudioResource, FontResource, Mapping, MediaResource, Resource, TextResource } from './wire/mapping.ts';
import type { SceneRequest, ScenesRequest, SceneTransition } from './wire/scene-request.ts';

/** The values of a scene. */
type MappedSpec = Pick<SceneSpec<string>, 'resources' | 'audio' | 'fonts'>;
type MappedValues = Pick<Mapping, 'resources' | 'audio_tracks' | 'font_changes'>;

/** Returns the mapping of a scene whose sources are URLs, without empty parts. */
export function mappingOf({ resources, audio, fonts }: MappedSpec, styleVersion: string): Mapping {
  return {
    template_style_version_id: styleVersion,
    resources: mapToRecord(resources, wireValue),
    ...(audio.size > 0 && { audio_tracks: mapToRecord(audio, wireSound) }),
    ...(fonts.size > 0 && { font_changes: mapToRecord(fonts, (font): FontResource => ({ source: { font } })) }),
  };
}

/**
 * Returns the scenes of a video whose sources are URLs and whose templates are style versions. Lengths are those of the timeline,
 * in seconds, with the places of the template by which they are reached: a service resolves them to the same frames, and refuses the
 * request if their sum is another.
 *
 * @param timing by id of the style version, where its template can become longer or shorter
 */
export function scenesRequest(
  { scenes, audio }: Pick<VideoSpec<string>, 'scenes' | 'audio'>,
  timeline: Timeline,
  timing: Readonly<Record<string, readonly Place[]>>,
): ScenesRequest {
  const rate = rationalRate(timeline.rate);
  return {
    scenes: scenes.map((scene, index): SceneRequest => {
      const { id, template, duration, fit, background, shorten } = scene;
      const { length, transition } = timeline.scenes[index]!;
      const seconds = { seconds: toNumber(divide(rational(length), rate)), timing: timing[template]! };
      return {
        id,
        mapping: mappingOf({ ...scene, audio: new Map() }, template),
        ...(duration !== undefined && seconds),
        // The transition of the first scene shows nothing.
        ...(transition !== null && { transition: transitionOf(scene.transition!, transition.frames, rate) }),
        ...defined({ fit, background, shorten }),
        ...(scene.audio.size > 0 && { audio_tracks: mapToRecord(scene.audio, wireSound) }),
        ...defined({ captions: captionsRequest(scene.captions) }),
      };
    }),
    size: [timeline.width, timeline.height],
    rate: toNumber(rate),
    frames: timeline.frames,
    ...(audio.size > 0 && { audio_tracks: mapToRecord(audio, wireSound) }),
  };
}

/** Returns a transition with its length in the timeline, which is shorter than written where a default is too long. */
function transitionOf(written: Transition, frames: number, rate: Rational): SceneTransition {
  const seconds = toNumber(divide(rational(frames), rate));
  const isWhole = seconds === written.duration || framesOf(written.duration, rate) === frames;
  return { ...written, duration: isWhole ? written.duration : seconds };
}

function wireValue(value: SpecValue<string>): Resource {
  switch (value.kind) {
    case 'text':
      return { source: { text: value.text } };
    case 'color':
      return { source: { text: value.color } };
    case 'font':
      return { source: { font: value.font } };
    case 'audio':
      return wireSound(value);
    case 'image':
    case 'video':
      return { source: { remote_url: value.source }, transform: value.transform };
  }
}

/** Leaves out an empty transform. */
function wireSound({ source, transform, speech }: SpecSound<string>): AudioResource {
  const isPlain = Object.keys(transform).length === 0;
  return { source: { remote_url: source }, ...defined({ transform: isPlain ? undefined : transform, speech }) };
}

/**
 * Returns the values of a mapping that `checkMapping` accepts; their sources are URLs.
 *
 * @param kindOf returns the kind of an editable
 */
export function specOfMapping(
  { resources, audio_tracks = {}, font_changes = {} }: MappedValues,
  kindOf: (key: string) => EditableKind | undefined,
): MappedSpec {
  return {
    resources: mapEntries(resources, (resource, key) => specValue(resource, kindOf(key))),
    audio: mapEntries(audio_tracks, soundOf),
    fonts: mapEntries(font_changes, ({ source }) => source.font),
  };
}

/** The kinds without a case have a text on the wire. */
function specValue(resource: Resource, kind: EditableKind | undefined): SpecValue<string> {
  switch (kind) {
    case 'image':
    case 'video': {
      const { source, transform = {} } = resource as MediaResource;
      return { kind, source: source.remote_url, transform };
    }
    case 'audio':
      return { kind, ...soundOf(resource as AudioResource) };
    case 'font':
      return { kind, font: (resource as FontResource).source.font };
    case 'color':
      return { kind, color: (resource as TextResource).source.text };
    default:
      return { kind: 'text', text: (resource as TextResource).source.text };
  }
}

function soundOf({ source, transform = {}, speech }: AudioResource): SpecSound<string> {
  return { source: source.remote_url, transform, ...defined({ speech }) };
}

function mapEntries<T, U>(record: Readonly<Record<string, T>>, change: (value: T, key: string) => U): Map<string, U> {
  return new Map(Object.entries(record).map(([key, value]) => [key, change(value, key)]));
}
