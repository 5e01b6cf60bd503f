import type { SpecCaptions } from '../../contract/captions/caption-style.ts';
import {
  type ContentId,
  furtherOutputs,
  plainScene,
  type SceneSpec,
  type SpecSound,
  type SpecValue,
  TRANSITION_DEFAULTS,
  type Transition,
  type VideoSpec,
  withSpeakers,
} from '../../contract/video-spec.ts';
import type { AudioTransform, Transform } from '../../contract/wire/mapping.ts';
import { defined } from '../../kernel/defined.ts';
import { canonicalJson, canonicalMap, type Json, knownJson, sha256 } from '../../kernel/digest.ts';
import { mapToRecord } from '../../kernel/json.ts';
import { remembered } from '../../kernel/memory.ts';
import type { Fingerprint } from '../lock/lock.ts';

/** What renders a video, as far as that decides its frames. */
export interface FingerprintContext {
  /** `embedded`, or the origin of the service's URL. */
  readonly service: string;
  /** Raised by the embedded engine when its frames change; null for a remote service, whose engine is unknown. */
  readonly renderEpoch: number | null;
  /** Raised by the embedded engine when its sound changes. Absent for silent videos, a remote service, and while it is 0. */
  readonly soundEpoch?: number;
  /** Raised by the embedded engine when the frames of timelines change. Absent for other videos and while it is 0. */
  readonly timelineEpoch?: number;
  /** Raised by the embedded engine when drawn captions change. Absent for videos without captions and while it is 0. */
  readonly captionsEpoch?: number;
}

/**
 * Computes the content hash of a video. Two videos have equal fingerprints exactly when the service would be asked for
 * the same picture and sound.
 *
 * It is the SHA-256 of the canonical JSON of one object with
 * - `service`, and for the embedded engine `render_epoch` and, if the video has sound, `sound_epoch`;
 * - for a video that is only a template with values, its `style_version`, and `resources`: each filled editable's key with its `text`; its `color`; its `font`; or its `transform` and either
 *   `file`, the digest of the local file's bytes, or `url`, the address of a remote source as written;
 * - if there are any, `audio_tracks`: each track's name with the fields of a resource with a source, and with the times of its words if
 *   others are lowered under it; `loudness`; `captions`; `font_changes`:
 *   each replaced font with the name of its replacement; the requested `output`; and `outputs`, the named files beside it;
 * - for any other video, `scenes`: the same fields of each scene with its placement, `size` and `rate` of its timeline and, if a
 *   scene fills it, its `duration`. Tracks are a list without their names. A scene whose length is set has the places of its
 *   template, `timing`, which are no part of the style version otherwise.
 *
 * Everything else can change without a render: the definition's path, key order, comments and formatting, the name of a
 * local file, and the video's id, title, description, labels, protection and template name. The bytes behind a URL are
 * not included either: only a refresh detects a remote file that changes in place.
 *
 * @param spec the result of `canonicalSpec`; a spec with written-out defaults gives the fingerprint of earlier versions
 * @see RFC 8785 for the canonical form
 */
export function fingerprintOf(spec: VideoSpec<ContentId>, context: FingerprintContext): Fingerprint {
  const { scenes, audio, loudness, output } = spec;
  const plain = plainScene(spec);
  const further = furtherOutputs(spec);
  const content = canonicalJson({
    service: context.service,
    render_epoch: context.renderEpoch ?? undefined,
    sound_epoch: context.soundEpoch,
    timeline_epoch: context.timelineEpoch,
    captions_epoch: context.captionsEpoch,
    ...(plain === null
      ? { scenes: scenes.map((scene, index) => sceneJson(scene, spec, index)), ...timelineJson(spec) }
      : templateJson(plain)),
    audio_tracks:
      plain === null ? tracksJson(spec, null) : audio.size === 0 ? undefined : mapToRecord(audio, sourceJson),
    loudness: loudness && { ...loudness },
    captions: captionsJson(spec.captions),
    output: output === null ? undefined : { ...output },
    // Leaves out the name of the main file, on which no rendering depends.
    outputs: further.length === 0 ? undefined : further.map((file) => ({ ...file })),
  });
  return `v1:${sha256(content)}` as Fingerprint;
}

