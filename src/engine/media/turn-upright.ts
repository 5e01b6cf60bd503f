import { createCanvas, ImageData } from '@napi-rs/canvas';
import type { Picture } from './picture.ts';

/** How a file wants its pictures shown. */
export interface Upright {
  /** Square pixels, after the rotation. */
  readonly width: number;
  readonly height: number;
  /** Clockwise, in degrees; before the flip. */
  readonly rotation: number;
  /** Left and right change places. */
  readonly isFlipped: boolean;
}

/** The picture as its file wants it shown; the picture itself where it is so already. */
export function turnUpright(picture: Picture, { width, height, rotation, isFlipped }: Upright): Picture {
  if (rotation === 0 && !isFlipped && picture.width === width && picture.height === height) return picture;
  const stored = createCanvas(picture.width, picture.height);
  stored.getContext('2d').putImageData(new ImageData(picture.bgra, picture.width, picture.height), 0, 0);
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  context.imageSmoothingQuality = 'high';
  context.translate(width / 2, height / 2);
  if (isFlipped) context.scale(-1, 1);
  context.rotate((rotation * Math.PI) / 180);
  const [across, down] = rotation % 180 === 0 ? [width, height] : [height, width];
  context.drawImage(stored, -across / 2, -down / 2, across, down);
  // The canvas takes blue for red and red for blue, which makes no difference to it.
  return { width, height, bgra: context.getImageData(0, 0, width, height).data, isOpaque: picture.isOpaque };
}
