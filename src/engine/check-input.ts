import { checkAnimation } from '../template/lottie/check-animation.ts';
import type { InputDocument, InputFile, VideoInput } from '../template/render-input.ts';
import { checkEmbeddedImages } from './images/check-image.ts';
import { RenderError } from './render-error.ts';

const MAX_PROBLEMS = 5;

/** Longest video in seconds: of one template, and of several scenes. */
const MAX_SECONDS = { template: 600, scenes: 1_800 } as const;

/**
 * Rejects an input that could harm the process that draws it, before native code reads any of it. Images outside the animation
 * are checked when they are decoded.
 *
 * @throws RenderError template_invalid with every problem of the animation; as `checkImage` for an image inside it
 */
export function checkInput(video: VideoInput): void {
  const problems = fileProblems(video);
  const documents = 'scenes' in video ? video.scenes : [video];
  for (const document of documents) problems.push(...documentProblems(document));
  rejectProblems(problems);
  for (const document of documents) checkEmbeddedImages(document.animation, suppliedAssets(document));
}

/** Rejects a document, as `checkInput`. */
export function checkDocument(document: InputDocument): void {
  rejectProblems(documentProblems(document));
  checkEmbeddedImages(document.animation, suppliedAssets(document));
}

function rejectProblems(problems: readonly string[]): void {
  if (problems.length === 0) return;
  const listed = problems.slice(0, MAX_PROBLEMS).join('; ');
  const more = problems.length > MAX_PROBLEMS ? `; and ${problems.length - MAX_PROBLEMS} more` : '';
  throw new RenderError('template_invalid', `The animation cannot be rendered: ${listed}${more}`);
}

function suppliedAssets({ images, clips }: InputDocument): Set<string> {
  return new Set([...images, ...clips].map(({ assetId }) => assetId));
}

function fileProblems({ width, height, fps, frameCount, stills, timeline }: InputFile): string[] {
  const problems: string[] = [];
  if (!(isEvenSide(width) && isEvenSide(height))) problems.push(`${width} × ${height} is not an even size in 2..4096`);
  if (!(fps >= 1 && fps <= 240)) problems.push(`${fps} frames per second is not in 1..240`);
  if (!(Number.isInteger(frameCount) && frameCount >= 1))
    problems.push(`${frameCount} is not a valid number of frames`);
  const longest = timeline === undefined ? MAX_SECONDS.template : MAX_SECONDS.scenes;
  if (frameCount / fps > longest) problems.push(`${Math.round(frameCount / fps)} s is longer than ${longest} s`);
  for (const { name, frame } of stills) {
    if (!(Number.isInteger(frame) && frame >= 0 && frame < frameCount)) {
      problems.push(`the stillcut ${name} is at frame ${frame}, not in 0..${frameCount - 1}`);
    }
  }
  return problems;
}

function documentProblems(document: InputDocument): string[] {
  const { animation, images, clips } = document;
  const problems: string[] = [];
  const known = new Set(animation.assets?.map((asset) => asset.id));
  for (const { assetId, ...area } of [...images, ...clips]) {
    if (!known.has(assetId)) problems.push(`the animation has no asset ${assetId}`);
    if (!(isSide(area.width) && isSide(area.height))) {
      problems.push(`the area of asset ${assetId}, ${area.width} × ${area.height}, is not in 1..8192`);
    }
  }
  return [...problems, ...checkAnimation(animation, { suppliedAssets: suppliedAssets(document) })];
}

function isEvenSide(side: number): boolean {
  return Number.isInteger(side) && side % 2 === 0 && side >= 2 && side <= 4096;
}

function isSide(side: number): boolean {
  return Number.isInteger(side) && side >= 1 && side <= 8192;
}
