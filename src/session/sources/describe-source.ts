import { checkImage } from '../../engine/images/check-image.ts';
import { SceneError } from '../../engine/scene-error.ts';
import { isImage } from '../../template/is-image.ts';
import type { Source, SourceKind } from '../ports.ts';
import { decodingWork } from './decoding-work.ts';
import { MAX_MEDIA_BYTES } from './source-limits.ts';

/** Pixels that decoding everything in a file may write: 25 times the largest picture. */
const MAX_DECODED_PIXELS = 1_000_000_000;

export const CLIP_TYPES = { mp4: 'video/mp4', mov: 'video/quicktime', webm: 'video/webm', gif: 'image/gif' } as const;
const SOUND_TYPES = {
  ...{ mp4: 'audio/mp4', mov: 'video/quicktime', webm: 'audio/webm' },
  ...{ mp3: 'audio/mpeg', wav: 'audio/wav', flac: 'audio/flac', ogg: 'audio/ogg', aac: 'audio/aac' },
} as const;

/** What the structure of a file says of it. */
export type SourceDescription = Pick<Source, 'contentType' | 'width' | 'height'>;

/**
 * Reads a file's structure, and nothing beyond it. One of media can take long: `describeInThread` bounds that.
 *
 * @throws SceneError asset_too_large, asset_type_unsupported, asset_decode_failed
 */
export async function describeSource(bytes: Uint8Array, kind: SourceKind): Promise<SourceDescription> {
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

function describeImage(bytes: Uint8Array): SourceDescription {
  const header = checkImage({ bytes, name: '' });
  if (decodingWork(bytes, header) > MAX_DECODED_PIXELS) {
    throw new SceneError('asset_too_large', 'The frames or scans of the image have too many pixels in all');
  }
  const { type, width, height } = header;
  return { contentType: `image/${type}`, width, height };
}
