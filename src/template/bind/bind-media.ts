import { TRANSFORM_DEFAULTS } from '../../wire/defaults.ts';
import type { AudioTransform, Transform } from '../../wire/mapping.ts';
import { type LayerSpan, layerSpans } from '../lottie/layer-spans.ts';
import { LAYER_TYPE, type LottieNode, withLayerLists } from '../lottie/lottie-layers.ts';
import type { LottieDocument, SceneClip, SceneImage, SceneSound } from '../scene.ts';

/** Bytes for an asset, and the name that errors give them. */
interface Medium<T> {
  readonly bytes: Uint8Array;
  readonly name: string;
  readonly transform: T;
}

/** Collects what is seen and heard in a scene. What an asset was given first stays. */
export class MediaBinder {
  readonly #times: ReadonlyMap<string, readonly SoundTimes[]>;
  readonly #images = new Map<string, SceneImage>();
  readonly #clips = new Map<string, SceneClip>();
  readonly #sounds = new Map<string, readonly SceneSound[]>();

  constructor(animation: LottieDocument) {
    this.#times = soundTimes(animation);
  }

  /** Whether it is an image or a clip goes by its bytes, where `isVideo` leaves the choice; else it is an image. */
  show(
    { node, assetId }: { readonly node: LottieNode; readonly assetId: string },
    { bytes, name, transform, isVideo }: Medium<Transform> & { readonly isVideo: boolean },
  ): void {
    if (this.#images.has(assetId) || this.#clips.has(assetId)) return;
    const visual = { assetId, width: Number(node.w), height: Number(node.h), bytes, transform, name };
    if (!isVideo || isImage(bytes)) {
      this.#images.set(assetId, visual);
      return;
    }
    this.#clips.set(assetId, visual);
    const sound = clipSound(transform);
    if (sound === null) return;
    const source = { bytes, name, transform: sound, optional: true };
    this.#sounds.set(assetId, soundsAt(this.#times.get(assetId), source));
  }

  hear(assetId: string, { bytes, name, transform }: Medium<AudioTransform>): void {
    if (this.#sounds.has(assetId)) return;
    const source = { bytes, name, transform, optional: false };
    this.#sounds.set(assetId, soundsAt(this.#times.get(assetId), source));
  }

  get images(): SceneImage[] {
    return [...this.#images.values()];
  }

  get clips(): SceneClip[] {
    return [...this.#clips.values()];
  }

  get sounds(): SceneSound[] {
    return [...this.#sounds.values()].flat();
  }
}

/** When sounds of an animation are heard, and how loud. */
interface SoundTimes {
  /** Seconds of the video, half-open. */
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** Seconds of the source that have passed before it is heard. */
  readonly skipSeconds: number;
  /** What the layer says of it; 1 for as it is. */
  readonly volume: number;
}

/** When each asset is to be heard: by asset id, those of sound layers and those of images, which clips may play in. */
function soundTimes(animation: LottieDocument): ReadonlyMap<string, readonly SoundTimes[]> {
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
        heardOnce(spans).map((span) => timesOf(span, animation)),
      );
  }
  return times;
}

/** The sounds of one source, wherever its asset is played. */
function soundsAt(
  times: readonly SoundTimes[] | undefined,
  source: Pick<SceneSound, 'bytes' | 'name' | 'optional'> & { readonly transform: AudioTransform },
): SceneSound[] {
  const { transform, ...sound } = source;
  return (times ?? []).map(({ startSeconds, endSeconds, skipSeconds, volume }) => {
    const own = { ...TRANSFORM_DEFAULTS.audio, ...transform };
    const trim = own.trim_start_time + skipSeconds;
    const loudness = own.volume * volume;
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

/** The sound of a clip; null for one that is silent, which it is unless a volume is given. */
function clipSound({ volume = TRANSFORM_DEFAULTS.video.volume, trim_start_time }: Transform): AudioTransform | null {
  if (volume === 0) return null;
  return trim_start_time === undefined ? { volume } : { trim_start_time, volume };
}

/** Takes sound layers and their assets out of an animation: no rasteriser has a use for them. */
export function withoutSounds(animation: LottieDocument, soundAssets: ReadonlySet<string>): LottieDocument {
  if (soundAssets.size === 0) return animation;
  const assets = (animation.assets ?? []).filter(({ id }) => !soundAssets.has(id));
  return withLayerLists({ ...animation, assets }, (layers) =>
    layers.filter((layer) => (layer as LottieNode).ty !== LAYER_TYPE.audio),
  );
}

/** A clip that several layers show at one time, behind itself or in a mirror, is heard once. */
function heardOnce(spans: readonly LayerSpan[]): LayerSpan[] {
  const heard: LayerSpan[] = [];
  for (const span of spans.toSorted((a, b) => a.from - b.from)) {
    const same = heard.findIndex(({ clock, to }) => isSameClock(clock, span.clock) && span.from <= to);
    if (same === -1) heard.push(span);
    else heard[same] = { ...heard[same]!, to: Math.max(heard[same]!.to, span.to) };
  }
  return heard;
}

function isSameClock(one: LayerSpan['clock'], other: LayerSpan['clock']): boolean {
  return one?.start === other?.start && one?.stretch === other?.stretch;
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
 * How loud a sound layer is: `au.lv`, per cent for left and right. One number stands for all: of a level that changes, or
 * differs left and right, the highest.
 */
function levelOf({ au }: LottieNode): number {
  const level = (au as LottieNode | undefined)?.lv as LottieNode | undefined;
  const numbers = (level?.a === 1 && Array.isArray(level.k) ? level.k.map((frame: LottieNode) => frame.s) : [level?.k])
    .flat(2)
    .filter((value): value is number => typeof value === 'number');
  return numbers.length === 0 ? 1 : Math.max(0, ...numbers) / 100;
}

/**
 * Whether bytes are a still image: PNG, JPEG, WebP or AVIF, told by how they begin. What fills the area of a video is one
 * of these, or else a clip; a GIF is a clip.
 */
export function isImage(bytes: Uint8Array): boolean {
  const head = String.fromCharCode(...bytes.subarray(0, 12));
  return (
    head.startsWith('\x89PNG\r\n\x1a\n') ||
    head.startsWith('\xff\xd8\xff') ||
    /^RIFF.{4}WEBP/s.test(head) ||
    /^ftyp(?:avif|avis|mif1|msf1)/.test(head.slice(4))
  );
}
