import { remembered } from '../kernel/memory.ts';
import type { SourceBytes } from '../kernel/source-file.ts';
import type { InputScene, LottieDocument, RenderInput, ScenesInput, VideoInput } from '../template/render-input.ts';

/** An input with its animations as bytes, which are passed to processes and threads many times faster than objects. */
export type PackedInput = PackedTemplate | PackedScenes;

/** A template at its own times, with its animation as bytes. */
export interface PackedTemplate extends Packed<RenderInput> {}

interface PackedScenes extends Omit<ScenesInput, 'scenes'> {
  readonly scenes: readonly Packed<InputScene>[];
}

type Packed<Document> = Omit<Document, 'animation'> & {
  /** JSON in UTF-8. */
  readonly animation: Uint8Array;
};

/** Returns an input without the files that do not affect its sound. */
export function withoutPictures(renderInput: AnyRenderInput): AnyRenderInput {
  const { captions: _, ...heard } = renderInput;
  if (!('scenes' in heard)) return { ...heard, fonts: [], images: [] };
  const scenes = packRenderInput(heard) as PackedScenes;
  return { ...scenes, scenes: scenes.scenes.map((scene) => ({ ...scene, fonts: [], images: [] })) };
}

/** Returns all files of an input; videos with scenes of one template have the same file several times. */
export function inputFiles(renderInput: AnyRenderInput): SourceBytes[] {
  const documents = 'scenes' in renderInput ? renderInput.scenes : [renderInput];
  const files = documents.flatMap(({ fonts, images, clips }) => [...fonts, ...images, ...clips]);
  const captionFonts = renderInput.captions?.looks.flatMap(({ fonts }) => fonts) ?? [];
  return [...files, ...captionFonts, ...renderInput.sounds].map(({ bytes }) => bytes);
}

/** An input, packed or not. */
export type AnyRenderInput = VideoInput | PackedInput;

/** Packs an input. Serializes each animation only once, so the animations must not be modified. */
export function packRenderInput(renderInput: AnyRenderInput): PackedInput {
  if (!('scenes' in renderInput)) return packTemplate(renderInput);
  const scenes = renderInput.scenes.map((scene) => ({ ...scene, animation: packed(scene.animation) }));
  return { ...renderInput, scenes };
}

/** Packs the input of one template, as `packRenderInput`. */
export function packTemplate(renderInput: RenderInput | PackedTemplate): PackedTemplate {
  return { ...renderInput, animation: packed(renderInput.animation) };
}

/** Returns an animation as bytes, serialized only once, so it must not be modified. */
export function packed(animation: LottieDocument | Uint8Array): Uint8Array {
  return animation instanceof Uint8Array ? animation : packedOnce(animation);
}

const packedOnce = remembered(packAnimation);

export function packAnimation(animation: LottieDocument): Uint8Array {
  return Buffer.from(JSON.stringify(animation));
}

export function unpackAnimation(animation: LottieDocument | Uint8Array): LottieDocument {
  if (!(animation instanceof Uint8Array)) return animation;
  return JSON.parse(Buffer.from(animation.buffer, animation.byteOffset, animation.byteLength).toString());
}

export function unpackTemplate(renderInput: RenderInput | PackedTemplate): RenderInput {
  return { ...renderInput, animation: unpackAnimation(renderInput.animation) };
}

export function unpackRenderInput(renderInput: AnyRenderInput): VideoInput {
  if (!('scenes' in renderInput)) return unpackTemplate(renderInput);
  // Scenes with the same document share it.
  const unpacked = new Map<LottieDocument | Uint8Array, LottieDocument>();
  const scenes = renderInput.scenes.map((scene) => {
    const animation = unpacked.get(scene.animation) ?? unpackAnimation(scene.animation);
    unpacked.set(scene.animation, animation);
    return { ...scene, animation };
  });
  return { ...renderInput, scenes };
}
