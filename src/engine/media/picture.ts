import { createCanvas, ImageData } from '@napi-rs/canvas';
import type { InputClip } from '../../template/render-input.ts';
import type { Picture } from '../images/bitmap-file.ts';
import { drawPlaced, placeImage } from '../images/place-image.ts';
import { RenderError } from '../render-error.ts';

/** Image files to write to a folder, by name. */
export type PictureFiles = readonly (readonly [name: string, bytes: Uint8Array])[];

/** The pictures of a clip in display order. The caller must close it. */
export interface ClipPictures {
  /** Returns the index of the picture shown at a time: the last picture that has started, or else the first. */
  indexAt(seconds: number): number;
  /** Decodes a picture; fastest in ascending order. @throws RenderError asset_decode_failed, asset_type_unsupported */
  picture(index: number): Promise<Picture>;
  /** May be called again. */
  close(): void;
}

/**
 * Crops and scales a picture to the clip's area, as `fitImage` does with an image.
 *
 * @throws RenderError asset_decode_failed if a manual rectangle lies outside the picture
 */
export function fitPicture(picture: Picture, { width, height, transform, name }: InputClip): Picture {
  const placement = placeImage(picture, { width, height }, transform);
  if (placement === undefined) {
    const text = `the part to show lies outside the picture of ${picture.width} × ${picture.height} pixels`;
    throw new RenderError('asset_decode_failed', text, { imageName: name });
  }
  const { source, target } = placement;
  const isWhole = source.width === width && source.height === height && target.width === width;
  if (isWhole && target.height === height && picture.width === width && picture.height === height) return picture;

  // The canvas swaps red and blue, which does not affect scaling.
  const stored = createCanvas(picture.width, picture.height);
  stored.getContext('2d').putImageData(new ImageData(picture.bgra, picture.width, picture.height), 0, 0);
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  const { background, crop_strategy } = transform;
  const hasBackground = crop_strategy === 'contain' && background !== undefined;
  if (hasBackground) {
    context.fillStyle = `#${background.slice(4, 6)}${background.slice(2, 4)}${background.slice(0, 2)}`;
    context.fillRect(0, 0, width, height);
  }
  drawPlaced(context, stored, placement, picture.isOpaque);
  const isFilled = hasBackground || (target.width === width && target.height === height);
  const bgra = context.getImageData(0, 0, width, height).data;
  return { width, height, bgra, isOpaque: isFilled && (picture.isOpaque || hasBackground) };
}

/** Size and orientation in which a file's pictures are displayed. */
export interface Orientation {
  /** Size in square pixels, after the rotation. */
  readonly width: number;
  readonly height: number;
  /** Clockwise, in degrees; applied before the flip. */
  readonly rotation: number;
  /** Mirrored horizontally. */
  readonly isFlipped: boolean;
}

/** Rotates, flips and scales a picture for display. Returns the same picture if it needs no change. */
export function applyRotation(picture: Picture, { width, height, rotation, isFlipped }: Orientation): Picture {
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
  // The canvas swaps red and blue, which does not affect the result.
  return { width, height, bgra: context.getImageData(0, 0, width, height).data, isOpaque: picture.isOpaque };
}
