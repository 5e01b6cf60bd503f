import type { SpecCaptions } from '../../contract/captions/caption-style.ts';
import { frameRateOf } from '../../contract/timeline/frame-rate.ts';
import { compare, divide, ONE, rationalRate } from '../../contract/timeline/rational.ts';
import { timelineMeasures } from '../../contract/timeline/resolve-timeline.ts';
import { isNatural, timeMapJson } from '../../contract/timeline/time-map.ts';
import type { Timeline, TimelineScene } from '../../contract/timeline/timeline.ts';
import { secondsOf } from '../../contract/video-measures.ts';
import { fullLoudness, type LoudnessRequest } from '../../contract/wire/loudness.ts';
import { trackKey } from '../../contract/wire/mapping.ts';
import type { OutputRequest } from '../../contract/wire/output.ts';
import { defined } from '../../kernel/defined.ts';
import { ReelformError } from '../../kernel/diagnostic.ts';
import { remembered } from '../../kernel/memory.ts';
import type { SourceBytes } from '../../kernel/source-file.ts';
import type {
  InputFile,
  InputScene,
  InputTimeline,
  LoudnessTarget,
  RenderInput,
  SceneFit,
  ScenesInput,
  SceneTimes,
  TransitionStyle,
  VideoInput,
} from '../render-input.ts';
import type { TemplatePackage } from '../template-package.ts';
import { bindCaptionLayers, bindCaptions, bindCaptionTrack, type CaptionFontFiles } from './bind-captions.ts';
import { type BindRequest, type BoundValues, bindMapping, bindValues } from './bind-mapping.ts';
import { inputFile } from './resolve-output.ts';
import { sceneSounds } from './scene-sounds.ts';
import { MAX_STILLS, sceneStills } from './scene-stills.ts';
import { trackSounds, withDucking } from './track-sounds.ts';

/** A template with the values of a scene. */
export interface SceneValues extends Pick<BindRequest, 'resources' | 'audio_tracks' | 'font_changes'> {
  readonly template: TemplatePackage;
  /** As of `bindMapping`, with the tracks of the scene. */
  readonly fetched: ReadonlyMap<string, SourceBytes>;
  /** `cover` by default. */
  readonly fit?: SceneFit | undefined;
  /** Colour behind the scene, which outputs with transparency do not have; black by default. */
  readonly background?: string | undefined;
  /** Fields of the transition to the scene; those that are absent have their defaults. */
  readonly transition?: Partial<Omit<TransitionStyle, 'type'>> | undefined;
  /** Captions that end with the scene. */
  readonly captions?: SpecCaptions | undefined;
}

/** The scenes of a video, its own tracks, and the requested output. */
export interface ScenesRequest extends Pick<BindRequest, 'output' | 'fingerprint' | 'audio_tracks'> {
  readonly timeline: Timeline;
  /** In the order of `timeline.scenes`. */
  readonly scenes: readonly SceneValues[];
  /** The bytes of the video's own tracks by `trackKey`. */
  readonly fetched: ReadonlyMap<string, SourceBytes>;
  /** Loudness of the finished sound; that of the mix if absent. */
  readonly loudness?: LoudnessRequest;
  /** Captions of the whole video. */
  readonly captions?: SpecCaptions;
  /** Built-in fonts; only with captions. */
  readonly captionFonts?: CaptionFontFiles;
}

const DEFAULT_BACKGROUND = '#000000';
const DEFAULT_STYLE = { easing: 'ease-in-out', direction: 'left', color: '#000000' } as const;

/**
 * Fills the templates of a timeline's scenes. Names of images, clips, sounds and stills have the name of their scene in front.
 *
 * @param request mappings that `checkMapping` accepts
 * @returns exactly the result of `bindMapping` for one scene that shows its template unchanged
 * @throws ReelformError as `bindMapping`
 */
export function bindScenes({ loudness, captions, captionFonts = new Map(), ...request }: ScenesRequest): VideoInput {
  const { timeline, scenes } = request;
  const input = isUnchanged(timeline, scenes[0]!) ? bindOnly(request, scenes[0]!) : bindAll(request);
  const ofScenes = timeline.scenes.map(({ start, length }, index) => ({
    captions: scenes[index]!.captions,
    start,
    length,
  }));
  const placed = [{ captions, start: 0, length: timeline.frames }, ...ofScenes];
  const drawn = bindCaptions(placed, {
    rate: timeline.rate,
    templates: scenes.map(({ template }) => template),
    builtIn: captionFonts,
  });
  const captionTrack = bindCaptionTrack(placed, timeline.rate);
  const captionLayers = bindCaptionLayers(placed, timeline.rate);
  const target = loudness && targetOf(loudness);
  return { ...input, ...defined({ loudness: target, captions: drawn, captionLayers, captionTrack }) };
}

function targetOf(loudness: LoudnessRequest): LoudnessTarget {
  const { target, true_peak: truePeak } = fullLoudness(loudness);
  return { target, truePeak };
}

/** Everything but the sound's loudness and the captions. */
type BindingRequest = Omit<ScenesRequest, 'loudness' | 'captions' | 'captionFonts'>;

function bindAll(request: BindingRequest): ScenesInput {
  const { timeline, scenes, output, fingerprint = null } = request;
  const bound = scenes.map((values, index) => bindScene(values, timeline.scenes[index]!.id));
  const sounds = bound.flatMap((input, index) => {
    return sceneSounds(timeline, index, { sounds: input.sounds, ...scenes[index]! });
  });
  const span = { startSeconds: 0, endSeconds: secondsOf(timelineMeasures(timeline)), fadesCuts: true as const };
  const tracks = trackSounds(span, request.audio_tracks ?? {}, request.fetched);
  return {
    scenes: bound.map((input, index) => inputScene(timeline.scenes[index]!, scenes[index]!, input)),
    sounds: withDucking([...sounds, ...tracks]),
    ...scenesFile(request, output, fingerprint),
  };
}

