import { isUtf8 } from 'node:buffer';
import { MAX_CAPTIONS_BYTES } from '../../../contract/wire/captions.ts';
import { checkImage, MAX_IMAGE_BYTES } from '../../../engine/images/check-image.ts';
import type { ImageHeader } from '../../../engine/images/image-header.ts';
import { mediaTypeOf } from '../../../engine/media/media-type.ts';
import { RenderError } from '../../../engine/render-error.ts';
import { wrongKind } from '../../../kernel/file-kind.ts';
import { headOf, type SourceBytes } from '../../../kernel/source-file.ts';
import { isImage } from '../../../template/bind/bind-media.ts';
import { textProblems } from '../check-captions.ts';
import type { FetchedSource, SourceKind } from '../ports.ts';
import type { FetchOverrides } from './fetch-source.ts';

/** Maximum pixels that decoding all of a file may write: 25 times the largest picture. */
const MAX_DECODED_PIXELS = 1_000_000_000;

const CLIP_TYPES = { mp4: 'video/mp4', mov: 'video/quicktime', webm: 'video/webm', gif: 'image/gif' } as const;
const SOUND_TYPES = {
  mp4: 'audio/mp4',
  mov: 'video/quicktime',
  webm: 'audio/webm',
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  flac: 'audio/flac',
  ogg: 'audio/ogg',
  aac: 'audio/aac',
  aiff: 'audio/aiff',
  caf: 'audio/x-caf',
  ac3: 'audio/ac3',
  wma: 'audio/x-ms-wma',
} as const;

/** Facts read from the structure of a file. */
export type SourceDescription = Pick<FetchedSource, 'contentType' | 'width' | 'height'>;

/**
 * Reads the structure of a file without decoding it. Can take much time and memory: services call it in a sandboxed
 * process.
 *
 * @param bytes in memory for an image, and for captions that are not too large
 * @param kind `any` for a file of unknown purpose
 * @throws RenderError asset_too_large, asset_type_unsupported, asset_decode_failed
 */
export async function describeSource(bytes: SourceBytes, kind: SourceKind | 'any'): Promise<SourceDescription> {
  if (kind === 'any') return describeAny(bytes);
  if (kind === 'captions') return describeCaptions(bytes);
  if (kind === 'image') return describeImage(bytesInMemory(bytes));
  if (kind === 'video' && bytes instanceof Uint8Array && isImage(bytes)) {
    const description = describeImage(bytes);
    refuseAnimation(bytes);
    return description;
  }
  if (bytes.length > MAX_MEDIA_BYTES) {
    throw new RenderError('asset_too_large', `The file is larger than ${MAX_MEDIA_BYTES / 1_000_000} MB`);
  }
  // Loaded lazily: the media readers are large, and most sources are images.
  if (kind === 'audio') {
    const { checkSound } = await import('../../../engine/media/check-media.ts');
    return { contentType: SOUND_TYPES[(await checkSound(bytes, '')).type] };
  }
  const { checkClip } = await import('../../../engine/media/check-media.ts');
  const { type, width, height } = await checkClip(bytes, '');
  return { contentType: CLIP_TYPES[type], width, height };
}

/** An image in place of a clip is a still. @throws RenderError asset_type_unsupported for an animated image */
function refuseAnimation(bytes: Uint8Array): void {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const format = ANIMATED_FORMATS.find(([, isAnimated]) => isAnimated(file))?.[0];
  if (format === undefined) return;
  const message = `An animated ${format} does not play as a clip; convert it to MP4, WebM or GIF`;
  throw new RenderError('asset_type_unsupported', message);
}

const ANIMATION_FLAG = 0x02;

/** @see RFC 9649, section 2.7 (VP8X); https://www.w3.org/TR/png-3/ section 11.3.6.1 (acTL); AV1 Image File Format, 8 (avis) */
const ANIMATED_FORMATS: readonly (readonly [name: string, isAnimated: (file: Buffer) => boolean])[] = [
  ['WebP', (file) => file.toString('latin1', 8, 16) === 'WEBPVP8X' && ((file[20] ?? 0) & ANIMATION_FLAG) !== 0],
  // The chunk precedes the image data.
  ['PNG', (file) => file[0] === 0x89 && animationChunk(file) > 1],
  ['AVIF', (file) => file.toString('latin1', 4, 12) === 'ftypavis'],
];

