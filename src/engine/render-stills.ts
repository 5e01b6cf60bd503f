import { createCanvas, loadImage } from '@napi-rs/canvas';
import type { Scene } from '../template/scene.ts';
import { checkScene } from './check-scene.ts';
import type { RenderedStill } from './render-result.ts';
import { mediaFindings } from './scene-media.ts';
import type { ComparedStill, StillComparison } from './stills/compare-stills.ts';
import type { StillImage } from './stills/draw-stills.ts';
import type { TextFinding } from './text/text-findings.ts';
import { typesetTexts } from './text/typeset-texts.ts';
import { runInThread } from './threads/drawing-thread.ts';

type OnStill = (stillsDone: number, stillCount: number) => void;

/**
 * Renders the stills of a scene without its video; they equal the video's frames before encoding. Draws in a worker thread
 * so that native code does not block this thread's events.
 *
 * @param onProgress called after each still
 * @returns in the scene's order
 * @throws SceneError as `renderScene`
 */
export async function renderStills(scene: Scene, onProgress?: OnStill): Promise<readonly StillImage[]> {
  checkScene(scene);
  await mediaFindings(scene);
  return scene.stills.length === 0 ? [] : drawInThread(scene, onProgress);
}

/** @param scene checked */
function drawInThread(scene: Scene, onProgress: OnStill | undefined): Promise<readonly StillImage[]> {
  const { length: count } = scene.stills;
  let done = 0;
  return runInThread('stills', scene, () => onProgress?.(++done, count));
}

/**
 * Runs `compareStills` in a worker thread so that native code does not block this thread's events.
 *
 * @param onProgress called after each still of either scene
 * @throws SceneError as `compareStills`; render_crashed when the thread ends without a result
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
  /** In the scene's order. */
  readonly stills: readonly RenderedStill[];
  /** Missing glyphs and overflowing texts. */
  readonly findings: readonly TextFinding[];
}

/**
 * Renders a scene as a single PNG: the frame of its first still, or frame 0 without stills. Renders the stills over black,
 * as for a video.
 *
 * @param scene checked, with its media examined
 * @throws as `renderScene`
 */
export async function renderPicture(
  scene: Scene,
  { signal, onProgress }: RenderPictureOptions,
): Promise<RenderedPicture> {
  signal?.throwIfAborted();
  const { width, height } = scene;
  const drawn = scene.stills.length > 0 ? scene.stills : [{ name: 'picture', frame: 0 }];
  const pictures = await drawInThread({ ...scene, stills: drawn }, onProgress);
  const { findings } = await typesetTexts(scene.animation, scene.fonts);
  const stills: RenderedStill[] = [];
  for (const picture of scene.stills.length > 0 ? pictures : []) {
    signal?.throwIfAborted();
    stills.push(await overBlack(picture, width, height));
  }
  return { picture: pictures[0]!.bytes, stills, findings };
}

/** JPEG has no alpha channel. */
async function overBlack({ name, bytes }: StillImage, width: number, height: number): Promise<RenderedStill> {
  const canvas = createCanvas(width, height);
  canvas.getContext('2d', { alpha: false }).drawImage(await loadImage(Buffer.from(bytes)), 0, 0);
  return { name, bytes: await canvas.encode('jpeg', JPEG_QUALITY), width, height };
}
