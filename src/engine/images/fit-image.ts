import { createCanvas, type Image, loadImage } from '@napi-rs/canvas';
import type { SceneImage } from '../../template/scene.ts';
import { SceneError } from '../scene-error.ts';
import { checkImage } from './check-image.ts';
import { drawPlaced } from './draw-placed.ts';
import type { ImageHeader } from './image-header.ts';
import { placeImage } from './place-image.ts';
import { encodeStoredPng } from './stored-png.ts';

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
  drawPlaced(context, picture, placement);
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
