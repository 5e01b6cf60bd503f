import { ByteView, viewed } from '../../kernel/byte-view.ts';
import type { SourceBytes } from '../../kernel/source-file.ts';
import type { Picture } from '../images/bitmap-file.ts';
import { RenderError } from '../render-error.ts';
import type { ClipPictures } from './picture.ts';

/** First row and row distance of each interlacing pass. @see GIF89a, appendix E */
const PASSES = [
  [0, 8],
  [4, 8],
  [2, 4],
  [1, 2],
] as const;

/**
 * Decodes the pictures of a GIF as browsers show them: each is painted over its predecessor, which was kept, cleared to
 * transparency or replaced by the content before it. Background colours are not painted.
 *
 * @throws RenderError asset_decode_failed
 * @see https://www.w3.org/Graphics/GIF/spec-gif89a.txt section 23 (disposal methods)
 */
export function gifPictures(bytes: SourceBytes, name: string): ClipPictures {
  const gif = readGifFrames(bytes, name);
  const file = ByteView.open(bytes);
  const starts: number[] = [];
  let end = 0;
  for (const frame of gif.frames) {
    starts.push(end);
    end += frame.durationSeconds;
  }
  let screen = newScreen(gif);
  let painted = -1;
  return {
    indexAt(seconds) {
      const next = starts.findIndex((start) => start > seconds + 1e-6);
      return next === -1 ? starts.length - 1 : Math.max(0, next - 1);
    },
    async picture(index) {
      if (index < painted) [screen, painted] = [newScreen(gif), -1];
      while (painted < index) {
        screen.paint(file, gif.frames[painted + 1]!, name);
        painted += 1;
      }
      return screen.picture();
    },
    close: () => file.close(),
  };
}

/** Creates the screen on which frames are painted in sequence. */
function newScreen({ width, height }: Gif) {
  const bgra = new Uint8ClampedArray(width * height * 4);
  let disposePrevious: () => void = () => undefined;
  return {
    paint(file: ByteView, frame: GifFrame, name: string): void {
      disposePrevious();
      const before = frame.disposal === 'restore' ? bgra.slice() : null;
      disposePrevious = () => {
        if (before !== null) bgra.set(before);
        if (frame.disposal === 'clear') clear(frame);
      };
      blit(file, frame, name);
    },
    picture(): Picture {
      return { width, height, bgra: bgra.slice(), isOpaque: isOpaque(bgra) };
    },
  };

  function clear(frame: GifFrame): void {
    const right = Math.min(width, frame.x + frame.width);
    for (let row = frame.y; row < Math.min(height, frame.y + frame.height); row++) {
      if (frame.x < right) bgra.fill(0, (row * width + frame.x) * 4, (row * width + right) * 4);
    }
  }

  function blit(file: ByteView, frame: GifFrame, name: string): void {
    const { palette, transparentIndex } = frame;
    if (palette === null) throw new RenderError('asset_decode_failed', 'The GIF has no colours', { imageName: name });
    const colours = file.bytes(palette.at, palette.at + palette.count * 3);
    const indices = decodeLzw(file.bytes(frame.dataAt, frame.dataEnd), frame.width * frame.height);
    let line = 0;
    for (const row of rowsOf(frame)) {
      const from = line++ * frame.width;
      if (frame.y + row >= height) continue;
      const columns = Math.min(frame.width, width - frame.x, indices.length - from);
      for (let column = 0; column < columns; column++) {
        const index = indices[from + column]!;
        if (index === transparentIndex || index >= palette.count) continue;
        const to = ((frame.y + row) * width + frame.x + column) * 4;
        const colour = index * 3;
        bgra[to] = colours[colour + 2]!;
        bgra[to + 1] = colours[colour + 1]!;
        bgra[to + 2] = colours[colour]!;
        bgra[to + 3] = 255;
      }
    }
  }
}

function* rowsOf({ height, isInterlaced }: GifFrame): Generator<number> {
  for (const [first, distance] of isInterlaced ? PASSES : [[0, 1] as const]) {
    for (let row = first; row < height; row += distance) yield row;
  }
}

function isOpaque(bgra: Uint8ClampedArray): boolean {
  for (let at = 3; at < bgra.length; at += 4) if (bgra[at] !== 255) return false;
  return true;
}

