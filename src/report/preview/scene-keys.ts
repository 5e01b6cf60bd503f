import { packScene } from '../../engine/packed-scene.ts';
import { knownSha256, type Sha256, sha256 } from '../../kernel/digest.ts';
import type { Scene } from '../../template/scene.ts';

/** Digests that tell scenes apart without drawing them. */
interface SceneKeys {
  /** Scenes with equal values have identical frames. */
  readonly picture: Sha256;
  readonly sound: Sha256;
  readonly durationSeconds: number;
  /** Format, quality, size and frame rate of the file. */
  readonly output: string;
}

const keys = new WeakMap<Scene, SceneKeys>();

export function sceneKeys(scene: Scene): SceneKeys {
  const same = keys.get(scene) ?? keysOf(scene);
  keys.set(scene, same);
  return same;
}

function keysOf(scene: Scene): SceneKeys {
  const { fonts, images, clips, sounds, output, width, height, fps, frameCount } = scene;
  const parts = [
    sha256(packScene(scene).animation),
    ...[fonts, images, clips].map(withDigests),
    width / height,
    fps,
    frameCount,
  ];
  return {
    picture: sha256(JSON.stringify(parts)),
    sound: sha256(JSON.stringify(withDigests(sounds))),
    durationSeconds: frameCount / fps,
    output: JSON.stringify([output.format, output.quality, width, height, fps]),
  };
}

function withDigests(files: readonly { readonly bytes: Uint8Array }[]): unknown[] {
  return files.map((file) => ({ ...file, bytes: knownSha256(file.bytes) }));
}
