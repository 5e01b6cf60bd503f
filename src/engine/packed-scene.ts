import type { LottieDocument, Scene } from '../template/scene.ts';

/** A scene with its animation as text, which is passed to processes and threads several times faster than objects. */
export interface PackedScene extends Omit<Scene, 'animation'> {
  /** JSON. */
  readonly animation: string;
}

/** A scene, packed or not. */
export type AnyScene = Scene | PackedScene;

const texts = new WeakMap<LottieDocument, string>();

/** Packs a scene. Serializes each animation only once, so the animation must not be modified. */
export function packScene(scene: AnyScene): PackedScene {
  const { animation, ...rest } = scene;
  if (typeof animation === 'string') return { ...rest, animation };
  const text = texts.get(animation) ?? JSON.stringify(animation);
  texts.set(animation, text);
  return { ...rest, animation: text };
}

export function unpackScene({ animation, ...rest }: AnyScene): Scene {
  return { ...rest, animation: typeof animation === 'string' ? (JSON.parse(animation) as LottieDocument) : animation };
}
