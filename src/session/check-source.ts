import { type Sha256, sha256 } from '../digest.ts';
import { checkImage } from '../engine/check-image.ts';
import { mediaTypeOf } from '../engine/media/media-type.ts';
import { SceneError } from '../engine/scene-error.ts';
import { isImage } from '../template/is-image.ts';
import { decodingWork } from './decoding-work.ts';
import { SessionFailure, type Source, type SourceKind } from './ports.ts';
import { MAX_MEDIA_BYTES } from './source-limits.ts';

/** Pixels that decoding everything in a file may write: 25 times the largest picture. */
const MAX_DECODED_PIXELS = 1_000_000_000;

const TITLES = {
  asset_too_large: 'Asset is too large',
  asset_type_unsupported: 'Asset is nothing that can be used here',
  asset_decode_failed: 'Asset is damaged',
} as const;

const CLIP_TYPES = { mp4: 'video/mp4', mov: 'video/quicktime', webm: 'video/webm', gif: 'image/gif' } as const;
const SOUND_TYPES = {
  ...{ mp4: 'audio/mp4', mov: 'video/quicktime', webm: 'audio/webm' },
  ...{ mp3: 'audio/mpeg', wav: 'audio/wav', flac: 'audio/flac', ogg: 'audio/ogg', aac: 'audio/aac' },
} as const;

type Described = Pick<Source, 'contentType' | 'width' | 'height'>;

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
  return { bytes, sha256: digest, ...(await described(() => describe(bytes, kind))) };
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

async function described(describe: () => Promise<Described>): Promise<Described> {
  try {
    return await describe();
  } catch (error) {
    if (!(error instanceof SceneError) || !(error.code in TITLES)) throw error;
    const code = error.code as keyof typeof TITLES;
    throw new SessionFailure({ code, title: TITLES[code], detail: error.message }, error);
  }
}

async function describe(bytes: Uint8Array, kind: SourceKind): Promise<Described> {
  if (kind === 'image' || (kind === 'video' && isImage(bytes))) return describeImage(bytes);
  if (bytes.length > MAX_MEDIA_BYTES) {
    throw new SceneError('asset_too_large', `The file has more than ${MAX_MEDIA_BYTES / 1_000_000} MB`);
  }
  // What reads the structure of media is large, and most sources are images.
  if (kind === 'audio') {
    const { checkSound } = await import('../engine/media/check-sound.ts');
    return { contentType: SOUND_TYPES[(await checkSound(bytes, '')).type] };
  }
  const { checkClip } = await import('../engine/media/check-clip.ts');
  const { type, width, height } = await checkClip(bytes, '');
  return { contentType: CLIP_TYPES[type], width, height };
}

function describeImage(bytes: Uint8Array): Described {
  const header = checkImage({ bytes, name: '' });
  if (decodingWork(bytes, header) > MAX_DECODED_PIXELS) {
    throw new SceneError('asset_too_large', 'The frames or scans of the image have too many pixels in all');
  }
  const { type, width, height } = header;
  return { contentType: `image/${type}`, width, height };
}
