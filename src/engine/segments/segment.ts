import { frameRateOf } from '../../contract/timeline/frame-rate.ts';
import { defaultCodec, type OutputFormat } from '../../contract/wire/output.ts';
import { defined } from '../../kernel/defined.ts';
import { canonicalJson, type Json, knownSha256, type Sha256, sha256, shareJson } from '../../kernel/digest.ts';
import { isRecord } from '../../kernel/json.ts';
import { remembered } from '../../kernel/memory.ts';
import { sourceSha256 } from '../../kernel/source-file.ts';
import type {
  CaptionFont,
  InputCaptions,
  InputClip,
  InputDocument,
  InputFile,
  InputImage,
  InputSound,
  LottieDocument,
  RenderInput,
  RenderOutput,
} from '../../template/render-input.ts';
import type { AudioCodec } from '../codec/encoded-track.ts';
import type { FrameRange } from '../frame-rate.ts';
import { type ComposedInput, type DrawnInput, isComposed } from '../scenes/drawn-input.ts';
import { sceneSegments } from '../scenes/scene-spans.ts';

/**
 * Returns the digest of everything that the bytes of a segment depend on. Segments with equal keys are equal, even in different
 * videos. The key does not cover stills, which have their own keys.
 *
 * @param renderInput restricted to the range by `segmentInput`
 * @param build identifies the engine, the encoder and its settings
 * @returns null for an input without a canonical form
 */
export function segmentKey(input: DrawnInput, { first, end }: FrameRange, build: string): Sha256 | null {
  const { output, width, height, fps } = input;
  return keyOf(() => ({
    build,
    output: settingsOf(output),
    frames: [first, end],
    size: [width, height],
    rate: { ...frameRateOf(fps) },
    ...(isComposed(input) ? composition(input) : documentJson(input)),
    ...defined({ captions: input.captions && captionsJson(input.captions) }),
  }));
}

/** Returns the key of a segment that is drawn from several inputs. @param keys of its parts, in order */
export function joinedKey(keys: readonly (Sha256 | null)[]): Sha256 | null {
  const [key = null] = keys;
  return keys.length === 1 ? key : keys.includes(null) ? null : sha256(canonicalJson([...keys]));
}

/** In the order of canonical JSON, as the scenes of a composition: a plan serializes them for each segment of each video. */
function documentJson({ animation, fonts, images, clips }: InputDocument): Readonly<Record<keyof InputDocument, Json>> {
  return {
    animation: animationDigest(animation),
    clips: clips.map(pictureOf),
    fonts: fonts.map((font) => ({ ...font, bytes: knownSha256(font.bytes) })) as Json,
    images: images.map(pictureOf),
  };
}

/** The digest of captions: their cues, and everything that decides how they look. */
function captionsJson({ rate, looks, cues }: InputCaptions): Json {
  const fontJson = ({ name, bytes }: CaptionFont): Json => ({ name, bytes: knownSha256(bytes) });
  return {
    rate: { ...rate },
    looks: looks.map(({ style, lang, fonts }) => ({ style: { ...style } as Json, lang, fonts: fonts.map(fontJson) })),
    cues: cues.map(({ words, ...cue }) => ({ ...cue, ...defined({ words: words?.map((word) => ({ ...word })) }) })),
  };
}

/** Depends on how the scenes lie to each other, not on where they are in their video. */
function composition({ canvas, step, scenes }: ComposedInput): { readonly [field: string]: Json } {
  return {
    canvas: { ...canvas },
    step,
    scenes: scenes.map((scene): Json => {
      const { animation, clips, fonts, images } = documentJson(scene);
      return {
        animation,
        background: scene.background,
        clips,
        fit: scene.fit,
        fonts,
        frame: scene.frame,
        images,
        map: scene.map,
        transition: scene.transition && { ...scene.transition },
      };
    }),
  };
}

/** Returns the settings of a file, which all of its segments share, without what only joining writes. */
const settingsOf = remembered((output: RenderOutput): Json => {
  const { fingerprint: _, lang: __, ...written } = output;
  return shareJson({ codec: defaultCodec(written.format)!, ...written });
});

/** Returns the digest of everything that the bytes of a still depend on. */
export function stillKey(segment: Sha256, frame: number): Sha256 {
  return sha256(`${segment} still ${frame}`);
}