/** A picture of a GIF: the offsets of its parts in the file, its duration and disposal. */
interface GifFrame {
  /** Painted area in pixels; may extend beyond the screen. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly isInterlaced: boolean;
  /** Offset and number of colours, three bytes each; null if neither the frame nor the file has a palette. */
  readonly palette: { readonly at: number; readonly count: number } | null;
  /** Index of the transparent colour. */
  readonly transparentIndex: number | null;
  /** Offset of the byte with the minimum code size, and of the byte after its data. */
  readonly dataAt: number;
  readonly dataEnd: number;
  readonly durationSeconds: number;
  /** Before the next picture: keep this picture, clear its area, or restore the previous content. */
  readonly disposal: 'keep' | 'clear' | 'restore';
}

interface Gif {
  readonly width: number;
  readonly height: number;
  readonly frames: readonly GifFrame[];
  /** The file is truncated and may have had more pictures. */
  readonly isTruncated: boolean;
}

/** Limit for pictures: nearly seven hours at ten a second. */
export const MAX_FRAMES = 250_000;

const EXTENSION = 0x21;
const GRAPHIC_CONTROL = 0xf9;
const IMAGE = 0x2c;
const TRAILER = 0x3b;
/** Shorter delays are replaced by the default, as in browsers. */
const MIN_HUNDREDTHS = 2;
const DEFAULT_HUNDREDTHS = 10;

interface Control {
  readonly disposal: GifFrame['disposal'];
  readonly durationSeconds: number;
  readonly transparentIndex: number | null;
}

const NO_CONTROL: Control = {
  disposal: 'keep',
  durationSeconds: DEFAULT_HUNDREDTHS / 100,
  transparentIndex: null,
};

/**
 * Reads the structure of a GIF without decoding pixels. Of a truncated file, returns the complete pictures.
 *
 * @throws RenderError asset_decode_failed if the file has no complete picture
 * @see https://www.w3.org/Graphics/GIF/spec-gif89a.txt sections 18 (screen), 20 (image), 23 (graphic control)
 */
export function readGifFrames(bytes: SourceBytes, name: string): Gif {
  return viewed(bytes, (file) => framesIn(file, name));
}

function framesIn(file: ByteView, name: string): Gif {
  const frames: GifFrame[] = [];
  let isTruncated = true;
  try {
    isTruncated = !collectFrames(file, frames, name);
  } catch (error) {
    // Reading beyond the end throws a RangeError.
    if (!(error instanceof RangeError)) throw error;
  }
  const [width, height] = file.length < 13 ? [0, 0] : [file.readUInt16LE(6), file.readUInt16LE(8)];
  if (frames.length === 0 || width * height === 0) {
    throw new RenderError('asset_decode_failed', 'The GIF has no picture, or is damaged', { imageName: name });
  }
  return { width, height, frames, isTruncated };
}

/**
 * @returns whether all blocks are complete; many complete files have no trailer
 * @throws RangeError if the file is truncated
 */
function collectFrames(file: ByteView, frames: GifFrame[], name: string): boolean {
  const screenTable = colourTable(file, 10, 13);
  let control = NO_CONTROL;
  let at = 13 + tableBytes(screenTable);
  for (; at < file.length; ) {
    const block = file.readUInt8(at);
    if (block !== EXTENSION && block !== IMAGE) return block === TRAILER;
    if (block === EXTENSION) {
      if (file.readUInt8(at + 1) === GRAPHIC_CONTROL) control = readControl(file, at + 3);
      at = skipSubBlocks(file, at + 2);
      continue;
    }
    const frameTable = colourTable(file, at + 9, at + 10);
    const dataAt = at + 10 + tableBytes(frameTable);
    const dataEnd = skipSubBlocks(file, dataAt + 1);
    const frame = {
      x: file.readUInt16LE(at + 1),
      y: file.readUInt16LE(at + 3),
      width: file.readUInt16LE(at + 5),
      height: file.readUInt16LE(at + 7),
      isInterlaced: (file.readUInt8(at + 9) & 0x40) !== 0,
      palette: frameTable ?? screenTable,
      dataAt,
      dataEnd,
      ...control,
    };
    at = dataEnd;
    frames.push(frame);
    if (frames.length > MAX_FRAMES) {
      throw new RenderError('asset_too_large', `The GIF has more than ${MAX_FRAMES} pictures`, { imageName: name });
    }
    // A graphic control applies to a single picture.
    control = NO_CONTROL;
  }
  return true;
}

