import { TRANSFORM_DEFAULTS } from '../../contract/wire/defaults.ts';
import type { AudioTransform, Transform } from '../../contract/wire/mapping.ts';
import { isAvif } from '../../kernel/file-kind.ts';
import type { SourceBytes } from '../../kernel/source-file.ts';
import { hasKeyframes } from '../lottie/drawing-form/animated-flag.ts';
import { LAYER_TYPE, type LottieNode, withLayerLists } from '../lottie/lottie-layers.ts';
import { type LayerSpan, layerSpans } from '../lottie/visibility/layer-spans.ts';
import type { InputClip, InputImage, InputSound, LottieDocument } from '../render-input.ts';

/** The bytes for an asset. `name` identifies them in errors. */
interface Medium<T> {
  readonly bytes: SourceBytes;
  readonly name: string;
  readonly transform: T;
  /** As `InputImage.isOwn`. */
  readonly isOwn?: true;
}

/** Collects the images, clips and sounds of an input. The first value of an asset wins. */
export class MediaBinder {
  readonly #times: ReadonlyMap<string, readonly SoundTimes[]>;
  readonly #images = new Map<string, InputImage>();
  readonly #clips = new Map<string, InputClip>();
  readonly #sounds = new Map<string, readonly InputSound[]>();

  /** @param animation of the template, without values */
  constructor(animation: LottieDocument) {
    this.#times = knownTimes.get(animation) ?? soundTimes(animation);
    knownTimes.set(animation, this.#times);
  }

  /** Adds an image if the bytes are one or `isVideo` is false; otherwise a clip with its sound. Images are always in memory. */
  addPicture(
    { node, assetId }: { readonly node: LottieNode; readonly assetId: string },
    { isVideo, ...medium }: Medium<Transform> & { readonly isVideo: boolean },
  ): void {
    if (this.#images.has(assetId) || this.#clips.has(assetId)) return;
    const { transform, bytes, ...origin } = medium;
    const visual = { assetId, width: Number(node.w), height: Number(node.h), ...medium };
    if (bytes instanceof Uint8Array && (!isVideo || isImage(bytes))) {
      this.#images.set(assetId, { ...visual, bytes });
      return;
    }
    this.#clips.set(assetId, visual);
    const sound = clipSound(transform);
    if (sound === null) return;
    const source = { ...origin, bytes, transform: sound, optional: true };
    this.#sounds.set(assetId, soundsAt(this.#times.get(assetId), source));
  }

  addSound(assetId: string, medium: Medium<AudioTransform>): void {
    if (this.#sounds.has(assetId)) return;
    this.#sounds.set(assetId, soundsAt(this.#times.get(assetId), { ...medium, optional: false }));
  }

  get images(): InputImage[] {
    return [...this.#images.values()];
  }

  get clips(): InputClip[] {
    return [...this.#clips.values()];
  }

  get sounds(): InputSound[] {
    return [...this.#sounds.values()].flat();
  }
}

const knownTimes = new WeakMap<LottieDocument, ReturnType<typeof soundTimes>>();

/** A time at which an animation plays a sound, and its volume. */
interface SoundTimes {
  /** Seconds of the video, half-open. */
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** Seconds of the source to skip at the start. */
  readonly skipSeconds: number;
  /** Volume of the layer; 1 is unchanged. */
  readonly volume: number;
}

/** Returns the times at which assets are played, by asset id: for sound layers, and for image layers, which may show clips. */
export function soundTimes(animation: LottieDocument): ReadonlyMap<string, readonly SoundTimes[]> {
  const times = new Map<string, SoundTimes[]>();
  const shown = new Map<string, LayerSpan[]>();
  for (const span of layerSpans(animation)) {
    const { ty, refId } = span.layer;
    if (typeof refId !== 'string') continue;
    if (ty === LAYER_TYPE.audio) times.set(refId, [...(times.get(refId) ?? []), timesOf(span, animation)]);
    if (ty === LAYER_TYPE.image) shown.set(refId, [...(shown.get(refId) ?? []), span]);
  }
  for (const [id, spans] of shown) {
    if (!times.has(id))
      times.set(
        id,
        mergeSpans(spans).map((span) => timesOf(span, animation)),
      );
  }
  return times;
}

/** Returns the sounds of a source, a sound for each time its asset is played. */
function soundsAt(
  times: readonly SoundTimes[] | undefined,
  source: Pick<InputSound, 'bytes' | 'name' | 'optional' | 'isOwn'> & { readonly transform: AudioTransform },
): InputSound[] {
  const { transform, ...sound } = source;
  return (times ?? []).map(({ startSeconds, endSeconds, skipSeconds, volume }) => {
    const complete = { ...TRANSFORM_DEFAULTS.audio, ...transform };
    const trim = complete.trim_start_time + skipSeconds;
    const loudness = complete.volume * volume;
    return {
      ...sound,
      startSeconds,
      endSeconds,
      ...(skipSeconds === 0 ? {} : { skipSeconds }),
      transform: {
        ...transform,
        ...(trim === 0 ? {} : { trim_start_time: trim }),
        ...(loudness === 1 ? {} : { volume: loudness }),
      },
    };
  });
}

/** Returns the sound of a clip; null for a silent clip, which is the default without a volume. */
function clipSound({ volume = TRANSFORM_DEFAULTS.video.volume, trim_start_time }: Transform): AudioTransform | null {
  if (volume === 0) return null;
  return trim_start_time === undefined ? { volume } : { trim_start_time, volume };
}

/** Removes sound layers and their assets, which the rasteriser does not support. */
export function withoutSounds(animation: LottieDocument, soundAssets: ReadonlySet<string>): LottieDocument {
  if (soundAssets.size === 0) return animation;
  const assets = (animation.assets ?? []).filter(({ id }) => !soundAssets.has(id));
  return withLayerLists({ ...animation, assets }, (layers) =>
    layers.filter((layer) => (layer as LottieNode).ty !== LAYER_TYPE.audio),
  );
}

/** Merges overlapping spans, so that a clip is heard only once if several layers show it, for example as a reflection. */
function mergeSpans(spans: readonly LayerSpan[]): LayerSpan[] {
  const merged: LayerSpan[] = [];
  for (const span of spans.toSorted((a, b) => a.from - b.from)) {
    const same = merged.findIndex(({ clock, to }) => isSameClock(clock, span.clock) && span.from <= to);
    if (same === -1) merged.push(span);
    else merged[same] = { ...merged[same]!, to: Math.max(merged[same]!.to, span.to) };
  }
  return merged;
}

function isSameClock(a: LayerSpan['clock'], b: LayerSpan['clock']): boolean {
  return a?.start === b?.start && a?.stretch === b?.stretch;
}

function timesOf({ layer, from, to, clock }: LayerSpan, { fr }: LottieDocument): SoundTimes {
  const start = clock === null ? from : Math.max(from, clock.start);
  return {
    startSeconds: start / fr,
    endSeconds: to / fr,
    skipSeconds: clock === null ? 0 : Math.max(0, from - clock.start) / fr,
    volume: levelOf(layer),
  };
}

/**
 * Returns the volume of a sound layer from `au.lv`, which is in per cent. Uses the highest value of an animated level or of
 * different levels for left and right.
 */
function levelOf({ au }: LottieNode): number {
  const level = (au as LottieNode | undefined)?.lv as LottieNode | undefined;
  const numbers = (hasKeyframes(level?.k) ? (level!.k as LottieNode[]).map((frame) => frame.s) : [level?.k])
    .flat(2)
    .filter((value): value is number => typeof value === 'number');
  return numbers.length === 0 ? 1 : Math.max(0, ...numbers) / 100;
}

/**
 * Detects a still image (PNG, JPEG, WebP or AVIF) by its first bytes. All other files, including GIF, are clips.
 */
export function isImage(bytes: Uint8Array): boolean {
  const head = String.fromCharCode(...bytes.subarray(0, 12));
  return (
    head.startsWith('\x89PNG\r\n\x1a\n') ||
    head.startsWith('\xff\xd8\xff') ||
    /^RIFF.{4}WEBP/s.test(head) ||
    isAvif(bytes)
  );
}