function templateJson({
  template,
  resources,
  fonts,
}: SceneSpec<ContentId>): Readonly<Record<'style_version' | 'resources' | 'font_changes', Json | undefined>> {
  return {
    style_version: template,
    resources: resourcesJson(resources),
    font_changes: fontsJson(fonts),
  };
}

function resourcesJson(resources: SceneSpec<ContentId>['resources']): Json {
  return knownJson(canonicalMap(resources, valueText));
}

function fontsJson(fonts: SceneSpec<ContentId>['fonts']): Json | undefined {
  return fonts.size === 0 ? undefined : Object.fromEntries(fonts);
}

/** The id of a scene is left out: no frame depends on it. */
function sceneJson(scene: SceneSpec<ContentId>, spec: VideoSpec<ContentId>, index: number): Json {
  const { template, resources, fonts, duration, transition, fit, background, shorten, timing } = scene;
  // In the order of canonical JSON and without an object, because a plan serializes each scene of each video.
  const before =
    member('audio_tracks', tracksJson(spec, index)) +
    member('background', background) +
    member('captions', captionsJson(scene.captions)) +
    member('duration', typeof duration === 'object' ? { ...duration } : duration) +
    member('fit', fit) +
    member('font_changes', fontsJson(fonts)) +
    member('resources', resourcesJson(resources)) +
    member('shorten', shorten);
  const places = timing === undefined ? '' : `,"timing":${canonicalJson(timing.map((place) => ({ ...place })))}`;
  const change = transition === undefined ? '' : `,"transition":${canonicalJson(transitionJson(transition))}`;
  return knownJson(`{${before}"style_version":${canonicalJson(template)}${places}${change}}`);
}

/** Returns a member of an object with a comma after it; an empty text for none. @param name of letters */
function member(name: string, value: Json | undefined): string {
  return value === undefined ? '' : `"${name}":${canonicalJson(value)},`;
}

const transitionJson = remembered(({ type, duration, at, easing, direction, color }: Transition) => {
  const fields = {
    at,
    color: color ?? TRANSITION_DEFAULTS.color,
    direction: direction ?? TRANSITION_DEFAULTS.direction,
    duration,
    easing: easing ?? TRANSITION_DEFAULTS.easing,
    type,
  } satisfies Record<keyof Transition, Json | undefined>;
  return knownJson(canonicalJson(fields));
});

/** A named style is hashed as its values. */
function captionsJson(captions: SpecCaptions | undefined): Json | undefined {
  return captions as Json | undefined;
}

/** Leaves out the names of tracks, and keeps their order, in which they are mixed. */
function tracksJson(spec: VideoSpec<ContentId>, scene: number | null): Json | undefined {
  const { audio } = scene === null ? spec : spec.scenes[scene]!;
  if (audio.size === 0) return undefined;
  return [...audio.values()].map((sound) =>
    sourceJson({ ...sound, transform: withSpeakers(sound.transform, spec, scene) }),
  );
}

function timelineJson({ size, rate, duration }: VideoSpec<ContentId>): Readonly<Record<string, Json | undefined>> {
  return { size: size && [...size], rate, duration };
}

/** Written directly, because a plan serializes each value of each video. */
function valueText(value: SpecValue<ContentId>): string {
  switch (value.kind) {
    case 'text':
      return `{"text":${canonicalJson(value.text)}}`;
    case 'color':
      return `{"color":${canonicalJson(value.color)}}`;
    case 'font':
      return `{"font":${canonicalJson(value.font)}}`;
    case 'image':
    case 'video':
    case 'audio':
      return canonicalJson(sourceJson(value));
  }
}

function sourceJson({ source, transform, speech }: HashedSource): Json {
  return { ...source, transform: { ...transform }, ...defined({ speech: speech?.map((span) => [...span]) }) };
}

type HashedSource = Omit<SpecSound<ContentId>, 'transform'> & { readonly transform: Transform | AudioTransform };
