import { checkAnimation } from '../template/lottie/check-animation.ts';
import type { RenderInput } from '../template/render-input.ts';
import { checkEmbeddedImages } from './images/check-image.ts';
import { RenderError } from './render-error.ts';

const MAX_PROBLEMS = 5;

/**
 * Rejects an input that could harm the process that draws it, before native code reads any of it. Images outside the animation
 * are checked when they are decoded.
 *
 * @throws RenderError template_invalid with every problem of the animation; as `checkImage` for an image inside it
 */
export function checkInput(renderInput: RenderInput): void {
  const assetIds = new Set([...renderInput.images, ...renderInput.clips].map(({ assetId }) => assetId));
  const problems = [
    ...inputProblems(renderInput),
    ...checkAnimation(renderInput.animation, { suppliedAssets: assetIds }),
  ];
  if (problems.length > 0) {
    const listed = problems.slice(0, MAX_PROBLEMS).join('; ');
    const more = problems.length > MAX_PROBLEMS ? `; and ${problems.length - MAX_PROBLEMS} more` : '';
    throw new RenderError('template_invalid', `The animation cannot be rendered: ${listed}${more}`);
  }
  checkEmbeddedImages(renderInput.animation, assetIds);
}

function inputProblems({ width, height, fps, frameCount, stills, images, clips, animation }: RenderInput): string[] {
  const problems: string[] = [];
  if (!(isEvenSide(width) && isEvenSide(height))) problems.push(`${width} × ${height} is not an even size in 2..4096`);
  if (!(fps >= 1 && fps <= 240)) problems.push(`${fps} frames per second is not in 1..240`);
  if (!(Number.isInteger(frameCount) && frameCount >= 1))
    problems.push(`${frameCount} is not a valid number of frames`);
  if (frameCount / fps > 600) problems.push(`${Math.round(frameCount / fps)} s is longer than 600 s`);
  for (const { name, frame } of stills) {
    if (!(Number.isInteger(frame) && frame >= 0 && frame < frameCount)) {
      problems.push(`the stillcut ${name} is at frame ${frame}, not in 0..${frameCount - 1}`);
    }
  }
  const known = new Set(animation.assets?.map((asset) => asset.id));
  for (const { assetId, ...area } of [...images, ...clips]) {
    if (!known.has(assetId)) problems.push(`the animation has no asset ${assetId}`);
    if (!(isSide(area.width) && isSide(area.height))) {
      problems.push(`the area of asset ${assetId}, ${area.width} × ${area.height}, is not in 1..8192`);
    }
  }
  return problems;
}

function isEvenSide(side: number): boolean {
  return Number.isInteger(side) && side % 2 === 0 && side >= 2 && side <= 4096;
}

function isSide(side: number): boolean {
  return Number.isInteger(side) && side >= 1 && side <= 8192;
}
