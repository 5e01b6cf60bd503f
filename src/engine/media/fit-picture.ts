import { createCanvas, ImageData } from '@napi-rs/canvas';
import type { SceneClip } from '../../template/scene.ts';
import { drawPlaced, placeImage } from '../images/place-image.ts';
import { SceneError } from '../scene-error.ts';
import type { Picture } from './picture.ts';

/**
 * A picture of a clip cut and scaled to the clip's area, as `fitImage` does it with an image.
 *
 * @throws SceneError asset_decode_failed for a manual rectangle beside the picture
 */
export function fitPicture(picture: Picture, { width, height, transform, name }: SceneClip): Picture {
  const placement = placeImage(picture, { width, height }, transform);
  if (placement === undefined) {
    const text = `the part to show lies outside the picture of ${picture.width} × ${picture.height} pixels`;
    throw new SceneError('asset_decode_failed', text, { imageName: name });
  }
  const { source, target } = placement;
  const isWhole = source.width === width && source.height === height && target.width === width;
  if (isWhole && target.height === height && picture.width === width && picture.height === height) return picture;

  // The canvas takes blue for red and red for blue, which makes no difference to what it does.
  const stored = createCanvas(picture.width, picture.height);
  stored.getContext('2d').putImageData(new ImageData(picture.bgra, picture.width, picture.height), 0, 0);
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  const { background, crop_strategy } = transform;
  const hasGround = crop_strategy === 'contain' && background !== undefined;
  if (hasGround) {
    context.fillStyle = `#${background.slice(4, 6)}${background.slice(2, 4)}${background.slice(0, 2)}`;
    context.fillRect(0, 0, width, height);
  }
  drawPlaced(context, stored, placement);
  const isFilled = hasGround || (target.width === width && target.height === height);
  const bgra = context.getImageData(0, 0, width, height).data;
  return { width, height, bgra, isOpaque: isFilled && (picture.isOpaque || hasGround) };
}
