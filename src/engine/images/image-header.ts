import { crc32 } from 'node:zlib';
import { isAvif } from '../../kernel/file-kind.ts';

type ImageType = 'png' | 'jpeg' | 'webp' | 'gif' | 'avif';

export interface ImageHeader extends ImageStructure {
  readonly type: ImageType;
}

const FORMATS: readonly {
  readonly type: ImageType;
  readonly matches: (bytes: Buffer) => boolean;
  readonly read: (bytes: Buffer) => ImageStructure | undefined;
}[] = [
  { type: 'png', matches: (bytes) => startsWith(bytes, '\x89PNG\r\n\x1a\n'), read: readPng },
  { type: 'jpeg', matches: (bytes) => startsWith(bytes, '\xff\xd8\xff'), read: readJpeg },
  { type: 'webp', matches: isWebp, read: readWebp },
  { type: 'gif', matches: (bytes) => startsWith(bytes, 'GIF87a') || startsWith(bytes, 'GIF89a'), read: readGif },
  { type: 'avif', matches: isAvif, read: readAvif },
];

/** Detects an image's type from its first bytes. Returns undefined for a type that is not accepted. */
export function imageTypeOf(bytes: Uint8Array): ImageType | undefined {
  const buffer = asBuffer(bytes);
  return FORMATS.find((format) => format.matches(buffer))?.type;
}

/**
 * Reads type and size without decoding. Returns undefined when the type is not accepted or the header is invalid. Does
 * not throw on malformed files and reads only the file's structure.
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
    // The header is truncated: a field lies beyond the end of the file.
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

function isWebp(bytes: Buffer): boolean {
  return startsWith(bytes, 'RIFF') && bytes.toString('latin1', 8, 12) === 'WEBP';
}

/** Size and completeness that the structure of an image file declares. */
interface ImageStructure {
  /** Pixels that a decoder would allocate: the largest size that the file declares, before any EXIF rotation. */
  readonly width: number;
  readonly height: number;
  /** False when the file ends early or a checksum fails. True does not guarantee that the file decodes. */
  readonly complete: boolean;
}

/** Above the count in any real file of the largest size; hostile files have millions. */
const MAX_CHUNKS = 100_000;

/** @see https://www.w3.org/TR/png-3/ sections 5.3 (chunk layout) and 11.2.1 (IHDR) */
function readPng(bytes: Buffer): ImageStructure | undefined {
  if (bytes.toString('latin1', 12, 16) !== 'IHDR') return undefined;
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20), complete: hasWholeChunks(bytes) };
}

/** Checks that each critical chunk is present with a valid checksum, up to IEND. */
function hasWholeChunks(bytes: Buffer): boolean {
  let at = 8;
  for (let chunks = 0; at + 12 <= bytes.length && chunks < MAX_CHUNKS; chunks++) {
    const length = bytes.readUInt32BE(at);
    const end = at + 12 + length;
    if (end > bytes.length) return false;
    const type = bytes.toString('latin1', at + 4, at + 8);
    const isCritical = /^[A-Z]/.test(type);
    if (isCritical && crc32(bytes.subarray(at + 4, end - 4)) !== bytes.readUInt32BE(end - 4)) return false;
    if (type === 'IEND') return true;
    at = end;
  }
  return false;
}

const SOS = 0xda;
/** Limit for bytes between segments. */
const MAX_PADDING_BYTES = 65_536;
const EOI = Buffer.from([0xff, 0xd9]);

/** @see ITU-T T.81, annex B (markers, B.2.2 frame header) */
function readJpeg(bytes: Buffer): ImageStructure | undefined {
  let size: { width: number; height: number } | undefined;
  let at = 2;
  let paddingBytes = 0;
  while (at < bytes.length) {
    const marker = bytes.readUInt8(at + 1);
    // Skips fill bytes and padding that some encoders leave between segments.
    if (bytes[at] !== 0xff || marker === 0xff || marker === 0) {
      at += 1;
      paddingBytes += 1;
      if (paddingBytes > MAX_PADDING_BYTES) return undefined;
      continue;
    }
    if (marker === SOS) {
      // Searches only after the first scan, because a thumbnail in the metadata has its own end marker.
      return size && { ...size, complete: bytes.lastIndexOf(EOI) > at };
    }
    if (isFrameHeader(marker)) size = { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    at += isStandalone(marker) ? 2 : 2 + bytes.readUInt16BE(at + 2);
  }
  return size && { ...size, complete: false };
}

/** Matches SOF0 to SOF15, except DHT, JPG and DAC, whose codes lie in the same range. */
function isFrameHeader(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

function isStandalone(marker: number): boolean {
  return marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);
}

/** @see RFC 9649, sections 2.4 to 2.7 (container) and 3.4 (VP8L); RFC 6386, section 9.1 (VP8) */
function readWebp(bytes: Buffer): ImageStructure | undefined {
  const size = readSize(bytes);
  return size && { ...size, complete: bytes.length >= 8 + bytes.readUInt32LE(4) };
}

function readSize(bytes: Buffer): { width: number; height: number } | undefined {
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8X':
      return { width: 1 + bytes.readUIntLE(24, 3), height: 1 + bytes.readUIntLE(27, 3) };
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21);
      return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) };
    }
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    default:
      return undefined;
  }
}

