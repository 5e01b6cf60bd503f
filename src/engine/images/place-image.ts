import { type Canvas, createCanvas, type Image, type SKRSContext2D } from '@napi-rs/canvas';
import { TRANSFORM_DEFAULTS } from '../../contract/wire/defaults.ts';
import type { Transform } from '../../contract/wire/mapping.ts';
import { MAX_IMAGE_PIXELS } from './check-image.ts';

interface Size {
  readonly width: number;
  readonly height: number;
}

interface Rectangle extends Size {
  readonly x: number;
  readonly y: number;
}

/** The rectangle of a picture to draw and the rectangle of the area to draw it into, in pixels. */
interface Placement {
  readonly source: Rectangle;
  /** Whole pixels. */
  readonly target: Rectangle;
}

/**
 * Computes where a picture is drawn. `cover`, `contain` and `fill` work as in CSS `object-fit`; `manual` crops to a
 * rectangle that then covers the area. `focus_x` and `focus_y` choose the part that `cover` keeps. Returns undefined
 * when a manual rectangle lies outside the picture.
 *
 * @param picture upright, after EXIF rotation
 * @see https://www.w3.org/TR/css-images-3/#the-object-fit
 */
export function placeImage(picture: Size, area: Size, transform: Transform): Placement | undefined {
  const whole = { x: 0, y: 0, width: picture.width, height: picture.height };
  const everywhere = { x: 0, y: 0, width: area.width, height: area.height };
  switch (transform.crop_strategy) {
    case 'fill':
      return { source: whole, target: everywhere };
    case 'contain':
      return { source: whole, target: largestWithin(area, picture) };
    case 'manual': {
      const rectangle = manualRectangle(picture, transform);
      return rectangle && { source: coveringPart(rectangle, area, transform), target: everywhere };
    }
    default:
      return { source: coveringPart(whole, area, transform), target: everywhere };
  }
}

/** Returns the largest part of `rectangle` with the proportions of the area. */
function coveringPart(rectangle: Rectangle, area: Size, transform: Transform): Rectangle {
  const { focus_x, focus_y } = { ...TRANSFORM_DEFAULTS.image, ...transform };
  const scale = Math.max(area.width / rectangle.width, area.height / rectangle.height);
  const width = Math.min(rectangle.width, area.width / scale);
  const height = Math.min(rectangle.height, area.height / scale);
  return {
    x: rectangle.x + (rectangle.width - width) * focus_x,
    y: rectangle.y + (rectangle.height - height) * focus_y,
    width,
    height,
  };
}

/** Returns the picture's rectangle scaled to fit and centred in the area; at least one pixel in each direction. */
function largestWithin(area: Size, picture: Size): Rectangle {
  const scale = Math.min(area.width / picture.width, area.height / picture.height);
  const width = Math.max(1, Math.round(picture.width * scale));
  const height = Math.max(1, Math.round(picture.height * scale));
  return { x: Math.round((area.width - width) / 2), y: Math.round((area.height - height) / 2), width, height };
}

/** Clips the crop rectangle to the picture; missing fields extend to the picture's edge. */
function manualRectangle(picture: Size, transform: Transform): Rectangle | undefined {
  const { crop_x = 0, crop_y = 0 } = transform;
  const right = Math.min(picture.width, crop_x + (transform.crop_width ?? picture.width));
  const bottom = Math.min(picture.height, crop_y + (transform.crop_height ?? picture.height));
  const x = Math.max(0, crop_x);
  const y = Math.max(0, crop_y);
  const rectangle = { x, y, width: right - x, height: bottom - y };
  return rectangle.width > 0 && rectangle.height > 0 ? rectangle : undefined;
}

/** From this reduction on, drawing at twice the size first removes most of the aliasing. */
const SUPERSAMPLED_REDUCTION = 1.25;

/**
 * Draws the source rectangle of a placement onto its target.
 *
 * @param isOpaque whether all pixels of the picture certainly are
 */
export function drawPlaced(
  context: SKRSContext2D,
  picture: Image | Canvas,
  { source, target }: Placement,
  isOpaque: boolean,
): void {
  context.imageSmoothingQuality = 'high';
  const reduction = Math.max(source.width / target.width, source.height / target.height);
  const [width, height] = [target.width * 2, target.height * 2];
  const isAtDouble = [source, picture].every((size) => size.width === width && size.height === height);
  // Drawing an opaque picture at its own size first would only copy its pixels.
  if ((isAtDouble && isOpaque) || reduction < SUPERSAMPLED_REDUCTION || width * height > MAX_IMAGE_PIXELS) {
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
