import { packTemplate } from '../../engine/packed-input.ts';
import { knownSha256, type Sha256, sha256 } from '../../kernel/digest.ts';
import type { RenderInput } from '../../template/render-input.ts';

/** Digests that distinguish inputs without drawing them. */
interface InputKeys {
  /** Inputs with equal values have identical frames. */
  readonly picture: Sha256;
  readonly sound: Sha256;
  readonly durationSeconds: number;
  /** Format, quality, size and frame rate of the file. */
  readonly output: string;
}

const keys = new WeakMap<RenderInput, InputKeys>();

export function inputKeys(renderInput: RenderInput): InputKeys {
  const same = keys.get(renderInput) ?? keysOf(renderInput);
  keys.set(renderInput, same);
  return same;
}

function keysOf(renderInput: RenderInput): InputKeys {
  const { fonts, images, clips, sounds, output, width, height, fps, frameCount } = renderInput;
  const parts = [
    sha256(packTemplate(renderInput).animation),
    ...[fonts, images, clips].map(withDigests),
    width / height,
    fps,
    frameCount,
  ];
  return {
    picture: sha256(JSON.stringify(parts)),
    sound: sha256(JSON.stringify(withDigests(sounds))),
    durationSeconds: frameCount / fps,
    output: JSON.stringify([{ ...output, fingerprint: null }, width, height, fps]),
  };
}

function withDigests(files: readonly { readonly bytes: Uint8Array }[]): unknown[] {
  return files.map((file) => ({ ...file, bytes: knownSha256(file.bytes) }));
}
