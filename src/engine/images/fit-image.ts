import { type Canvas, createCanvas, type Image, loadImage } from '@napi-rs/canvas';
import { knownSha256 } from '../../kernel/digest.ts';
import type { InputImage } from '../../template/render-input.ts';
import { freeBuffers } from '../free-buffers.ts';
import { RenderError } from '../render-error.ts';
import { opaqueBitmapFile } from './bitmap-file.ts';
import { checkImage } from './check-image.ts';
import type { ImageHeader } from './image-header.ts';
import { drawPlaced, placeImage } from './place-image.ts';
import { channelsOf, encodeStoredPng } from './png-file.ts';

/** An image at the size of its area, in the format that the rasteriser reads fastest. */
export interface FittedImage {
  /** A bitmap if all pixels are opaque. With alpha, an uncompressed PNG is read faster. */
  readonly type: 'bmp' | 'png';
  readonly bytes: Buffer;
}

/**
 * Renders an image at the size of its area.
 *
 * @throws RenderError as `drawFitted`
 */
export async function fitImage(image: InputImage): Promise<FittedImage> {
  return storable(await drawFitted(image));
}

/**
 * Renders an image at several sizes, and decodes it once.
 *
 * @param sizes of the same image; not empty
 * @throws RenderError as `drawFitted`
 */
export async function fitSizes(sizes: readonly InputImage[]): Promise<FittedImage[]> {
  const headers = sizes.map(checkImage);
  const picture = await decode(sizes[0]!, headers[0]!);
  return sizes.map((image, at) => storable(drawDecoded(image, headers[at]!, picture)));
}

function storable(canvas: Canvas): FittedImage {
  const { width, height } = canvas;
  // The canvas multiplies by alpha, which changes nothing in an opaque picture.
  const multiplied = canvas.data();
  if (channelsOf(multiplied) === 3) return { type: 'bmp', bytes: opaqueBitmapFile(multiplied, width, height) };
  const { data } = canvas.getContext('2d').getImageData(0, 0, width, height);
  return { type: 'png', bytes: encodeStoredPng(data, width, height) };
}

/**
 * Draws an image at the size of its area: upright, cropped and scaled, with alpha.
 *
 * @throws RenderError with the image's name: asset_type_unsupported, asset_too_large, asset_decode_failed
 */
export async function drawFitted(image: InputImage): Promise<Canvas> {
  const header = checkImage(image);
  return drawDecoded(image, header, await decode(image, header));
}

function drawDecoded(image: InputImage, header: ImageHeader, picture: Image): Canvas {
  const placement = placeImage(picture, image, image.transform);
  if (placement === undefined) {
    throw failed(image, `the crop rectangle is outside the image of ${picture.width} × ${picture.height} pixels`);
  }
  const canvas = createCanvas(image.width, image.height);
  const context = canvas.getContext('2d');
  const { background, crop_strategy } = image.transform;
  if (crop_strategy === 'contain' && background !== undefined) {
    context.fillStyle = `#${background}`;
    context.fillRect(0, 0, image.width, image.height);
  }
  drawPlaced(context, picture, placement, header.type === 'jpeg');
  return canvas;
}

async function decode(image: InputImage, header: ImageHeader): Promise<Image> {
  const { buffer, byteOffset, byteLength } = image.bytes;
  let picture: Image;
  try {
    picture = await loadImage(Buffer.from(buffer, byteOffset, byteLength));
  } catch (cause) {
    throw failed(image, `The ${header.type.toUpperCase()} image cannot be decoded`, cause);
  }
  if (picture.width * picture.height === 0) throw failed(image, 'The image is empty');
  return picture;
}

function failed(image: Pick<InputImage, 'name'>, problem: string, cause?: unknown): RenderError {
  return new RenderError('asset_decode_failed', problem, { imageName: image.name, cause });
}

/** Returns the key of an image's content, size and transform. */
export function imageKey({ bytes, width, height, transform }: InputImage): string {
  return JSON.stringify([knownSha256(bytes), width, height, transform]);
}

/** Eight images of 1920 × 1080, of four bytes a pixel; an image of 3840 × 2160 is cached too. */
const MAX_KEPT_BYTES = 64 * 1024 * 1024;

/**
 * Caches fitted images by content, because videos of the same template, and the two versions of a changed video, share
 * most of their images.
 */
export class FittedImageCache {
  readonly #maxBytes: number;
  /** Key: the image's digest, size and transform. Ordered from least to most recently used. */
  readonly #kept = new Map<string, FittedImage>();
  readonly #pending = new Map<string, Promise<FittedImage>>();
  /** Those that another thread fits. */
  readonly #expected = new Map<string, Promise<FittedImage | null>>();
  #bytes = 0;

  /** @param maxBytes limit for the whole cache; images larger than half of it are not cached */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * Returns the result of `fitImage`, cached; read-only.
   *
   * @throws RenderError as `fitImage`
   */
  async fit(image: InputImage): Promise<FittedImage> {
    const key = imageKey(image);
    const fitted = this.#kept.get(key) ?? (await this.#expected.get(key)) ?? (await this.#fitOnce(key, image));
    this.#keep(key, fitted);
    return fitted;
  }

  /** Caches an image that was fitted elsewhere. */
  add(image: InputImage, fitted: FittedImage): void {
    this.#keep(imageKey(image), fitted);
  }

  /** Waits for an image that is fitted elsewhere when it is needed. @param given resolves to null if it has to be fitted here */
  expect(image: InputImage, given: Promise<FittedImage | null>): void {
    const key = imageKey(image);
    const taken = given.then((fitted) => {
      this.#expected.delete(key);
      if (fitted !== null) this.#keep(key, fitted);
      return fitted;
    });
    this.#expected.set(key, taken);
  }

  /** Fits images in their order. While one is drawn, another thread decodes the next. @throws RenderError as `fitImage` */
  async fitAll(images: readonly InputImage[]): Promise<FittedImage[]> {
    const fitted: FittedImage[] = [];
    let ahead: Promise<FittedImage> | undefined;
    for (const [at, image] of images.entries()) {
      const current = ahead ?? this.fit(image);
      const next = images[at + 1];
      ahead = next && this.fit(next);
      // Awaited in its turn, unless an image before it fails.
      ahead?.catch(() => undefined);
      fitted.push(await current);
      // The next image takes the memory of the picture and its canvases, whose pages cost more than drawing.
      freeBuffers();
    }
    return fitted;
  }

  #fitOnce(key: string, image: InputImage): Promise<FittedImage> {
    const pending = this.#pending.get(key) ?? fitImage(image).finally(() => this.#pending.delete(key));
    this.#pending.set(key, pending);
    return pending;
  }

  #keep(key: string, fitted: FittedImage): void {
    const { length } = fitted.bytes;
    if (length > this.#maxBytes / 2) return;
    if (!this.#kept.delete(key)) this.#bytes += length;
    this.#kept.set(key, fitted);
    for (const [oldest, { bytes }] of this.#kept) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#kept.delete(oldest);
      this.#bytes -= bytes.length;
    }
  }
}

/** The cache of this thread. */
export const fittedImageCache = new FittedImageCache(MAX_KEPT_BYTES);
