import type { LottieDocument, RenderInput } from '../template/render-input.ts';

/** An input with its animation as bytes, which are passed to processes and threads many times faster than objects. */
export interface PackedInput extends Omit<RenderInput, 'animation'> {
  /** JSON in UTF-8. */
  readonly animation: Uint8Array;
}

/** An input, packed or not. */
export type AnyRenderInput = RenderInput | PackedInput;

const packed = new WeakMap<LottieDocument, Uint8Array>();

/** Packs an input. Serializes each animation only once, so the animation must not be modified. */
export function packRenderInput(renderInput: AnyRenderInput): PackedInput {
  const { animation, ...rest } = renderInput;
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

export function unpackRenderInput({ animation, ...rest }: AnyRenderInput): RenderInput {
  return { ...rest, animation: unpackAnimation(animation) };
}
