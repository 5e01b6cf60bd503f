import type { AudioTransform, Transform } from '../../wire/mapping.ts';
import { isImage } from '../is-image.ts';
import type { LottieNode } from '../lottie/lottie-node.ts';
import type { LottieDocument, SceneClip, SceneImage, SceneSound } from '../scene.ts';
import { clipSound, type SoundTimes, soundsAt, soundTimes } from './bind-sounds.ts';

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
