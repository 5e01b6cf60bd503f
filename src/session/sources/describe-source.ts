import { checkImage } from '../../engine/images/check-image.ts';
import { mediaTypeOf } from '../../engine/media/media-type.ts';
import { SceneError } from '../../engine/scene-error.ts';
import { isImage } from '../../template/is-image.ts';
import type { Source, SourceKind } from '../ports.ts';
import { decodingWork } from './decoding-work.ts';
import { MAX_MEDIA_BYTES } from './source-limits.ts';

/** Pixels that decoding everything in a file may write: 25 times the largest picture. */
const MAX_DECODED_PIXELS = 1_000_000_000;

const CLIP_TYPES = { mp4: 'video/mp4', mov: 'video/quicktime', webm: 'video/webm', gif: 'image/gif' } as const;
const SOUND_TYPES = {
  ...{ mp4: 'audio/mp4', mov: 'video/quicktime', webm: 'audio/webm' },
  ...{ mp3: 'audio/mpeg', wav: 'audio/wav', flac: 'audio/flac', ogg: 'audio/ogg', aac: 'audio/aac' },
} as const;

/** What the structure of a file says of it. */
export type SourceDescription = Pick<Source, 'contentType' | 'width' | 'height'>;

/**
 * Reads the structure of a file, not its content. Structure can take long and much memory: a service calls this in a
 * sandboxed process.
 *
 * @param kind `any` for a file whose purpose is not known
 * @throws SceneError asset_too_large, asset_type_unsupported, asset_decode_failed
 */
export async function describeSource(bytes: Uint8Array, kind: SourceKind | 'any'): Promise<SourceDescription> {
  if (kind === 'any') return describeAny(bytes);
  if (kind === 'image' || (kind === 'video' && isImage(bytes))) return describeImage(bytes);
  if (bytes.length > MAX_MEDIA_BYTES) {
    throw new SceneError('asset_too_large', `The file has more than ${MAX_MEDIA_BYTES / 1_000_000} MB`);
  }
  // What reads the structure of media is large, and most sources are images.
  if (kind === 'audio') {
    const { checkSound } = await import('../../engine/media/check-sound.ts');
    return { contentType: SOUND_TYPES[(await checkSound(bytes, '')).type] };
  }
  const { checkClip } = await import('../../engine/media/check-clip.ts');
  const { type, width, height } = await checkClip(bytes, '');
  return { contentType: CLIP_TYPES[type], width, height };
}

async function describeAny(bytes: Uint8Array): Promise<SourceDescription> {
  if (isImage(bytes)) return describeImage(bytes);
  const type = mediaTypeOf(bytes);
  if (type === undefined) {
    const message = 'The file is no image (PNG, JPEG, WebP, GIF, AVIF), no video (MP4, MOV, WebM) and no sound';
    throw new SceneError('asset_type_unsupported', message);
  }
  if (!(type in CLIP_TYPES)) return describeSource(bytes, 'audio');
  return describeSource(bytes, 'video').catch((failure: unknown) => {
    // A file without pictures may have sound.
    return describeSource(bytes, 'audio').catch(() => Promise.reject(failure));
  });
}

function describeImage(bytes: Uint8Array): SourceDescription {
  const header = checkImage({ bytes, name: '' });
  if (decodingWork(bytes, header) > MAX_DECODED_PIXELS) {
    throw new SceneError('asset_too_large', 'The frames or scans of the image have too many pixels in all');
  }
  const { type, width, height } = header;
  return { contentType: `image/${type}`, width, height };
}
