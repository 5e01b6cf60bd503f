import { createCanvas, loadImage } from '@napi-rs/canvas';

/** A decoded picture. */
export interface PicturePixels {
  readonly width: number;
  readonly height: number;
  /** RGBA, row-major, width*height*4 bytes, straight alpha. */
  readonly data: Uint8ClampedArray;
}

/** The squares that stand for what is transparent, in pixels, and their greys. */
const SQUARE = 16;
const GREYS = ['#ffffff', '#d0d0d0'] as const;

/** Decodes a picture that this engine drew itself: what comes from elsewhere is checked before native code sees it. */
export async function readPixels(bytes: Uint8Array): Promise<PicturePixels> {
  const image = await loadImage(Buffer.from(bytes));
  const { width, height } = image;
  const context = createCanvas(width, height).getContext('2d');
  context.drawImage(image, 0, 0);
  return { width, height, data: context.getImageData(0, 0, width, height).data };
}

/**
 * A picture that this engine drew itself as a JPEG; what is transparent lies over grey squares.
 *
 * @param quality 1..100
 */
export async function pictureAsJpeg(bytes: Uint8Array, quality: number): Promise<Uint8Array> {
  const image = await loadImage(Buffer.from(bytes));
  const { width, height } = image;
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d', { alpha: false });
  for (let y = 0; y < height; y += SQUARE) {
    for (let x = 0; x < width; x += SQUARE) {
      context.fillStyle = GREYS[((x + y) / SQUARE) % 2]!;
      context.fillRect(x, y, SQUARE, SQUARE);
    }
  }
  context.drawImage(image, 0, 0);
  return canvas.encode('jpeg', quality);
}
