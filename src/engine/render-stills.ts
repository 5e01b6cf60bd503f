import { createCanvas, loadImage } from '@napi-rs/canvas';
import type { VideoInput } from '../template/render-input.ts';
import { checkInput } from './check-input.ts';
import { mediaFindings } from './input-media.ts';
import type { RenderedStill } from './rendered-file.ts';
import { nameScenes } from './scenes/name-scenes.ts';
import type { ComparedStill, StillComparison } from './stills/compare-stills.ts';
import type { StillImage } from './stills/draw-stills.ts';
import type { TextFinding } from './text/text-findings.ts';
import { typesetTexts } from './text/typeset-texts.ts';
import { runInThread } from './threads/drawing-thread.ts';

type OnStill = (stillsDone: number, stillCount: number) => void;

/**
 * Renders the stills of an input without its video; they equal the video's frames before encoding. Draws in a worker thread
 * so that native code does not block this thread's events.
 *
 * @param onProgress called after each still
 * @returns in the input's order
 * @throws RenderError as `renderFile`
 */
export async function renderStills(renderInput: VideoInput, onProgress?: OnStill): Promise<readonly StillImage[]> {
  checkInput(renderInput);
  await mediaFindings(renderInput);
  return renderInput.stills.length === 0 ? [] : drawInThread(renderInput, onProgress);
}

/** @param renderInput checked */
function drawInThread(renderInput: VideoInput, onProgress: OnStill | undefined): Promise<readonly StillImage[]> {
  const { length: count } = renderInput.stills;
  let done = 0;
  return runInThread('stills', renderInput, () => onProgress?.(++done, count));
}

/**
 * Runs `compareStills` in a worker thread so that native code does not block this thread's events.
 *
 * @param onProgress called after each still of either input
 * @throws RenderError as `compareStills`; render_crashed when the thread ends without a result
 */
export async function compareInThread(
  comparison: StillComparison,
  onProgress?: OnStill,
): Promise<readonly ComparedStill[]> {
  const { before, after } = comparison;
  const count = (before?.stills.length ?? 0) + after.stills.length;
  let done = 0;
  return runInThread('compare', comparison, () => onProgress?.(++done, count));
}

const JPEG_QUALITY = 90;

interface RenderPictureOptions {
  /** Called after each picture. */
  readonly onProgress?: OnStill | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface RenderedPicture {
  /** PNG without a comment. */
  readonly picture: Uint8Array;
  /** In the input's order. */
  readonly stills: readonly RenderedStill[];
  /** Missing glyphs and overflowing texts. */
  readonly findings: readonly TextFinding[];
}

/**
 * Renders an input as a single PNG: the frame of its first still, or frame 0 without stills. Renders the stills over black,
 * as for a video.
 *
 * @param renderInput checked, with its media examined
 * @throws as `renderFile`
 */
export async function renderPicture(
  renderInput: VideoInput,
  { signal, onProgress }: RenderPictureOptions,
): Promise<RenderedPicture> {
  signal?.throwIfAborted();
  const { width, height } = renderInput;
  const drawn = renderInput.stills.length > 0 ? renderInput.stills : [{ name: 'picture', frame: 0 }];
  const pictures = await drawInThread({ ...renderInput, stills: drawn }, onProgress);
  const findings = await findingsOf(renderInput);
  const stills: RenderedStill[] = [];
  for (const picture of renderInput.stills.length > 0 ? pictures : []) {
    signal?.throwIfAborted();
    stills.push(await overBlack(picture, width, height));
  }
  return { picture: pictures[0]!.bytes, stills, findings };
}

/** Returns the defects of all texts, also of scenes that the picture does not show. */
async function findingsOf(video: VideoInput): Promise<readonly TextFinding[]> {
  if (!('scenes' in video)) return (await typesetTexts(video.animation, video.fonts)).findings;
  const findings: TextFinding[] = [];
  for (const [index, { animation, fonts }] of video.scenes.entries()) {
    const typeset = await typesetTexts(animation, fonts);
    findings.push(...nameScenes(typeset.findings, video.timeline, index));
  }
  return findings;
}

/** JPEG has no alpha channel. */
async function overBlack({ name, bytes }: StillImage, width: number, height: number): Promise<RenderedStill> {
  const canvas = createCanvas(width, height);
  canvas.getContext('2d', { alpha: false }).drawImage(await loadImage(Buffer.from(bytes)), 0, 0);
  return { name, bytes: await canvas.encode('jpeg', JPEG_QUALITY), width, height };
}
