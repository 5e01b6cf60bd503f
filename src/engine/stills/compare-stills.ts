import pixelmatch from 'pixelmatch';
import { type PackedInput, unpackRenderInput } from '../packed-input.ts';
import { checkStills, forEachStill } from './draw-stills.ts';

/** Two versions of an input whose stills are compared. */
export interface StillComparison {
  /** The input whose stills are paired with those of `after` by index; null for a new video. */
  readonly before: PackedInput | null;
  readonly after: PackedInput;
  /** Quality of the JPEGs, 1..100; null to compute only the share. */
  readonly jpegQuality: number | null;
}

export interface ComparedStill {
  /**
   * JPEG with a checkerboard behind transparent pixels; null without that input, or if no pictures were requested.
   */
  readonly before: Uint8Array | null;
  readonly after: Uint8Array | null;
  /** Share of pixels that differ, 0..1; null without a `before`. */
  readonly changedShare: number | null;
}

interface Drawn extends PicturePixels {
  readonly jpeg: Uint8Array | null;
}

/**
 * Draws the stills of `before`, then those of `after`, and compares their raw pixels. Encodes only requested
 * pictures, and equal pictures once. Draws on the calling thread.
 *
 * @param onStill called after each still of either input
 * @returns an entry for each still of `after`, in order
 * @throws RenderError as `renderStills`
 */
export async function compareStills(
  { before, after, jpegQuality }: StillComparison,
  onStill: () => void = () => undefined,
): Promise<ComparedStill[]> {
  const drawn: Drawn[] = [];
  if (before !== null) {
    await drawEach(before, async ({ draw, encode }) => {
      const picture = draw();
      drawn.push({ ...picture, jpeg: jpegQuality === null ? null : await encode(jpegQuality) });
      onStill();
    });
  }
  const compared: ComparedStill[] = [];
  await drawEach(after, async ({ draw, show, encode }) => {
    const previous = drawn[compared.length];
    if (previous === undefined) {
      show();
      compared.push({
        before: null,
        after: jpegQuality === null ? null : await encode(jpegQuality),
        changedShare: null,
      });
      onStill();
      return;
    }
    const picture = draw();
    const share = changedShare(previous, picture);
    let jpeg: Uint8Array | null = null;
    if (jpegQuality !== null) jpeg = isEqual(previous, picture) ? previous.jpeg : await encode(jpegQuality);
    compared.push({ before: previous.jpeg, after: jpeg, changedShare: share });
    onStill();
  });
  return compared;
}

/** A still to draw, which may be encoded after it was drawn. */
interface DrawableStill {
  /** Draws the picture and reads it back. */
  draw(): PicturePixels;
  /** Draws the picture, to encode it. */
  show(): void;
  /** Returns a JPEG. */
  encode(quality: number): Promise<Uint8Array>;
}

async function drawEach(packed: PackedInput, take: (still: DrawableStill) => Promise<void>): Promise<void> {
  const renderInput = unpackRenderInput(packed);
  // Stills have no sound.
  await checkStills({ ...renderInput, sounds: [] });
  const { width, height } = renderInput;
  await forEachStill(renderInput, (_still, frame, rasterizer) =>
    take({
      draw: () => ({ width, height, data: rasterizer.draw(frame) }),
      show: () => rasterizer.show(frame),
      encode: (quality) => rasterizer.encodeJpeg(quality, 'checkerboard'),
    }),
  );
}

/** The raw pixels of a picture. */
export interface PicturePixels {
  readonly width: number;
  readonly height: number;
  /** RGBA, row-major, width*height*4 bytes, straight alpha. */
  readonly data: Uint8Array;
}

function isEqual(first: PicturePixels, second: PicturePixels): boolean {
  if (first.width !== second.width || first.height !== second.height) return false;
  return Buffer.compare(first.data, second.data) === 0;
}

/**
 * Minimum difference of two pixels, as a share 0..1 of the distance between black and white in YIQ: about 8 of 255
 * steps of brightness. It can be low because the same engine draws both sides on the same machine.
 */
const THRESHOLD = 0.03;

/**
 * Returns the share of pixels in which two pictures of this engine differ, 0..1; 1 for different sizes. Antialiased
 * edges count like any other pixel.
 *
 * @see Kotsarenko, Ramos: Measuring perceived color difference using YIQ NTSC transmission color space (2010)
 */
export function changedShare(before: PicturePixels, after: PicturePixels): number {
  const { width, height } = before;
  if (after.width !== width || after.height !== height) return 1;
  if (isEqual(before, after)) return 0;
  const options = { threshold: THRESHOLD, includeAA: true };
  return pixelmatch(before.data, after.data, undefined, width, height, options) / (width * height);
}
