import { createCanvas, type Image, loadImage } from '@napi-rs/canvas';
import { sha256 } from '../../digest.ts';
import type { SceneImage } from '../../template/scene.ts';
import { SceneError } from '../scene-error.ts';
import { checkImage } from './check-image.ts';
import type { ImageHeader } from './image-header.ts';
import { drawPlaced, placeImage } from './place-image.ts';
import { encodeStoredPng } from './png-file.ts';

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

/** Those of some frames of 1920 × 1080. */
const MAX_KEPT_BYTES = 48 * 1024 * 1024;

/**
 * Pictures that were fitted, each content once while it is in use: the videos of a template, and a video before and
 * after a change, have most of them in common.
 */
export class FittedImageCache {
  readonly #maxBytes: number;
  /** By what they were made from; the least recently used one first. */
  readonly #kept = new Map<string, Buffer>();
  #bytes = 0;

  /** @param maxBytes of all that is kept; what is larger than half of that is not */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * The picture as `fitImage` makes it.
   *
   * @returns PNG; not to be written to
   * @throws SceneError as `fitImage`
   */
  async fit(image: SceneImage): Promise<Buffer> {
    const { width, height, transform } = image;
    const key = JSON.stringify([sha256(image.bytes), width, height, transform]);
    const png = this.#kept.get(key) ?? (await fitImage(image));
    this.#keep(key, png);
    return png;
  }

  #keep(key: string, png: Buffer): void {
    if (png.length > this.#maxBytes / 2) return;
    if (!this.#kept.delete(key)) this.#bytes += png.length;
    this.#kept.set(key, png);
    for (const [oldest, { length }] of this.#kept) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#kept.delete(oldest);
      this.#bytes -= length;
    }
  }
}

/** Of this thread. */
export const fittedImageCache = new FittedImageCache(MAX_KEPT_BYTES);
