import type { LottieDocument, SceneImage } from '../../template/scene.ts';
import { SceneError } from '../scene-error.ts';
import { type ImageHeader, imageTypeOf, readImageHeader } from './image-header.ts';

export const MAX_IMAGE_BYTES = 50_000_000;
export const MAX_IMAGE_PIXELS = 40_000_000;

/**
 * Refuses what no decoder should see: a type that is not accepted (SVG among them), too many bytes, a header that promises
 * too many pixels, a file that is cut off.
 *
 * @throws SceneError as `fitImage`
 */
export function checkImage(image: Pick<SceneImage, 'bytes' | 'name'>): ImageHeader {
  const { bytes, name: imageName } = image;
  if (bytes.length > MAX_IMAGE_BYTES) {
    const text = `The image has ${bytes.length} bytes; it may have up to ${MAX_IMAGE_BYTES}`;
    throw new SceneError('asset_too_large', text, { imageName });
  }
  const type = imageTypeOf(bytes);
  if (type === undefined) {
    const text = 'The file is not a PNG, JPEG, WebP, GIF or AVIF image';
    throw new SceneError('asset_type_unsupported', text, { imageName });
  }
  const header = readImageHeader(bytes);
  if (header === undefined)
    throw new SceneError('asset_decode_failed', `The header of the ${type.toUpperCase()} image is damaged`, {
      imageName,
    });
  if (header.width * header.height > MAX_IMAGE_PIXELS) {
    const text = `The image has ${header.width} × ${header.height} pixels; it may have up to ${MAX_IMAGE_PIXELS} in all`;
    throw new SceneError('asset_too_large', text, { imageName });
  }
  if (!header.complete) throw new SceneError('asset_decode_failed', 'The file is cut off or damaged', { imageName });
  return header;
}

/** An image that stands in an animation itself, as a data URI. */
interface EmbeddedImage {
  readonly assetId: string;
  readonly bytes: Uint8Array;
}

/** The images inside an animation, whatever its assets say that they are. @see RFC 2397 */
export function embeddedImages({ assets }: Pick<LottieDocument, 'assets'>): EmbeddedImage[] {
  return (assets ?? []).flatMap(({ id, p }) =>
    typeof p === 'string' && /^data:/i.test(p)
      ? [{ assetId: id, bytes: Buffer.from(p.slice(p.indexOf(',') + 1), 'base64') }]
      : [],
  );
}

/**
 * Refuses embedded images that no decoder should see.
 *
 * @param supplied assets whose images come beside the animation, and are looked at there
 * @throws SceneError as `checkImage`
 */
export function checkEmbeddedImages(animation: LottieDocument, supplied: ReadonlySet<string>): void {
  for (const { assetId, bytes } of embeddedImages(animation)) {
    if (supplied.has(assetId)) continue;
    try {
      checkImage({ bytes, name: assetId });
    } catch (error) {
      if (!(error instanceof SceneError)) throw error;
      // No editable has it, so that the error names the asset alone.
      throw new SceneError(error.code, `Asset ${assetId} of the animation: ${error.message}`, { cause: error });
    }
  }
}
