import { readAvif } from './formats/avif.ts';
import { readGif } from './formats/gif.ts';
import type { ImageStructure } from './formats/image-structure.ts';
import { readJpeg } from './formats/jpeg.ts';
import { readPng } from './formats/png.ts';
import { readWebp } from './formats/webp.ts';

export type ImageType = 'png' | 'jpeg' | 'webp' | 'gif' | 'avif';

export interface ImageHeader extends ImageStructure {
  readonly type: ImageType;
}

const FORMATS: readonly {
  readonly type: ImageType;
  readonly matches: (bytes: Buffer) => boolean;
  readonly read: (bytes: Buffer) => ImageStructure | undefined;
}[] = [
  { type: 'png', matches: (b) => startsWith(b, '\x89PNG\r\n\x1a\n'), read: readPng },
  { type: 'jpeg', matches: (b) => startsWith(b, '\xff\xd8\xff'), read: readJpeg },
  { type: 'webp', matches: (b) => startsWith(b, 'RIFF') && b.toString('latin1', 8, 12) === 'WEBP', read: readWebp },
  { type: 'gif', matches: (b) => startsWith(b, 'GIF87a') || startsWith(b, 'GIF89a'), read: readGif },
  { type: 'avif', matches: (b) => /^ftyp(avif|avis|mif1|msf1)/.test(b.toString('latin1', 4, 12)), read: readAvif },
];

/** Tells an image's type by its first bytes, whatever its name says; undefined for anything that is not accepted. */
export function imageTypeOf(bytes: Uint8Array): ImageType | undefined {
  const buffer = asBuffer(bytes);
  return FORMATS.find((format) => format.matches(buffer))?.type;
}

/**
 * Reads type and size without decoding; undefined when the type is not accepted or its header makes no sense.
 * Never throws, never reads more than the structure.
 */
export function readImageHeader(bytes: Uint8Array): ImageHeader | undefined {
  const buffer = asBuffer(bytes);
  const format = FORMATS.find(({ matches }) => matches(buffer));
  if (format === undefined) return undefined;
  try {
    const structure = format.read(buffer);
    if (structure === undefined || structure.width < 1 || structure.height < 1) return undefined;
    return { type: format.type, ...structure };
  } catch (error) {
    // A read beyond the end of the file: the header itself is cut off.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function startsWith(bytes: Buffer, magic: string): boolean {
  return bytes.toString('latin1', 0, magic.length) === magic;
}
