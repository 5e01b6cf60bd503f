import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createCanvas } from '@napi-rs/canvas';
import { exportLottie } from '../../src/engine/export/lottie-file.ts';
import { drawingsOf } from '../../src/engine/segments/drawings.ts';
import type { LottieDocument, VideoInput } from '../../src/template/render-input.ts';
import { drawFrames } from '../support/segment-frames.ts';
import type { Reference } from './lottie-web.ts';
import { type Picture, pictureDifference } from './picture-difference.ts';

/** Longer side of the drawn pictures in pixels. They are compared at half their size. */
const LONG_SIDE = 1080;

/** A frame as the engine draws the video, and as a player draws the exported document. */
export interface ComparedFrame {
  readonly frame: number;
  readonly ours: Picture;
  readonly theirs: Picture;
  /** Share of the picture, 0..1, in which a viewer would see a difference. */
  readonly share: number;
}

/**
 * Compares frames of a video with those of its Lottie document. Pictures are halved before: the engine draws small light letters on
 * dark ground bolder than Chromium, which affects their edges alone.
 *
 * @param video in the rate of its template or timeline
 */
export async function exportDifferences(
  video: VideoInput,
  web: Reference,
  frames: readonly number[],
): Promise<ComparedFrame[]> {
  const { file } = await exportLottie(video);
  const document = JSON.parse((await file.bytes()).toString()) as LottieDocument;
  file.close();
  const scale = LONG_SIDE / Math.max(document.w, document.h);
  const [width, height] = [document.w, document.h].map((side) => 4 * Math.round((side * scale) / 4)) as [
    number,
    number,
  ];
  const theirs = await web.draw(document, frames, width, height);
  const compared: ComparedFrame[] = [];
  for (const [at, frame] of frames.entries()) {
    const ours = { width, height, rgba: await drawnFrame({ ...video, width, height }, frame) };
    const halves = [halved(ours), halved(theirs[at]!)] as const;
    compared.push({ frame, ours, theirs: theirs[at]!, share: pictureDifference(...halves) });
  }
  return compared;
}

async function drawnFrame(video: VideoInput, frame: number): Promise<Uint8Array> {
  const [drawing] = drawingsOf(video, [{ first: frame, end: frame + 1 }]);
  const { renderInput, span } = drawing!;
  const first = frame - span.offset;
  return (await drawFrames(renderInput, { first, end: first + 1 })).get(first)!;
}

/** Averages each four pixels. */
function halved({ width, height, rgba }: Picture): Picture {
  const half = { width: width / 2, height: height / 2, rgba: new Uint8Array(rgba.length / 4) };
  for (let y = 0; y < half.height; y++) {
    for (let x = 0; x < half.width * 4; x++) {
      const at = 2 * y * width * 4 + 8 * Math.floor(x / 4) + (x % 4);
      const below = at + width * 4;
      half.rgba[y * half.width * 4 + x] = (rgba[at]! + rgba[at + 4]! + rgba[below]! + rgba[below + 4]!) / 4;
    }
  }
  return half;
}

/** Writes each pair side by side, the engine's on the left, to the folder REELFORM_PICTURES; does nothing without it. */
export async function saveComparedFrames(name: string, compared: readonly ComparedFrame[]): Promise<void> {
  const folder = process.env.REELFORM_PICTURES;
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  for (const { frame, ours, theirs, share } of compared) {
    const { width, height } = ours;
    const canvas = createCanvas(width * 2, height);
    const context = canvas.getContext('2d');
    for (const [at, { rgba }] of [ours, theirs].entries()) {
      const picture = context.createImageData(width, height);
      picture.data.set(rgba);
      context.putImageData(picture, at * width, 0);
    }
    writeFileSync(join(folder, `${name}-${frame}-${(share * 100).toFixed(2)}.png`), await canvas.encode('png'));
  }
}
