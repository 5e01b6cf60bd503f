import { type Canvas, createCanvas, type Image, type SKRSContext2D } from '@napi-rs/canvas';
import { MAX_IMAGE_PIXELS } from './check-image.ts';
import type { Placement } from './place-image.ts';

/** From this reduction on, drawing at twice the size first removes most of the aliasing of a direct reduction. */
const SUPERSAMPLED_REDUCTION = 1.25;

/** Draws the part of a picture that a placement names onto its target. */
export function drawPlaced(context: SKRSContext2D, picture: Image | Canvas, { source, target }: Placement): void {
  context.imageSmoothingQuality = 'high';
  const reduction = Math.max(source.width / target.width, source.height / target.height);
  const [width, height] = [target.width * 2, target.height * 2];
  if (reduction < SUPERSAMPLED_REDUCTION || width * height > MAX_IMAGE_PIXELS) {
    const { x, y } = target;
    context.drawImage(picture, source.x, source.y, source.width, source.height, x, y, target.width, target.height);
    return;
  }
  const double = createCanvas(width, height);
  const doubleContext = double.getContext('2d');
  doubleContext.imageSmoothingQuality = 'high';
  doubleContext.drawImage(picture, source.x, source.y, source.width, source.height, 0, 0, width, height);
  context.drawImage(double, 0, 0, width, height, target.x, target.y, target.width, target.height);
}