function readControl(file: ByteView, at: number): Control {
  const flags = file.readUInt8(at);
  const hundredths = file.readUInt16LE(at + 1);
  const disposal = (flags >> 2) & 7;
  return {
    disposal: disposal === 2 ? 'clear' : disposal === 3 ? 'restore' : 'keep',
    durationSeconds: (hundredths < MIN_HUNDREDTHS ? DEFAULT_HUNDREDTHS : hundredths) / 100,
    transparentIndex: (flags & 1) === 0 ? null : file.readUInt8(at + 3),
  };
}

function colourTable(file: ByteView, flagsAt: number, at: number): GifFrame['palette'] {
  const flags = file.readUInt8(flagsAt);
  return (flags & 0x80) === 0 ? null : { at, count: 2 ** ((flags & 7) + 1) };
}

function tableBytes(table: GifFrame['palette']): number {
  return table === null ? 0 : table.count * 3;
}

/** Returns the offset after a chain of sub-blocks and its terminator. @throws RangeError if the file is truncated */
function skipSubBlocks(file: ByteView, start: number): number {
  let at = start;
  for (let length = file.readUInt8(at); length > 0; length = file.readUInt8(at)) at += 1 + length;
  return at + 1;
}

const MAX_CODES = 4096;

/**
 * Decodes the colour indices of a GIF's image data. Stops at the first invalid code and at the end of the data, so that the
 * result may be shorter than requested. The time is bounded by the length of the input.
 *
 * @param bytes from the byte with the number of bits of an index on
 * @param count number of indices requested
 * @see https://www.w3.org/Graphics/GIF/spec-gif89a.txt appendix F
 */
function decodeLzw(bytes: Uint8Array, count: number): Uint8Array {
  const indexBits = bytes[0] ?? 0;
  if (indexBits < 1 || indexBits > 8) return new Uint8Array(0);
  const clear = 1 << indexBits;
  const end = clear + 1;
  const prefix = new Uint16Array(MAX_CODES);
  const last = new Uint8Array(MAX_CODES);
  const length = new Uint16Array(MAX_CODES);
  for (let code = 0; code < clear; code++) [last[code], length[code]] = [code, 1];

  const out = new Uint8Array(count);
  let written = 0;
  let next = end + 1;
  let codeBits = indexBits + 1;
  let previous = -1;
  let bits = 0;
  let bitCount = 0;
  let from = 1;
  let blockBytesLeft = 0;

  for (;;) {
    while (bitCount < codeBits) {
      if (blockBytesLeft === 0) blockBytesLeft = bytes[from++] ?? 0;
      if (blockBytesLeft === 0 || from >= bytes.length) return out.subarray(0, written);
      bits |= bytes[from++]! << bitCount;
      bitCount += 8;
      blockBytesLeft -= 1;
    }
    const code = bits & ((1 << codeBits) - 1);
    bits >>>= codeBits;
    bitCount -= codeBits;
    if (code === clear) {
      [next, codeBits, previous] = [end + 1, indexBits + 1, -1];
      continue;
    }
    const isNew = code === next && previous !== -1 && next < MAX_CODES;
    if (code === end || !(code < clear || (code > end && code < next) || isNew)) return out.subarray(0, written);

    // Written backwards, because each code stores its last index and its prefix code. A new code is the previous run followed
    // by the first index of that run.
    const storedCode = isNew ? previous : code;
    const runLength = length[storedCode]! + (isNew ? 1 : 0);
    let position = written + length[storedCode]! - 1;
    let first = 0;
    for (let link = storedCode; ; link = prefix[link]!) {
      first = last[link]!;
      if (position < count) out[position] = first;
      position -= 1;
      if (link < clear) break;
    }
    if (isNew && written + runLength <= count) out[written + runLength - 1] = first;
    written = Math.min(count, written + runLength);
    if (written === count) return out;

    if (previous !== -1 && next < MAX_CODES) {
      prefix[next] = previous;
      last[next] = first;
      length[next] = length[previous]! + 1;
      next += 1;
      if (next === 1 << codeBits && codeBits < 12) codeBits += 1;
    }
    previous = code;
  }
}
