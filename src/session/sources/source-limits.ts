import { MAX_IMAGE_BYTES } from '../../engine/images/check-image.ts';
import type { SourceKind } from '../ports.ts';
import type { FetchWish } from './fetch-source.ts';

/** Bytes of a video or a sound: sources are held in memory, also by the process that renders them. */
export const MAX_MEDIA_BYTES = 200_000_000;

/** What a source of each kind may cost to fetch, and what it is asked for as. */
export const SOURCE_LIMITS: Readonly<Record<SourceKind, FetchWish & { readonly maxBytes: number }>> = {
  image: { maxBytes: MAX_IMAGE_BYTES, accept: 'image/*' },
  video: { maxBytes: MAX_MEDIA_BYTES, timeoutMs: 300_000, accept: 'video/*, image/*' },
  audio: { maxBytes: MAX_MEDIA_BYTES, timeoutMs: 300_000, accept: 'audio/*, video/*' },
};
