import { createCanvas, ImageData } from '@napi-rs/canvas';
import type { TemporaryFile } from '../../kernel/temporary-file.ts';
import { LAYER_TYPE } from '../../template/lottie/lottie-layers.ts';
import type { InputClip, InputImage, LottieDocument } from '../../template/render-input.ts';
import type { FrameRange } from '../frame-rate.ts';
import type { Picture } from '../images/bitmap-file.ts';
import { checkImage } from '../images/check-image.ts';
import { drawFitted } from '../images/fit-image.ts';
import { clipTimes } from '../media/clip-times.ts';
import { openClip, pictureId, precomposition, samplesAt } from '../media/clip-windows.ts';
import { fitPicture } from '../media/picture.ts';
import { RenderError } from '../render-error.ts';
import { ownClock } from '../scenes/scene-clock.ts';

/** An asset of a document. */
export type Asset = NonNullable<LottieDocument['assets']>[number];

/** Quality of pictures that were compressed with loss before. */
const JPEG_QUALITY = 90;

/** Embeds an image in its asset, cropped and scaled. Lossless, unless the source is a JPEG. @throws RenderError as `drawFitted` */
export async function imageAsset(asset: Asset, image: InputImage): Promise<Asset> {
  const canvas = await drawFitted(image);
  // A contained image may be transparent at its sides.
  const isPhoto = checkImage(image).type === 'jpeg' && image.transform.crop_strategy !== 'contain';
  const bytes = isPhoto ? await canvas.encode('jpeg', JPEG_QUALITY) : await canvas.encode('png');
  return { ...asset, u: '', p: dataUri(isPhoto ? 'image/jpeg' : 'image/png', bytes), e: 1 };
}

/** Returns bytes as the path of an embedded asset. */
function dataUri(type: string, bytes: Uint8Array): string {
  return `data:${type};base64,${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')}`;
}

/** Bytes that are encoded at once: a multiple of three, so that the texts are those of the whole file. */
const ENCODED_BYTES = 3 * 2 ** 16;

/** Returns the path of an embedded asset in texts that follow each other, because a file may be larger than memory. */
export async function* dataUriTexts(type: string, file: TemporaryFile): AsyncGenerator<string> {
  yield `data:${type};base64,`;
  for (let start = 0; start < file.size; start += ENCODED_BYTES) {
    const bytes = await file.bytes({ start, end: Math.min(start + ENCODED_BYTES, file.size) });
    yield bytes.toString('base64');
  }
}

/** Maximum bytes of the pictures of all clips of a document: players hold them in memory. */
const MAX_PICTURE_BYTES = 256_000_000;

/** Limits the pictures of a document. */
export class PictureBudget {
  #bytes = 0;

  /** @throws RenderError asset_too_large */
  add(bytes: number, name: string): void {
    this.#bytes += bytes;
    if (this.#bytes <= MAX_PICTURE_BYTES) return;
    const text = `The pictures of the clips take more than ${MAX_PICTURE_BYTES / 1_000_000} MB, and a Lottie file contains them one by one`;
    throw new RenderError('asset_too_large', text, { imageName: name });
  }
}

interface ClipToExport {
  /** Image layers still show the clip. */
  readonly animation: LottieDocument;
  /** Frames of the animation that are shown. */
  readonly frames: FrameRange;
  readonly budget: PictureBudget;
}

/**
 * Returns the assets that show a clip: a composition with a layer for each picture, in the time of its template, and the pictures.
 *
 * @throws RenderError as `openClip`; asset_too_large
 */
export async function clipAssets(clip: InputClip, { animation, frames, budget }: ClipToExport): Promise<Asset[]> {
  const times = clipTimes(clip, ownClock({ animation, fps: animation.fr }), animation);
  const open = await openClip({ clip, ...times }, [frames]);
  try {
    const samples = Array.from({ length: frames.end - frames.first }, (_, at) => samplesAt(open, frames.first + at));
    const composition = precomposition(clip, clip.assetId, samples.flat());
    const indices = [...new Set(samples.flat().map(({ index }) => index))].sort((a, b) => a - b);
    const assets: Asset[] = [{ ...composition, layers: composition.layers.map((layer) => ({ ddd: 0, ...layer })) }];
    for (const index of indices) {
      const path = await encodedPicture(fitPicture(await open.pictures.picture(index), clip));
      budget.add(path.length, clip.name);
      const { width: w, height: h } = clip;
      assets.push({ id: pictureId(clip.assetId, index), w, h, u: '', p: path, e: 1 });
    }
    return assets;
  } finally {
    open.pictures.close();
  }
}

async function encodedPicture({ width, height, bgra, isOpaque }: Picture): Promise<string> {
  const rgba = new Uint8ClampedArray(bgra);
  for (let at = 0; at < rgba.length; at += 4) [rgba[at], rgba[at + 2]] = [rgba[at + 2]!, rgba[at]!];
  const canvas = createCanvas(width, height);
  canvas.getContext('2d').putImageData(new ImageData(rgba, width, height), 0, 0);
  return isOpaque
    ? dataUri('image/jpeg', await canvas.encode('jpeg', JPEG_QUALITY))
    : dataUri('image/png', await canvas.encode('png'));
}

/** Returns the fields of a layer that shows a clip. */
export function clipLayer({ width, height }: InputClip): object {
  return { ty: LAYER_TYPE.precomposition, w: width, h: height };
}
