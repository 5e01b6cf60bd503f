import { plainCaptions } from '../../contract/captions/caption-style.ts';
import { defaultsOf } from '../../contract/fields/field.ts';
import { PLACEMENT_FIELDS } from '../../contract/fields/scene-fields.ts';
import { specOfMapping } from '../../contract/spec-mapping.ts';
import { timeMapJson } from '../../contract/timeline/time-map.ts';
import type { TimelineScene } from '../../contract/timeline/timeline.ts';
import type { VideoMeasures } from '../../contract/video-measures.ts';
import {
  canonicalSpec,
  hasSound,
  type SceneSpec,
  type SpecSound,
  type SpecValue,
  TRANSITION_DEFAULTS,
  type VideoSpec,
  withSpeakers,
} from '../../contract/video-spec.ts';
import { type CaptionsRequest, captionsOfRequest } from '../../contract/wire/captions.ts';
import { fullLoudness } from '../../contract/wire/loudness.ts';
import type { AudioTransform, Transform } from '../../contract/wire/mapping.ts';
import { trackKey } from '../../contract/wire/mapping.ts';
import type { NamedOutput, OutputRequest } from '../../contract/wire/output.ts';
import type { SceneRequest } from '../../contract/wire/scene-request.ts';
import { CAPTIONS_EPOCH, RENDER_EPOCH, SOUND_EPOCH, TIMELINE_EPOCH } from '../../engine/render-epoch.ts';
import { defined } from '../../kernel/defined.ts';
import { byCodeUnit, canonicalJson, type Json, type Sha256, sha256 } from '../../kernel/digest.ts';
import { scenesFile } from '../../template/bind/bind-scenes.ts';
import { inputFile, resolveOutput } from '../../template/bind/resolve-output.ts';
import type { InputFile } from '../../template/render-input.ts';
import type { TemplatePackage } from '../../template/template-package.ts';
import { type MeasuredTemplate, outputBasis } from '../../template/video-measures.ts';
import type { NamedFile } from './ports.ts';
import {
  colorOf,
  onlyTemplate,
  type SceneSources,
  type SessionScenes,
  scenesMeasures,
  templateOf,
  timelineOfScenes,
} from './session-scenes.ts';

/** Computed once, because a plan digests each scene of each video. */
const DEFAULT_BACKGROUND = colorOf(defaultsOf(PLACEMENT_FIELDS).background);
const DEFAULT_COLOR = colorOf(TRANSITION_DEFAULTS.color)!;

/** The parts of a template that affect the digest. */
type DigestBasis = MeasuredTemplate & Pick<TemplatePackage, 'digest' | 'manifest' | 'sounds' | 'spec'>;

/** Everything that determines a file. */
export interface DigestedVideo extends SessionScenes<DigestBasis> {
  readonly output?: OutputRequest | undefined;
  /** Digests of the source files. */
  readonly sources: SceneSources<Sha256>;
}

/**
 * Computes the digest of everything that determines the video: requests with the same digest give the same frames and
 * sound. Titles, labels, source URLs, ids of scenes and track names are excluded, explicit defaults are ignored, and so is an
 * output equal to the video's own. The lengths and places of scenes are included as the frames that they show.
 */
export function inputDigest(digested: DigestedVideo, soundEpoch = SOUND_EPOCH): Sha256 {
  const { video, templates, output = null, sources } = digested;
  const timeline = timelineOfScenes(digested);
  const only = onlyTemplate(digested, timeline);
  const measures = scenesMeasures(digested, timeline);
  const scenes = video.scenes.map((scene): SceneSpec<string> => {
    const { digest, manifest } = templateOf(scene, templates);
    const mapping = { ...scene.mapping, ...defined({ audio_tracks: scene.audio_tracks }) };
    return { id: scene.id, template: digest, ...specOfMapping(mapping, (key) => manifest.editables.get(key)?.kind) };
  });
  const { audio } = specOfMapping({ resources: {}, ...defined({ audio_tracks: video.audio_tracks }) }, () => undefined);
  const spec = canonicalSpec({ scenes, audio, output }, measures);
  const hasOwnSound = video.scenes.some((scene) => templateOf(scene, templates).sounds.size > 0);
  const jsons = spec.scenes.map((scene, index) => sceneJson(scene, sources.scenes[index]!, { spec, scene: index }));
  const tracks = tracksJson(spec.audio, sources.tracks, { spec, scene: null });
  const shown =
    only === null
      ? {
          timeline_epoch: TIMELINE_EPOCH === 0 ? undefined : TIMELINE_EPOCH,
          size: [measures.width, measures.height],
          rate: { ...timeline.rate },
          scenes: jsons.map((scene, index) => placedJson(scene, timeline.scenes[index]!, video.scenes[index]!)),
          audio_tracks: tracks,
        }
      : { ...jsons[0]!, audio_tracks: joinLists(jsons[0]!.audio_tracks, tracks) };
  return sha256(
    canonicalJson({
      render_epoch: RENDER_EPOCH,
      sound_epoch: soundEpoch !== 0 && hasSound(spec, hasOwnSound) ? soundEpoch : undefined,
      ...shown,
      loudness: video.loudness && { ...fullLoudness(video.loudness) },
      captions: captionsJson(video.captions),
      captions_epoch: CAPTIONS_EPOCH !== 0 && isCaptioned(video) ? CAPTIONS_EPOCH : undefined,
      output: spec.output === null ? undefined : outputJson(measures, spec.output),
    }),
  );
}

type SceneJson = ReturnType<typeof sceneJson>;

