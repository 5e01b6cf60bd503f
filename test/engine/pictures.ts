import { type Canvas, createCanvas } from '@napi-rs/canvas';

/** Red, green, blue and white quarters: upper left, upper right, lower left, lower right. */
export function testPicture(width: number, height: number): Canvas {
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  const colours = ['#ff0000', '#00ff00', '#0000ff', '#ffffff'];
  for (const [index, colour] of colours.entries()) {
    context.fillStyle = colour;
    context.fillRect((index % 2) * (width / 2), Math.floor(index / 2) * (height / 2), width / 2, height / 2);
  }
  return canvas;
}

/** Adds an EXIF block with an orientation of 1..8 to a JPEG. @see EXIF 2.32, 4.6.4 (tag 274) */
export function withExifOrientation(jpeg: Buffer, orientation: number): Buffer {
  const tiff = [0x4d, 0x4d, 0, 0x2a, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0];
  const exif = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), Buffer.from(tiff)]);
  const segment = Buffer.concat([Buffer.from([0xff, 0xe1, 0, exif.length + 2]), exif]);
  return Buffer.concat([jpeg.subarray(0, 2), segment, jpeg.subarray(2)]);
}
