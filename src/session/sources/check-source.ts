import { type Sha256, sha256 } from '../../digest.ts';
import { mediaTypeOf } from '../../engine/media/media-type.ts';
import { SceneError } from '../../engine/scene-error.ts';
import { isImage } from '../../template/is-image.ts';
import { SessionFailure, type Source, type SourceKind } from '../ports.ts';
import { describeInThread } from './describe-in-thread.ts';
import { CLIP_TYPES, describeSource, type SourceDescription } from './describe-source.ts';
import { MAX_MEDIA_BYTES } from './source-limits.ts';

/** Larger media are looked at in a thread of their own: they may hold very much structure. */
const THREAD_FROM_BYTES = 1_000_000;

const TITLES = {
  asset_too_large: 'Asset is too large',
  asset_type_unsupported: 'Asset is nothing that can be used here',
  asset_decode_failed: 'Asset is damaged',
} as const;

/**
 * Looks at a file's structure, in JavaScript, before any decoder sees its bytes: its type goes by what it holds, never
 * by its name or by what a server says.
 *
 * @param digest of the bytes, where it is known already
 * @throws SessionFailure `asset_too_large`, `asset_type_unsupported`, `asset_decode_failed`
 */
export async function checkSource(
  bytes: Uint8Array,
  kind: SourceKind,
  digest: Sha256 = sha256(bytes),
): Promise<Source> {
  return { bytes, sha256: digest, ...(await describe(bytes, kind)) };
}

/** The same for a file of which nobody has said what it is for. */
export async function checkAnySource(bytes: Uint8Array): Promise<Source> {
  const type = isImage(bytes) ? 'image' : mediaTypeOf(bytes);
  if (type === undefined) {
    const detail = 'The file is no image (PNG, JPEG, WebP, GIF, AVIF), no video (MP4, MOV, WebM) and no sound';
    throw new SessionFailure({ code: 'asset_type_unsupported', title: TITLES.asset_type_unsupported, detail });
  }
  if (type === 'image' || !(type in CLIP_TYPES)) return checkSource(bytes, type === 'image' ? 'image' : 'audio');
  return checkSource(bytes, 'video').catch((failure: unknown) => {
    // What has no pictures may have sound.
    return checkSource(bytes, 'audio').catch(() => Promise.reject(failure));
  });
}

async function describe(bytes: Uint8Array, kind: SourceKind): Promise<SourceDescription> {
  try {
    const isLarge = bytes.length > THREAD_FROM_BYTES && bytes.length <= MAX_MEDIA_BYTES;
    const isLong = kind !== 'image' && isLarge && !isImage(bytes);
    return await (isLong ? describeInThread(bytes, kind) : describeSource(bytes, kind));
  } catch (error) {
    if (!(error instanceof SceneError) || !(error.code in TITLES)) throw error;
    const code = error.code as keyof typeof TITLES;
    throw new SessionFailure({ code, title: TITLES[code], detail: error.message }, error);
  }
}
