import { type Canvas, createCanvas } from '@napi-rs/canvas';
import type { Scene } from '../../template/scene.ts';
import { animationFramesPerFrame } from '../frame-rate.ts';
import type { TextFinding } from '../text/text-findings.ts';
import { pixelsOf } from '../writers/frame-writer.ts';
import { composeAnimation } from './compose-animation.ts';
import { openAnimation } from './open-animation.ts';
import { findStaticFrames } from './static-frames.ts';

const JPEG_QUALITY = 90;

/** Draws the frames of one scene, in any order. Skia (Skottie) behind it; not for two tasks at once. */
export interface Rasterizer {
  /** Defects of the scene's texts. */
  readonly findings: readonly TextFinding[];
  /**
   * Makes ready what `draw` of the same frame needs: the pictures of clips that it shows. To be called before each `draw`;
   * quickest where frames come in ascending order.
   *
   * @throws SceneError asset_decode_failed
   */
  prepare(frame: number): Promise<void>;
  /**
   * Draws a frame that `prepare` was called for last, over opaque black where the format that is asked for has no alpha, and reads it back.
   *
   * @param frame index in 0..frameCount-1
   * @returns RGBA, row-major, width*height*4 bytes, straight alpha; a fresh buffer. Its memory is given back in a
   *   turn of the event loop: a caller that draws many frames has to let one pass now and then.
   */
  draw(frame: number): Uint8Array;
  /**
   * Returns whether a frame certainly looks like the previous one, so that it need not be drawn. May miss some that do.
   */
  repeats(frame: number): boolean;
  /**
   * The frame drawn last, as a JPEG; draw no other before it resolves.
   *
   * @param quality 1..100; 90 when absent
   * @param ground what is seen of what is transparent: black, or grey squares
   */
  encodeJpeg(quality?: number, ground?: 'black' | 'squares'): Promise<Uint8Array>;
  /** The same as PNG, without loss. */
  encodePng(): Promise<Uint8Array>;
  /** Frees decoders and what lies on disk at once; may be called again. */
  close(): void;
}

/**
 * Prepares a checked scene for drawing: its images are decoded, cut and scaled here.
 *
 * @throws SceneError for an image or an animation that cannot be used
 */
export async function openRasterizer(scene: Scene): Promise<Rasterizer> {
  const composed = await composeAnimation(scene);
  const source = await openAnimation(scene, composed);
  const { width, height } = scene;
  const canvas = createCanvas(width, height);
  // Without alpha, unpainted pixels are black as in the video, and reading back is faster.
  const isOpaque = pixelsOf(scene.output) !== 'rgba';
  const context = canvas.getContext('2d', { alpha: !isOpaque });
  const area = coveringArea(scene);
  const animationFrames = animationFramesPerFrame(scene);
  // Clips play, whatever the animation says.
  const isStatic = scene.clips.length > 0 ? () => false : findStaticFrames(composed.animation);
  return {
    findings: composed.findings,
    repeats: (frame) => frame > 0 && isStatic((frame - 1) * animationFrames, frame * animationFrames),
    prepare: (frame) => source.prepare(frame),
    draw(frame) {
      context.clearRect(0, 0, width, height);
      source.animation.seekFrame(frame * animationFrames);
      source.animation.render(context, area);
      return isOpaque ? canvas.data() : bytesOf(context.getImageData(0, 0, width, height).data);
    },
    encodeJpeg: (quality = JPEG_QUALITY, ground = 'black') =>
      ground === 'squares' && !isOpaque ? jpegOverSquares(canvas, quality) : canvas.encode('jpeg', quality),
    encodePng: () => canvas.encode('png'),
    close: () => source.close(),
  };
}

/**
 * Scales the animation to cover the output and keeps its aspect ratio. Fitting it instead could leave a black row where the
 * output size was rounded.
 */
function coveringArea({ width, height, animation: { w, h } }: Scene) {
  const scale = Math.max(width / w, height / h);
  const [across, down] = [w * scale, h * scale];
  return { x: (width - across) / 2, y: (height - down) / 2, width: across, height: down };
}

function bytesOf({ buffer, byteOffset, byteLength }: Uint8ClampedArray): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** Size in pixels and colours of the checkerboard behind transparent pixels. */
const SQUARE = 16;
const GREYS = ['#ffffff', '#d0d0d0'] as const;

async function jpegOverSquares(picture: Canvas, quality: number): Promise<Uint8Array> {
  const { width, height } = picture;
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d', { alpha: false });
  for (let y = 0; y < height; y += SQUARE) {
    for (let x = 0; x < width; x += SQUARE) {
      context.fillStyle = GREYS[((x + y) / SQUARE) % 2]!;
      context.fillRect(x, y, SQUARE, SQUARE);
    }
  }
  context.drawImage(picture, 0, 0);
  return canvas.encode('jpeg', quality);
}