/** Returns the number of frames that a PNG announces; 0 for a still. */
function animationChunk(file: Buffer): number {
  for (let at = 8; at + 12 <= file.length; at += 12 + file.readUInt32BE(at)) {
    const type = file.toString('latin1', at + 4, at + 8);
    if (type === 'acTL') return file.readUInt32BE(at + 8);
    if (type === 'IDAT') return 0;
  }
  return 0;
}

async function describeAny(bytes: SourceBytes): Promise<SourceDescription> {
  if (isImage(headOf(bytes))) return describeImage(bytesInMemory(bytes));
  if (isWebVtt(headOf(bytes))) return describeCaptions(bytes);
  const type = mediaTypeOf(bytes);
  if (type === undefined) {
    const wanted = 'a supported image (PNG, JPEG, WebP, GIF, AVIF), video (MP4, MOV, WebM), sound or WebVTT';
    throw new RenderError('asset_type_unsupported', `The file ${wrongKind(headOf(bytes), wanted)}`);
  }
  if (!(type in CLIP_TYPES)) return describeSource(bytes, 'audio');
  return describeSource(bytes, 'video').catch((failure: unknown) => {
    // A file without video may have sound.
    return describeSource(bytes, 'audio').catch(() => Promise.reject(failure));
  });
}

function bytesInMemory(bytes: SourceBytes): Uint8Array {
  if (bytes instanceof Uint8Array) return bytes;
  throw new Error('Internal error: an image or captions are not in memory');
}

/** Returns whether a file has to be in memory to be described: an image, and captions that are not too large. */
export function isReadWhole(bytes: SourceBytes, kind: SourceKind | 'any'): boolean {
  const head = headOf(bytes);
  return kind === 'image' || isImage(head) || (isWebVtt(head) && bytes.length <= MAX_CAPTIONS_BYTES);
}

/** Returns whether a file claims to be WebVTT. @see https://www.w3.org/TR/webvtt1/#file-parsing */
function isWebVtt(bytes: Uint8Array): boolean {
  return /^(?:\xef\xbb\xbf)?WEBVTT(?:[ \t\r\n]|$)/.test(Buffer.from(bytes.subarray(0, 10)).toString('latin1'));
}

function describeCaptions(source: SourceBytes): SourceDescription {
  if (source.length > MAX_CAPTIONS_BYTES) {
    throw new RenderError('asset_too_large', `The captions are larger than ${MAX_CAPTIONS_BYTES / 1_000_000} MB`);
  }
  const head = headOf(source);
  if (!isWebVtt(head)) throw new RenderError('asset_type_unsupported', `The file ${wrongKind(head, 'WebVTT')}`);
  const bytes = bytesInMemory(source);
  if (!isUtf8(bytes)) throw new RenderError('asset_decode_failed', 'The captions are not encoded as UTF-8');
  const [problem] = textProblems(captionsText(bytes));
  if (problem !== undefined) throw new RenderError('asset_decode_failed', `The captions cannot be used: ${problem}`);
  return { contentType: 'text/vtt' };
}

