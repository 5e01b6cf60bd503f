import { setImmediate } from 'node:timers/promises';
import { openRasterizer } from '../../src/engine/raster/rasterizer.ts';
import { bakeExpressions } from '../../src/template/expressions/bake-expressions.ts';
import { upgradeDocument } from '../../src/template/init/normalize-document.ts';
import type { InputFont, LottieDocument, RenderInput } from '../../src/template/render-input.ts';
import { evaluator } from '../support/evaluator.ts';
import type { Picture } from './picture-difference.ts';

/** Draws frames of an animation with the engine at the given size, counted from its first frame. */
export async function drawFrames(
  animation: LottieDocument,
  frames: readonly number[],
  { width, height, fonts = [] }: { width: number; height: number; fonts?: readonly InputFont[] },
): Promise<Picture[]> {
  return drawInput({ ...(await inputOf(animation)), width, height, fonts }, frames);
}

/** Returns the input of an animation that is upgraded as `template init` does it. */
export async function inputOf(animation: LottieDocument): Promise<RenderInput> {
  const upgraded = structuredClone(animation);
  upgradeDocument(upgraded);
  bakeExpressions(upgraded, await evaluator());
  return {
    output: { format: 'mp4', quality: 'high', fingerprint: null },
    width: animation.w,
    height: animation.h,
    fps: animation.fr,
    frameCount: Math.max(1, Math.round(animation.op - animation.ip)),
    animation: upgraded,
    fonts: [],
    images: [],
    clips: [],
    sounds: [],
    stills: [],
  };
}

/** Draws frames of an input. */
export async function drawInput(renderInput: RenderInput, frames: readonly number[]): Promise<Picture[]> {
  const { width, height } = renderInput;
  const rasterizer = await openRasterizer(renderInput);
  const pictures: Picture[] = [];
  for (const frame of frames) {
    await rasterizer.prepare(frame);
    pictures.push({ width, height, rgba: rasterizer.draw(frame) });
    await setImmediate();
  }
  rasterizer.close();
  return pictures;
}