const EXTENSION = 0x21;
const IMAGE = 0x2c;

/**
 * Returns the size of the screen or the first frame, whichever is larger; only the first frame is drawn.
 *
 * @see https://www.w3.org/Graphics/GIF/spec-gif89a.txt sections 18 (screen), 20 (image) and 15 (data sub-blocks)
 */
function readGif(bytes: Buffer): ImageStructure | undefined {
  const screen = { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
  let at = 13 + colourTableBytes(bytes.readUInt8(10));
  while (at < bytes.length) {
    const block = bytes.readUInt8(at);
    if (block === EXTENSION) {
      at = skipSubBlocks(bytes, at + 2);
    } else if (block === IMAGE) {
      const width = Math.max(screen.width, bytes.readUInt16LE(at + 1) + bytes.readUInt16LE(at + 5));
      const height = Math.max(screen.height, bytes.readUInt16LE(at + 3) + bytes.readUInt16LE(at + 7));
      const data = at + 10 + colourTableBytes(bytes.readUInt8(at + 9)) + 1;
      return { width, height, complete: skipSubBlocks(bytes, data) <= bytes.length };
    } else {
      return undefined;
    }
  }
  return { ...screen, complete: false };
}

function colourTableBytes(flags: number): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1);
}

/**
 * Returns the offset after a chain of sub-blocks and its terminator, or an offset beyond the end of a truncated chain.
 */
function skipSubBlocks(bytes: Buffer, start: number): number {
  let at = start;
  while (at < bytes.length) {
    const length = bytes[at]!;
    at += 1 + length;
    if (length === 0) return at;
  }
  return bytes.length + 1;
}

/** Boxes that contain the size boxes, with the bytes to skip before their children. */
const CONTAINERS: ReadonlyMap<string, number> = new Map([
  ['meta', 4],
  ['iprp', 0],
  ['ipco', 0],
]);

/** Limit for real images; hostile files have millions of boxes. */
const MAX_BOXES = 10_000;

/**
 * Returns the largest size among the image properties, since tiles and alpha planes have sizes of their own.
 *
 * @see ISO/IEC 23008-12, 6.5.3 (`ispe`); ISO/IEC 14496-12, 4.2 (boxes)
 */
function readAvif(bytes: Buffer): ImageStructure | undefined {
  const sizes: { width: number; height: number }[] = [];
  let boxes = 0;
  const complete = visitBoxes(bytes, 0, bytes.length, (type, at) => {
    boxes += 1;
    if (boxes > MAX_BOXES) return false;
    if (type === 'ispe') sizes.push({ width: bytes.readUInt32BE(at + 4), height: bytes.readUInt32BE(at + 8) });
    return true;
  });
  const [largest] = sizes.sort((a, b) => b.width * b.height - a.width * a.height);
  return largest && { ...largest, complete };
}

/** Calls `visit` with the content of each box. Returns false if `visit` does or if a box extends beyond its parent. */
function visitBoxes(bytes: Buffer, start: number, end: number, visit: (type: string, at: number) => boolean): boolean {
  let at = start;
  while (at + 8 <= end) {
    const [size, header] = boxSize(bytes, at, end);
    if (size < header || at + size > end) return false;
    const type = bytes.toString('latin1', at + 4, at + 8);
    const skip = CONTAINERS.get(type);
    if (!visit(type, at + header)) return false;
    if (skip !== undefined && !visitBoxes(bytes, at + header + skip, at + size, visit)) return false;
    at += size;
  }
  return true;
}

/** Returns the total and header size of a box in bytes. Size 1 means a 64-bit size; 0 extends to the end. */
export function boxSize(
  bytes: Pick<Buffer, 'readUInt32BE' | 'readBigUInt64BE'>,
  at: number,
  end: number,
): [size: number, header: number] {
  const size = bytes.readUInt32BE(at);
  if (size === 1) return [Number(bytes.readBigUInt64BE(at + 8)), 16];
  return [size === 0 ? end - at : size, 8];
}
