import { wrongKind } from '../../kernel/file-kind.ts';
import type { InputImage, LottieDocument } from '../../template/render-input.ts';
import { RenderError } from '../render-error.ts';
import { type ImageHeader, imageTypeOf, readImageHeader } from './image-header.ts';
import { hasExcessiveMetadata, MAX_METADATA_BYTES } from './png-metadata.ts';

export const MAX_IMAGE_BYTES = 50_000_000;
export const MAX_IMAGE_PIXELS = 40_000_000;

/**
 * Rejects an image before any decoder sees it: a type that is not accepted (such as SVG), too many bytes, too many
 * pixels according to the header, a PNG whose metadata unpack to too many bytes, or a truncated file.
 *
 * @throws RenderError as `fitImage`
 */
export function checkImage(image: Pick<InputImage, 'bytes' | 'name'>): ImageHeader {
  const { bytes, name: imageName } = image;
  if (bytes.length > MAX_IMAGE_BYTES) {
    const text = `The image has ${bytes.length} bytes; the limit is ${MAX_IMAGE_BYTES}`;
    throw new RenderError('asset_too_large', text, { imageName });
  }
  const type = imageTypeOf(bytes);
  if (type === undefined) {
    const text = `The file ${wrongKind(bytes, 'a PNG, JPEG, WebP, GIF or AVIF image')}`;
    throw new RenderError('asset_type_unsupported', text, { imageName });
  }
  const header = readImageHeader(bytes);
  if (header === undefined)
    throw new RenderError('asset_decode_failed', `The header of the ${type.toUpperCase()} image is damaged`, {
      imageName,
    });
  if (header.width * header.height > MAX_IMAGE_PIXELS) {
    const text = `The image has ${header.width} × ${header.height} pixels; the limit is ${MAX_IMAGE_PIXELS} in total`;
    throw new RenderError('asset_too_large', text, { imageName });
  }
  if (type === 'png' && hasExcessiveMetadata(bytes)) {
    const text = `The metadata of the PNG unpack to more than ${MAX_METADATA_BYTES / 1_000_000} MB; export it without metadata`;
    throw new RenderError('asset_too_large', text, { imageName });
  }
  if (!header.complete) throw new RenderError('asset_decode_failed', 'The file is truncated or damaged', { imageName });
  return header;
}

/** An image embedded in an animation as a data URI. */
interface EmbeddedImage {
  readonly assetId: string;
  readonly bytes: Uint8Array;
}

/** Returns the images embedded in an animation, regardless of the flags of their assets. @see RFC 2397 */
export function embeddedImages({ assets }: Pick<LottieDocument, 'assets'>): EmbeddedImage[] {
  return (assets ?? []).flatMap(({ id, p: path }) => {
    if (typeof path !== 'string' || !/^data:/i.test(path)) return [];
    return [{ assetId: id, bytes: Buffer.from(path.slice(path.indexOf(',') + 1), 'base64') }];
  });
}

/**
 * Applies `checkImage` to the images embedded in an animation.
 *
 * @param supplied ids of assets whose images are separate from the animation and checked elsewhere
 * @throws RenderError as `checkImage`
 */
export function checkEmbeddedImages(animation: LottieDocument, supplied: ReadonlySet<string>): void {
  for (const { assetId, bytes } of embeddedImages(animation)) {
    if (supplied.has(assetId)) continue;
    try {
      checkImage({ bytes, name: assetId });
    } catch (error) {
      if (!(error instanceof RenderError)) throw error;
      // No editable fills the image, so the error names only the asset.
      throw new RenderError(error.code, `Asset ${assetId} of the animation: ${error.message}`, { cause: error });
    }
  }
}
