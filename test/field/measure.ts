import type { LottieDocument } from '../../src/template/render-input.ts';
import { drawFrames } from './draw-input.ts';
import type { Ground, Reference } from './lottie-web.ts';
import { type Picture, pictureDifference } from './picture-difference.ts';

/** Longer side of the compared pictures in pixels. */
const LONG_SIDE = 320;

/**
 * Returns the largest share of a frame, 0..1, in which a viewer would see a difference between the engine and
 * lottie-web.
 *
 * @param frameCount number of frames, spread over the whole animation
 * @throws Error if lottie-web reports an error or draws nothing, because an empty frame is no reference
 */
export async function fieldDifference(document: LottieDocument, web: Reference, frameCount: number): Promise<number> {
  const frames = comparedFrames(document, frameCount);
  const { width, height } = comparedSize(document);
  // Chromium draws in its own process meanwhile.
  const [theirs, ours] = await Promise.all([
    web.draw(document, frames, width, height),
    drawFrames(document, frames, { width, height }),
  ]);
  if (theirs.every((picture) => isEmpty(picture)))
    throw new Error('lottie-web draws nothing in any frame: there is no reference');
  return Math.max(...ours.map((picture, index) => pictureDifference(picture, theirs[index]!)));
}

/** Returns frames spread over the whole animation, counted from its first. */
export function comparedFrames({ ip, op }: LottieDocument, frameCount: number): number[] {
  const length = Math.max(1, Math.round(op - ip));
  const count = Math.min(length, frameCount);
  return Array.from({ length: count }, (_, index) => Math.floor(((index + 0.5) * length) / count));
}

export function comparedSize({ w, h }: LottieDocument): { width: number; height: number } {
  const scale = LONG_SIDE / Math.max(w, h);
  return { width: even(w * scale), height: even(h * scale) };
}

/** Returns whether a picture shows only the page behind the animation, black unless the ground is white. */
export function isEmpty({ rgba }: Picture, ground: Ground = 'black'): boolean {
  const empty = ground === 'black' ? 0 : 255;
  return rgba.every((value, index) => index % 4 === 3 || value === empty);
}

function even(side: number): number {
  return Math.max(2, Math.round(side / 2) * 2);
}
