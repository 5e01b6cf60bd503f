import { type Canvas, clearAllCache, createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import type { RenderInput } from '../../template/render-input.ts';
import { animationFramesPerFrame } from '../frame-rate.ts';
import { pixelsOf } from '../pixel-format.ts';
import type { DrawnInput } from '../scenes/drawn-input.ts';
import type { TextFinding } from '../text/text-findings.ts';
import { composeAnimation } from './compose-animation.ts';
import { openAnimation } from './open-animation.ts';
import { findStaticFrames } from './static-frames.ts';

const JPEG_QUALITY = 90;

/** A part of a picture in whole pixels. */
export interface PixelBox {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/**
 * Draws the frames of an input in any order with Skia (Skottie). Calls must not overlap. Open rasterisers of a thread share a surface, so
 * that the last drawn frame may also be that of another.
 */
export interface Rasterizer {
  /** Defects of the input's texts. */
  readonly findings: readonly TextFinding[];
  /**
   * Loads the pictures of clips for a frame. Call it before `draw`; fastest if frames are in ascending order.
   *
   * @throws RenderError asset_decode_failed
   */
  prepare(frame: number): Promise<void>;
  /**
   * Draws the frame passed to the last `prepare` and reads it back. Draws over opaque black if the format has no alpha.
   *
   * @param frame index in 0..frameCount-1
   * @returns RGBA, row-major, width*height*4 bytes, straight alpha; a new buffer. Its memory is freed in a later turn of the
   *   event loop, so a caller that draws many frames must yield from time to time.
   */
  draw(frame: number): Uint8Array;
  /** Draws the frame passed to the last `prepare` without reading it back, which takes as long as drawing: to encode it. */
  show(frame: number): void;
  /**
   * Draws a part of the frame, which takes less time. Its pixels equal those of the whole frame.
   *
   * @param box within the picture
   * @returns as `draw`, of the part
   */
  drawPart(frame: number, box: PixelBox): Uint8Array;
  /**
   * Returns whether a frame certainly equals the previous frame and need not be drawn. May return false for equal frames.
   */
  repeats(frame: number): boolean;
  /**
   * Encodes the last drawn frame as JPEG. Do not draw another frame before it resolves, with this rasteriser or another of the thread.
   *
   * @param quality 1..100; 90 by default
   * @param background behind transparent pixels: black, or a grey checkerboard
   */
  encodeJpeg(quality?: number, background?: 'black' | 'checkerboard'): Promise<Uint8Array>;
  /** Encodes the last drawn frame as PNG, as `encodeJpeg`. */
  encodePng(): Promise<Uint8Array>;
  /** Frees decoders, temporary files and the caches of the rasteriser; may be called again. */
  close(): void;
}

/**
 * Prepares a checked input for drawing: decodes, crops and scales its images.
 *
 * @throws RenderError for an unusable image or animation
 */
export async function openRasterizer(renderInput: DrawnInput): Promise<Rasterizer> {
  const { width, height, fps } = renderInput;
  // Without alpha, unpainted pixels are black as in the video, and reading back is faster.
  const isOpaque = pixelsOf(renderInput.output) !== 'rgba';
  const composing = composeAnimation(renderInput);
  // Awaited below, unless there is no memory for the surface.
  composing.catch(() => undefined);
  // While other threads decode the images, which begins in this turn of the event loop.
  await new Promise((resolve) => setImmediate(resolve));
  const { canvas, context } = surfaceFor({ width, height, isOpaque });
  const composed = await composing;
  const source = await openAnimation(composed);
  const { animation } = composed;
  const area = coveringArea({ width, height, animation });
  const animationFrames = animationFramesPerFrame({ animation, fps });
  // Clips change even if the animation does not.
  const isStatic = composed.clips.length > 0 ? () => false : findStaticFrames(animation);
  const show = (frame: number): void => {
    context.clearRect(0, 0, width, height);
    source.animation.seekFrame(frame * animationFrames);
    source.animation.render(context, area);
  };
  return {
    findings: composed.findings,
    repeats: (frame) => frame > 0 && isStatic((frame - 1) * animationFrames, frame * animationFrames),
    prepare: (frame) => source.prepare(frame),
    show,
    draw(frame) {
      show(frame);
      return isOpaque ? canvas.data() : bytesOf(context.getImageData(0, 0, width, height).data);
    },
    drawPart(frame, { left, top, width: partWidth, height: partHeight }) {
      // The whole picture, although a part is read: otherwise the canvas would copy the pixels that are to be kept.
      context.clearRect(0, 0, width, height);
      context.save();
      context.beginPath();
      context.rect(left, top, partWidth, partHeight);
      context.clip();
      try {
        source.animation.seekFrame(frame * animationFrames);
        source.animation.render(context, area);
      } finally {
        // Other inputs draw on the same surface.
        context.restore();
      }
      return bytesOf(context.getImageData(left, top, partWidth, partHeight).data);
    },
    encodeJpeg: (quality = JPEG_QUALITY, background = 'black') =>
      background === 'checkerboard' && !isOpaque
        ? jpegOverCheckerboard(canvas, quality)
        : canvas.encode('jpeg', quality),
    encodePng: () => canvas.encode('png'),
    close() {
      source.close();
      // The rasteriser caches 2,048 fonts, and each input has its own.
      clearAllCache();
    },
  };
}

/** A canvas to draw on. What it shows is cleared before each frame. */
interface Surface {
  readonly canvas: Canvas;
  readonly context: SKRSContext2D;
  readonly isOpaque: boolean;
}

/**
 * Surfaces of the thread by size and opacity, that of the input opened last at the end. Lint keeps more than ten versions of an input open,
 * and getting the pages of a surface from the system takes longer than drawing a frame on it.
 */
const surfaces: Surface[] = [];
/** Those of four pictures of 1080p. */
const MAX_KEPT_PIXELS = 4 * 1920 * 1080;

function surfaceFor({ width, height, isOpaque }: { width: number; height: number; isOpaque: boolean }): Surface {
  const known = surfaces.findIndex(
    ({ canvas, ...kept }) => canvas.width === width && canvas.height === height && kept.isOpaque === isOpaque,
  );
  const surface = known === -1 ? createSurface(width, height, isOpaque) : surfaces.splice(known, 1)[0]!;
  surfaces.push(surface);
  let pixels = surfaces.reduce((sum, { canvas }) => sum + canvas.width * canvas.height, 0);
  while (pixels > MAX_KEPT_PIXELS) {
    // Open rasterisers keep theirs.
    const { canvas } = surfaces.shift()!;
    pixels -= canvas.width * canvas.height;
  }
  return surface;
}

function createSurface(width: number, height: number, isOpaque: boolean): Surface {
  const canvas = createCanvas(width, height);
  return { canvas, context: canvas.getContext('2d', { alpha: !isOpaque }), isOpaque };
}

/**
 * Scales the animation to cover the output, keeping its aspect ratio. Fitting it inside could leave a black row if the output size
 * is rounded.
 */
function coveringArea({ width, height, animation }: Pick<RenderInput, 'width' | 'height' | 'animation'>) {
  const scale = Math.max(width / animation.w, height / animation.h);
  const drawnWidth = animation.w * scale;
  const drawnHeight = animation.h * scale;
  return { x: (width - drawnWidth) / 2, y: (height - drawnHeight) / 2, width: drawnWidth, height: drawnHeight };
}

function bytesOf({ buffer, byteOffset, byteLength }: Uint8ClampedArray): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** Size of a square in pixels, and colours of the checkerboard behind transparent pixels. */
const SQUARE = 16;
const GREYS = ['#ffffff', '#d0d0d0'] as const;

async function jpegOverCheckerboard(picture: Canvas, quality: number): Promise<Uint8Array> {
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