/** @param digests of the scene's sources */
function sceneJson(
  { template, resources, audio, fonts }: SceneSpec<string>,
  digests: ReadonlyMap<string, Sha256>,
  tracks: TracksOf,
) {
  return {
    template,
    resources: Object.fromEntries([...resources].map(([key, value]) => [key, valueJson(value, digests.get(key))])),
    audio_tracks: tracksJson(audio, digests, tracks),
    font_changes: fonts.size === 0 ? undefined : Object.fromEntries(fonts),
  };
}

/** Returns tracks in mixing order, without their names. */
function tracksJson(
  audio: SceneSpec<string>['audio'],
  digests: ReadonlyMap<string, Sha256>,
  { spec, scene }: TracksOf,
): Json[] | undefined {
  if (audio.size === 0) return undefined;
  const sorted = [...audio].sort(([a], [b]) => byCodeUnit(a, b));
  return sorted.map(([name, sound]) => {
    const transform = withSpeakers(sound.transform, spec, scene);
    return sourceJson({ ...sound, transform }, digests.get(trackKey(name)));
  });
}

/** A video, and the index of the scene whose tracks they are; null for those of the video. */
interface TracksOf {
  readonly spec: Pick<VideoSpec<string>, 'scenes' | 'audio'>;
  readonly scene: number | null;
}

function joinLists(first: Json[] | undefined, second: Json[] | undefined): Json[] | undefined {
  return first === undefined || second === undefined ? (first ?? second) : [...first, ...second];
}

/** Adds the frames of its template that a scene shows, and how it fills the video. */
function placedJson(
  scene: SceneJson,
  { start, length, map, transition: shown }: TimelineScene,
  { fit, background, transition, captions }: SceneRequest,
): Json {
  const { easing = TRANSITION_DEFAULTS.easing, direction = TRANSITION_DEFAULTS.direction, color } = transition ?? {};
  return {
    audio_tracks: scene.audio_tracks,
    background: colorOf(background) ?? DEFAULT_BACKGROUND,
    captions: captionsJson(captions),
    fit,
    font_changes: scene.font_changes,
    length,
    map: timeMapJson(map),
    resources: scene.resources,
    start,
    template: scene.template,
    transition: shown === null ? undefined : { easing, direction, color: colorOf(color) ?? DEFAULT_COLOR, ...shown },
  };
}

function captionsJson(captions: CaptionsRequest | undefined): Json | undefined {
  return (captions && plainCaptions(captionsOfRequest(captions))) as Json | undefined;
}

function isCaptioned({ captions, scenes }: DigestedVideo['video']): boolean {
  return [captions, ...scenes.map((scene) => scene.captions)].some((given) => given !== undefined);
}

/** The files of a video, each with its `inputDigest` as fingerprint. */
interface VideoFiles {
  /** Digest of the main file. */
  readonly fingerprint: Sha256;
  readonly others: readonly NamedFile[];
  /** Digest of all files; equals the fingerprint if the main file is the only file. */
  readonly digest: Sha256;
}

/** Returns the fields of a further file that depend on its output. */
function furtherFile(digested: DigestedVideo, output: OutputRequest, fingerprint: Sha256): InputFile {
  const { video, templates } = digested;
  const timeline = timelineOfScenes(digested);
  const only = onlyTemplate(digested, timeline);
  if (only !== null) return inputFile(outputBasis(only), output, fingerprint);
  const scenes = video.scenes.map((scene) => ({ template: templateOf(scene, templates) }));
  return scenesFile({ timeline, scenes }, output, fingerprint);
}

/** Computes the files of a video and their fingerprints. */
export function videoFiles(digested: DigestedVideo, outputs: readonly NamedOutput[]): VideoFiles {
  const fingerprint = inputDigest(digested);
  const files = outputs.map(({ name, ...output }) => {
    const digest = inputDigest({ ...digested, output });
    return { name, digest, file: furtherFile(digested, output, digest) };
  });
  return {
    fingerprint,
    others: files.map(({ name, file }) => ({ name, ...file })),
    digest:
      files.length === 0
        ? fingerprint
        : sha256(
            canonicalJson({ main: fingerprint, others: files.map(({ name, digest }) => ({ name, scene: digest })) }),
          ),
  };
}

/**
 * Returns the key of a stored and shared rendering. Scopes never share a key, so that timing does not reveal what
 * another scope has rendered.
 *
 * @param scope empty for a key that all scopes share
 */
export function renderingDigest(digest: Sha256, scope: string): Sha256 {
  return scope === '' ? digest : sha256(canonicalJson({ scene: digest, scope }));
}

/** @param bytes digest of the source; undefined for a value without source */
function valueJson(value: SpecValue<string>, bytes: Sha256 | undefined): Json {
  switch (value.kind) {
    case 'text':
      return { text: value.text };
    case 'color':
      return { text: value.color };
    case 'font':
      return { font: value.font };
    case 'image':
    case 'video':
    case 'audio':
      return sourceJson(value, bytes);
  }
}

function sourceJson(
  {
    source,
    transform,
    speech,
  }: Omit<SpecSound<string>, 'transform'> & { readonly transform: Transform | AudioTransform },
  bytes: Sha256 | undefined,
): Json {
  if (bytes === undefined) return { remote_url: source };
  return { sha256: bytes, transform: { ...transform }, ...defined({ speech: speech?.map((span) => [...span]) }) };
}

/** Resolves all defaults of an output. */
function outputJson(measures: VideoMeasures, request: OutputRequest): Json {
  const { output, width, height, fps } = resolveOutput({ ...measures, stills: [] }, request);
  return { ...output, width, height, fps };
}
