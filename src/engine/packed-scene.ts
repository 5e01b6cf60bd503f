import type { LottieDocument, Scene } from '../template/scene.ts';

/** A scene with its animation as bytes, which are passed to processes and threads many times faster than objects. */
export interface PackedScene extends Omit<Scene, 'animation'> {
  /** JSON in UTF-8. */
  readonly animation: Uint8Array;
}

/** A scene, packed or not. */
export type AnyScene = Scene | PackedScene;

const packed = new WeakMap<LottieDocument, Uint8Array>();

/** Packs a scene. Serializes each animation only once, so the animation must not be modified. */
export function packScene(scene: AnyScene): PackedScene {
  const { animation, ...rest } = scene;
  if (animation instanceof Uint8Array) return { ...rest, animation };
  const bytes = packed.get(animation) ?? packAnimation(animation);
  packed.set(animation, bytes);
  return { ...rest, animation: bytes };
}

export function packAnimation(animation: LottieDocument): Uint8Array {
  return Buffer.from(JSON.stringify(animation));
}

export function unpackAnimation(animation: LottieDocument | Uint8Array): LottieDocument {
  if (!(animation instanceof Uint8Array)) return animation;
  return JSON.parse(Buffer.from(animation.buffer, animation.byteOffset, animation.byteLength).toString());
}

export function unpackScene({ animation, ...rest }: AnyScene): Scene {
  return { ...rest, animation: unpackAnimation(animation) };
}
