import type { LottieDocument, Scene } from '../template/scene.ts';

/** A scene whose animation is text: that crosses processes and threads several times quicker than its objects. */
export interface PackedScene extends Omit<Scene, 'animation'> {
  /** JSON. */
  readonly animation: string;
}

/** A scene, whose animation may be text. */
export type AnyScene = Scene | PackedScene;

const texts = new WeakMap<LottieDocument, string>();

/** The animation is never written to: its text is made once. */
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