/** Returns the text of captions, without the byte order mark. */
export function captionsText(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

function describeImage(bytes: Uint8Array): SourceDescription {
  const header = checkImage({ bytes, name: '' });
  if (decodingWork(bytes, header) > MAX_DECODED_PIXELS) {
    throw new RenderError('asset_too_large', 'The frames or scans of the image have too many pixels in total');
  }
  const { type, width, height } = header;
  return { contentType: `image/${type}`, width, height };
}

/** Maximum bytes of a video or a sound. */
export const MAX_MEDIA_BYTES = 200_000_000;

/** Fetch limits and Accept headers of each kind of source. */
export const SOURCE_LIMITS: Readonly<Record<SourceKind, FetchOverrides & { readonly maxBytes: number }>> = {
  image: { maxBytes: MAX_IMAGE_BYTES, accept: 'image/*' },
  video: { maxBytes: MAX_MEDIA_BYTES, timeoutMs: 300_000, accept: 'video/*, image/*' },
  audio: { maxBytes: MAX_MEDIA_BYTES, timeoutMs: 300_000, accept: 'audio/*, video/*' },
  captions: { maxBytes: MAX_CAPTIONS_BYTES, accept: 'text/vtt' },
};

/**
 * Counts the pixels that decoding all of a file would write: every frame of an animation and every scan of a
 * progressive JPEG. Small files can name very many of them.
 *
 * Reads only the structure and stops at malformed data. AVIF counts as its largest picture.
 *
 * @param header of the same file
 */
function decodingWork(bytes: Uint8Array, header: ImageHeader): number {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const picture = header.width * header.height;
  try {
    switch (header.type) {
      case 'gif':
        return Math.max(picture, gifFrames(buffer));
      case 'webp':
        return Math.max(picture, webpFrames(buffer));
      case 'png':
        return picture + pngFrames(buffer);
      case 'jpeg':
        return picture * Math.max(1, jpegScans(buffer));
      case 'avif':
        return picture;
    }
  } catch (error) {
    // A read beyond the end of the file.
    if (error instanceof RangeError) return picture;
    throw error;
  }
}

/** @see https://www.w3.org/Graphics/GIF/spec-gif89a.txt sections 15 and 20 */
function gifFrames(bytes: Buffer): number {
  const table = (flags: number): number => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1));
  let pixels = 0;
  let at = 13 + table(bytes.readUInt8(10));
  while (at < bytes.length && (bytes[at] === 0x21 || bytes[at] === 0x2c)) {
    if (bytes[at] === 0x2c && at + 10 <= bytes.length) {
      pixels += bytes.readUInt16LE(at + 5) * bytes.readUInt16LE(at + 7);
      at += 11 + table(bytes.readUInt8(at + 9));
    } else {
      at += 2;
    }
    // Sub-blocks, up to an empty sub-block.
    for (let length = bytes[at] ?? 0; length > 0; length = bytes[at] ?? 0) at += 1 + length;
    at += 1;
  }
  return pixels;
}

/** @see RFC 9649, section 2.7.1.1 (ANMF) */
function webpFrames(bytes: Buffer): number {
  const ANMF = 0x464d4e41;
  let pixels = 0;
  for (let at = 12; at + 24 <= bytes.length; ) {
    if (bytes.readUInt32LE(at) === ANMF)
      pixels += (1 + bytes.readUIntLE(at + 14, 3)) * (1 + bytes.readUIntLE(at + 17, 3));
    const length = bytes.readUInt32LE(at + 4);
    at += 8 + length + (length & 1);
  }
  return pixels;
}

/** @see https://www.w3.org/TR/png-3/ section 11.3.6.1 (fcTL) */
function pngFrames(bytes: Buffer): number {
  const FCTL = 0x6663544c;
  let pixels = 0;
  for (let at = 8; at + 20 <= bytes.length; at += 12 + bytes.readUInt32BE(at)) {
    if (bytes.readUInt32BE(at + 4) === FCTL) pixels += bytes.readUInt32BE(at + 12) * bytes.readUInt32BE(at + 16);
  }
  return pixels;
}

/** @see ITU-T T.81, B.1.1 (markers; a zero after 0xff is data, RST0 to RST7 belong to a scan) */
function jpegScans(bytes: Buffer): number {
  let scans = 0;
  let at = 2;
  while (at + 1 < bytes.length) {
    const marker = bytes[at + 1]!;
    if (bytes[at] !== 0xff || marker === 0 || marker === 0xff || (marker >= 0xd0 && marker <= 0xd8) || marker === 1) {
      at += 1;
      continue;
    }
    if (marker === 0xd9) return scans;
    if (marker === 0xda) scans += 1;
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return scans;
}
