import { createCanvas, loadImage } from '@napi-rs/canvas';
import type { Scene } from '../template/scene.ts';
import type { RenderedStill } from './raster-protocol.ts';
import type { Rendering, RenderSceneOptions } from './render-scene.ts';
import { renderStills } from './render-stills.ts';
import type { StillImage } from './still-protocol.ts';
import { setTexts } from './text/set-texts.ts';
import { withPngComment } from './writers/png-file.ts';

const JPEG_QUALITY = 90;

/**
 * Renders one picture of a scene, as PNG: the frame of its first still, or the first frame where it has none. Its stills
 * come with it as with a video, over black.
 *
 * @throws as `renderScene`
 */
export async function renderPicture(
  scene: Scene,
  { signal, onProgress }: Pick<RenderSceneOptions, 'signal' | 'onProgress'>,
): Promise<Rendering> {
  signal?.throwIfAborted();
  const { width, height, output } = scene;
  const wanted = scene.stills.length > 0 ? scene.stills : [{ name: 'picture', frame: 0 }];
  const pictures = await renderStills({ ...scene, stills: wanted }, onProgress);
  const { findings } = await setTexts(scene.animation, scene.fonts);
  const stills: RenderedStill[] = [];
  for (const picture of scene.stills.length > 0 ? pictures : []) {
    signal?.throwIfAborted();
    stills.push(await overBlack(picture, width, height));
  }
  return {
    video: withPngComment(pictures[0]!.bytes, output.fingerprint),
    format: output.format,
    stills,
    findings,
    width,
    height,
    frameCount: 1,
    durationSeconds: 0,
  };
}

/** JPEG has no alpha. */
async function overBlack({ name, bytes }: StillImage, width: number, height: number): Promise<RenderedStill> {
  const canvas = createCanvas(width, height);
  canvas.getContext('2d', { alpha: false }).drawImage(await loadImage(Buffer.from(bytes)), 0, 0);
  return { name, bytes: await canvas.encode('jpeg', JPEG_QUALITY), width, height };
}