/**
 * Returns the fields of an input of several scenes that depend on its output. Has at most `MAX_STILLS` stills.
 *
 * @param scenes in the order of `timeline.scenes`
 * @param fingerprint see `RenderOutput`
 */
export function scenesFile(
  { timeline, scenes }: { readonly timeline: Timeline; readonly scenes: readonly StillTemplate[] },
  output: OutputRequest | undefined,
  fingerprint: string | null,
): InputFile & Pick<ScenesInput, 'timeline'> {
  const file = inputFile({ stills: [], ...timelineMeasures(timeline) }, output, fingerprint);
  const stills = scenes.flatMap(({ template }, index) => sceneStills(timeline, index, template.stills, file));
  return { timeline: inputTimeline(timeline), ...file, stills: stills.slice(0, MAX_STILLS) };
}

/** Returns the same object for the same timeline, so that work on it is done once for all of its videos. */
const inputTimeline = remembered(({ rate, width, height, frames, scenes }: Timeline): InputTimeline => {
  return { rate, frames, width, height, scenes: scenes.map(timesOf) };
});

function timesOf({ id, start, length, transition }: TimelineScene): SceneTimes {
  return { id, start, length, transition: transition && { from: transition.from, frames: transition.frames } };
}

/** Fills the template of a scene, whose id errors name. */
function bindScene(values: SceneValues, id: string): BoundValues {
  try {
    return bindValues(values.template, valuesOf(values), values.fetched);
  } catch (error) {
    if (!(error instanceof ReelformError)) throw error;
    const { code, message, hint, exitCode } = error;
    throw new ReelformError(code, `In the scene ${id}: ${message}`, { hint, exitCode, cause: error });
  }
}

interface StillTemplate {
  readonly template: Pick<TemplatePackage, 'stills'>;
}

/** Returns the values of a scene. A text of kind `captions` is empty where no cue fills it. */
function valuesOf({ template, resources, font_changes }: SceneValues): BindRequest {
  const layers = [...template.manifest.editables].flatMap(([key, { kind }]) => (kind === 'captions' ? [key] : []));
  const empty = layers.map((key) => [key, { source: { text: '' } }] as const);
  return { resources: { ...resources, ...Object.fromEntries(empty) }, ...defined({ font_changes }) };
}

/** Returns whether a video shows nothing but the template of its first scene, as it was designed. */
export function isUnchanged(
  timeline: Timeline,
  { template, background }: Pick<SceneValues, 'background'> & { readonly template: SceneMeasures },
): boolean {
  const [scene, second] = timeline.scenes;
  const speed = divide(rationalRate(frameRateOf(template.fps)), rationalRate(timeline.rate));
  return (
    scene !== undefined &&
    second === undefined &&
    template.width === timeline.width &&
    template.height === timeline.height &&
    template.frameCount === timeline.frames &&
    compare(speed, ONE) === 0 &&
    (background === undefined || background === DEFAULT_BACKGROUND) &&
    isNatural(scene.map, speed)
  );
}

type SceneMeasures = Pick<TemplatePackage, 'width' | 'height' | 'fps' | 'frameCount'>;

/** Binds the only scene of a video with the tracks of both. */
function bindOnly(request: BindingRequest, { template, fetched, ...values }: SceneValues): RenderInput {
  const { output, fingerprint, audio_tracks = {} } = request;
  const inScene = values.audio_tracks ?? {};
  const tracks = Object.entries(audio_tracks);
  const added = Object.fromEntries(tracks.filter(([name]) => !Object.hasOwn(inScene, name)));
  const same = Object.fromEntries(tracks.filter(([name]) => Object.hasOwn(inScene, name)));
  const files = new Map([...fetched, ...Object.keys(added).flatMap((name) => fileOf(request.fetched, trackKey(name)))]);
  const input = bindMapping(template, { output, fingerprint, ...valuesOf({ template, fetched, ...values }) }, files);
  const span = { startSeconds: 0, endSeconds: secondsOf({ rate: template.fps, frames: template.frameCount }) };
  const tracksHere = trackSounds(span, { ...inScene, ...added }, files);
  return {
    ...input,
    sounds: withDucking([...input.sounds, ...tracksHere, ...trackSounds(span, same, request.fetched)]),
  };
}

function fileOf(files: ReadonlyMap<string, SourceBytes>, key: string): [key: string, bytes: SourceBytes][] {
  const bytes = files.get(key);
  return bytes === undefined ? [] : [[key, bytes]];
}

function inputScene(
  { id, map, transition }: TimelineScene,
  values: SceneValues,
  { animation, fonts, images, clips }: BoundValues,
): InputScene {
  const named = <T extends { readonly name: string }>(item: T): T => ({ ...item, name: `${id}.${item.name}` });
  const style = { ...DEFAULT_STYLE, ...defined({ ...values.transition }) };
  return {
    animation,
    fonts,
    images: images.map(named),
    clips: clips.map(named),
    map: timeMapJson(map),
    fit: values.fit ?? 'cover',
    background: values.background ?? DEFAULT_BACKGROUND,
    transition: transition === null ? null : { type: transition.type as TransitionStyle['type'], ...style },
  };
}
