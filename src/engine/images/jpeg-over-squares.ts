import { type Canvas, createCanvas } from '@napi-rs/canvas';

/** Size in pixels and colours of the checkerboard behind transparent pixels. */
const SQUARE = 16;
const GREYS = ['#ffffff', '#d0d0d0'] as const;

/** Encodes a picture as a JPEG, with a checkerboard behind transparent pixels. @param quality 1..100 */
export async function jpegOverSquares(picture: Canvas, quality: number): Promise<Uint8Array> {
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
