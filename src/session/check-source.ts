import { type Sha256, sha256 } from '../digest.ts';
import { checkImage } from '../engine/check-image.ts';
import { SceneError } from '../engine/scene-error.ts';
import { decodingWork } from './decoding-work.ts';
import { SessionFailure, type Source } from './ports.ts';

/** Pixels that decoding everything in a file may write: 25 times the largest picture. */
const MAX_DECODED_PIXELS = 1_000_000_000;

const TITLES = {
  asset_too_large: 'Asset is too large',
  asset_type_unsupported: 'Asset is no image that can be used',
  asset_decode_failed: 'Asset is damaged',
} as const;

/**
 * Looks at an image's structure, in JavaScript, before any decoder sees its bytes: its type goes by what it holds, never
 * by its name or by what a server says.
 *
 * @param digest of the bytes, where it is known already
 * @throws SessionFailure `asset_too_large`, `asset_type_unsupported`, `asset_decode_failed`
 */
export function checkSource(bytes: Uint8Array, digest: Sha256 = sha256(bytes)): Source {
  try {
    const header = checkImage({ bytes, name: '' });
    if (decodingWork(bytes, header) > MAX_DECODED_PIXELS) {
      throw new SceneError('asset_too_large', 'The frames or scans of the image have too many pixels in all');
    }
    const { type, width, height } = header;
    return { bytes, sha256: digest, contentType: `image/${type}`, width, height };
  } catch (error) {
    if (!(error instanceof SceneError) || !(error.code in TITLES)) throw error;
    const code = error.code as keyof typeof TITLES;
    throw new SessionFailure({ code, title: TITLES[code], detail: error.message }, error);
  }
}
