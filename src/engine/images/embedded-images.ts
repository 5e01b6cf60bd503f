import type { LottieDocument } from '../../template/scene.ts';
import { SceneError } from '../scene-error.ts';
import { checkImage } from './check-image.ts';

/** An image that stands in an animation itself, as a data URI. */
export interface EmbeddedImage {
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