/** @returns null for a value without a JSON form */
function keyOf(value: () => Json): Sha256 | null {
  try {
    return sha256(canonicalJson(value()));
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

function pictureOf({ assetId, width, height, bytes, transform }: InputImage | InputClip): Json {
  return { assetId, width, height, bytes: sourceSha256(bytes), transform: { ...transform } };
}

/** Digests each layer and asset separately, because the segments of a video share most of them. */
function animationDigest(animation: LottieDocument): Json {
  const { layers, assets = [], ...rest } = animation;
  const layerDigests = (list: readonly unknown[]): Json => list.map(valueDigest);
  return {
    rest: restDigest(rest),
    layers: layerDigests(layers),
    assets: assets.map((asset) => {
      const { layers: assetLayers, ...fields } = asset;
      if (!Array.isArray(assetLayers)) return valueDigest(asset);
      return { asset: fields as Json, layers: layerDigests(assetLayers) };
    }),
  };
}

type Rest = Readonly<Record<string, unknown>>;

/** The last rests of documents with their digests. Those of a template differ in their ends, and share the objects in them. */
const rests: { readonly rest: Rest; readonly digest: Sha256 }[] = [];
const MAX_RESTS = 32;

/** Returns the digest of a document without its layers and assets, which is a new object each time. */
function restDigest(rest: Rest): Sha256 {
  for (const known of rests) if (hasFieldsOf(known.rest, rest)) return known.digest;
  const digest = sha256(canonicalJson(rest as Json));
  if (rests.length === MAX_RESTS) rests.shift();
  rests.push({ rest, digest });
  return digest;
}

/** Returns whether two objects have the same values in the same order. */
function hasFieldsOf(known: Rest, rest: Rest): boolean {
  // Most differ in their end alone.
  if (known.op !== rest.op) return false;
  const names = Object.keys(known);
  const others = Object.keys(rest);
  return (
    names.length === others.length && names.every((name, index) => name === others[index] && known[name] === rest[name])
  );
}

/** Returns the digest of a JSON object, cached by identity; other values unchanged. @param value must not be modified */
function valueDigest(value: unknown): Json {
  return isRecord(value) ? recordDigest(value) : (value as Json);
}

const recordDigest = remembered((record: Rest): Json => sha256(canonicalJson(record as Json)));

/** The fields of an input that its sound depends on. */
type SoundInput = Pick<InputFile, 'fps' | 'frameCount' | 'output'> & Pick<RenderInput, 'sounds' | 'loudness'>;

/**
 * Returns the digest of everything that the bytes of a video's sound depend on.
 *
 * @returns null for an input without sounds or without a canonical form
 */
export function soundKey(
  { sounds, loudness, fps, frameCount, output }: SoundInput,
  codec: AudioCodec,
  build: string,
): Sha256 | null {
  if (sounds.length === 0) return null;
  return keyOf(() => ({
    build,
    codec,
    quality: output.quality,
    rate: { ...frameRateOf(fps) },
    frameCount,
    sounds: sounds.map(soundOf),
    ...defined({ loudness: loudness && { ...loudness } }),
  }));
}

/** Returns everything of a sound that is heard. */
function soundOf(sound: InputSound): Json {
  const { bytes, startSeconds, endSeconds, endFadeSeconds, fadesCuts, skipSeconds, duckedBy, speech } = sound;
  return {
    bytes: sourceSha256(bytes),
    startSeconds,
    endSeconds,
    transform: { ...sound.transform },
    optional: sound.optional,
    ...defined({
      endFadeSeconds,
      fadesCuts,
      skipSeconds,
      isOwn: sound.isOwn,
      duckedBy,
      speech: speech?.map((span) => [...span]),
    }),
  };
}

/** Length of a segment at a whole number of frames per second. Players can seek to the start of each segment. */
const SEGMENT_SECONDS = 2;

/** Returns whether a format is rendered in segments. */
export function hasSegments(format: OutputFormat): boolean {
  return format === 'mp4' || format === 'mov';
}

/**
 * Returns the frames of each segment of an MP4 or MOV in order; empty for other formats. The segments depend only on rate, length
 * and scenes, so that all processes use the same segments. The last two of a video of one template are equally long, so that two
 * processes finish at the same time. Segments of several scenes are counted from the first frame of their scene, see
 * `sceneSegments`.
 */
export function segmentRanges({ frameCount, fps, output, timeline }: RangesOf): readonly FrameRange[] {
  if (!hasSegments(output.format)) return [];
  const { numerator, denominator } = frameRateOf(fps);
  const second = numerator / denominator;
  const length = SEGMENT_SECONDS * Math.max(1, Math.round(second));
  if (timeline !== undefined) return sceneSegments({ frameCount, fps, timeline }, length, second);
  const count = Math.ceil(frameCount / length);
  const middleOfLast = Math.ceil(((count - 2) * length + frameCount) / 2);
  const start = (index: number): number => {
    if (index === count) return frameCount;
    return index === count - 1 && count > 1 ? middleOfLast : index * length;
  };
  return Array.from({ length: count }, (_, index) => ({ first: start(index), end: start(index + 1) }));
}

type RangesOf = Pick<InputFile, 'frameCount' | 'fps' | 'timeline'> & {
  readonly output: Pick<RenderOutput, 'format'>;
};

/** Maximum segments that are drawn from the same input, so that memory does not grow with the length of a video. */
export const MAX_SHARED_SEGMENTS = 8;
