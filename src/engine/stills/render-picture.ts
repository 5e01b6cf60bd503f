import { createCanvas, loadImage } from '@napi-rs/canvas';
import type { Scene } from '../../template/scene.ts';
import { withPngComment } from '../images/png-container.ts';
import type { RenderedStill } from '../raster/raster-protocol.ts';
import { setTexts } from '../text/set-texts.ts';
import type { TextFinding } from '../text/text-finding.ts';
import { renderStills } from './render-stills.ts';
import type { StillImage } from './still-protocol.ts';

const JPEG_QUALITY = 90;

export interface RenderPictureOptions {
  /** Called after each picture that was drawn. */
  readonly onProgress?: ((done: number, count: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface RenderedPicture {
  /** PNG. */
  readonly picture: Uint8Array;
  /** In the scene's order. */
  readonly stills: readonly RenderedStill[];
  /** What a viewer would stumble over in its texts. */
  readonly findings: readonly TextFinding[];
}

/**
 * Renders one picture of a scene, as PNG: the frame of its first still, or the first frame where it has none. Its stills
 * come with it as with a video, over black.
 *
 * @throws as `renderScene`
 */
export async function renderPicture(
  scene: Scene,
  { signal, onProgress }: RenderPictureOptions,
): Promise<RenderedPicture> {
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
  return { picture: withPngComment(pictures[0]!.bytes, output.fingerprint), stills, findings };
}

/** JPEG has no alpha. */
async function overBlack({ name, bytes }: StillImage, width: number, height: number): Promise<RenderedStill> {
  const canvas = createCanvas(width, height);
  canvas.getContext('2d', { alpha: false }).drawImage(await loadImage(Buffer.from(bytes)), 0, 0);
  return { name, bytes: await canvas.encode('jpeg', JPEG_QUALITY), width, height };
}
