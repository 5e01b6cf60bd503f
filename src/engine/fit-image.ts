import { createCanvas, type Image, loadImage, type SKRSContext2D } from '@napi-rs/canvas';
import type { SceneImage } from '../template/scene.ts';
import { checkImage, MAX_IMAGE_PIXELS } from './check-image.ts';
import type { ImageHeader } from './image-header.ts';
import { type Placement, placeImage } from './place-image.ts';
import { SceneError } from './scene-error.ts';
import { encodeStoredPng } from './stored-png.ts';

/** From this reduction on, drawing at twice the size first removes most of the aliasing of a direct reduction. */
const SUPERSAMPLED_REDUCTION = 1.25;

/**
 * The picture as the template needs it: upright, cut and scaled to its area, alpha kept, as a PNG.
 *
 * @throws SceneError with the image's name: asset_type_unsupported, asset_too_large, asset_decode_failed
 */
export async function fitImage(image: SceneImage): Promise<Buffer> {
  const header = checkImage(image);
  const picture = await decode(image, header);
  const placement = placeImage(picture, image, image.transform);
  if (placement === undefined) {
    throw failed(image, `the part to show lies outside the picture of ${picture.width} × ${picture.height} pixels`);
  }
  const canvas = createCanvas(image.width, image.height);
  const context = canvas.getContext('2d');
  const { background, crop_strategy } = image.transform;
  if (crop_strategy === 'contain' && background !== undefined) {
    context.fillStyle = `#${background}`;
    context.fillRect(0, 0, image.width, image.height);
  }
  drawScaled(context, picture, placement);
  return encodeStoredPng(context.getImageData(0, 0, image.width, image.height).data, image.width, image.height);
}

async function decode(image: SceneImage, header: ImageHeader): Promise<Image> {
  const { buffer, byteOffset, byteLength } = image.bytes;
  let picture: Image;
  try {
    picture = await loadImage(Buffer.from(buffer, byteOffset, byteLength));
  } catch (cause) {
    throw failed(image, `The ${header.type.toUpperCase()} image cannot be decoded`, cause);
  }
  if (picture.width * picture.height === 0) throw failed(image, 'The picture is empty');
  return picture;
}

function failed(image: Pick<SceneImage, 'name'>, problem: string, cause?: unknown): SceneError {
  return new SceneError('asset_decode_failed', problem, { imageName: image.name, cause });
}

function drawScaled(context: SKRSContext2D, picture: Image, { source, target }: Placement): void {
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
