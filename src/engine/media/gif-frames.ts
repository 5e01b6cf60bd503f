import { SceneError } from '../scene-error.ts';

/** One picture of a GIF: where its parts lie in the file, and what becomes of it. */
export interface GifFrame {
  /** Of the part of the screen that it paints, in pixels; it may reach beyond the screen. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly isInterlaced: boolean;
  /** Offset and number of colours, three bytes each; null where the file has no palette for it. */
  readonly palette: { readonly at: number; readonly count: number } | null;
  /** Index of the colour that leaves what is below. */
  readonly transparentIndex: number | null;
  /** Of the byte that says how many bits a code starts with. */
  readonly dataAt: number;
  readonly durationSeconds: number;
  /** What of it stays for the next picture: all, nothing (the part is cleared), or what was there before. */
  readonly disposal: 'keep' | 'clear' | 'restore';
}

export interface Gif {
  readonly width: number;
  readonly height: number;
  readonly frames: readonly GifFrame[];
  /** It breaks off in the middle of something, and may have had more pictures. */
  readonly isCut: boolean;
}

/** Nearly seven hours of ten pictures a second. */
export const MOST_FRAMES = 250_000;

const EXTENSION = 0x21;
const GRAPHIC_CONTROL = 0xf9;
const IMAGE = 0x2c;
const TRAILER = 0x3b;
/** As browsers do: what asks for 0 or 1 hundredth of a second gets ten. */
const SHORTEST_HUNDREDTHS = 2;
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
 * The structure of a GIF, without decoding a pixel. A file that breaks off keeps the pictures that came whole.
 *
 * @throws SceneError asset_decode_failed where there is no picture
 * @see https://www.w3.org/Graphics/GIF/spec-gif89a.txt sections 18 (screen), 20 (image), 23 (graphic control)
 */
export function readGifFrames(bytes: Uint8Array, name: string): Gif {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const frames: GifFrame[] = [];
  let isCut = true;
  try {
    isCut = !collectFrames(file, frames, name);
  } catch (error) {
    // A read beyond the end.
    if (!(error instanceof RangeError)) throw error;
  }
  const [width, height] = file.length < 13 ? [0, 0] : [file.readUInt16LE(6), file.readUInt16LE(8)];
  if (frames.length === 0 || width * height === 0) {
    throw new SceneError('asset_decode_failed', 'The GIF has no picture, or is damaged', { imageName: name });
  }
  return { width, height, frames, isCut };
}

/**
 * @returns whether all of its blocks came whole; many files lack the trailer alone
 * @throws RangeError at the end of a file that breaks off
 */
function collectFrames(file: Buffer, frames: GifFrame[], name: string): boolean {
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
    const ownTable = colourTable(file, at + 9, at + 10);
    const dataAt = at + 10 + tableBytes(ownTable);
    const frame = {
      x: file.readUInt16LE(at + 1),
      y: file.readUInt16LE(at + 3),
      width: file.readUInt16LE(at + 5),
      height: file.readUInt16LE(at + 7),
      isInterlaced: (file.readUInt8(at + 9) & 0x40) !== 0,
      palette: ownTable ?? screenTable,
      dataAt,
      ...control,
    };
    at = skipSubBlocks(file, dataAt + 1);
    frames.push(frame);
    if (frames.length > MOST_FRAMES) {
      throw new SceneError('asset_too_large', `The GIF has more than ${MOST_FRAMES} pictures`, { imageName: name });
    }
    // It counts for one picture alone.
    control = NO_CONTROL;
  }
  return true;
}

function readControl(file: Buffer, at: number): Control {
  const flags = file.readUInt8(at);
  const hundredths = file.readUInt16LE(at + 1);
  const disposal = (flags >> 2) & 7;
  return {
    disposal: disposal === 2 ? 'clear' : disposal === 3 ? 'restore' : 'keep',
    durationSeconds: (hundredths < SHORTEST_HUNDREDTHS ? DEFAULT_HUNDREDTHS : hundredths) / 100,
    transparentIndex: (flags & 1) === 0 ? null : file.readUInt8(at + 3),
  };
}

function colourTable(file: Buffer, flagsAt: number, at: number): GifFrame['palette'] {
  const flags = file.readUInt8(flagsAt);
  return (flags & 0x80) === 0 ? null : { at, count: 2 ** ((flags & 7) + 1) };
}

function tableBytes(table: GifFrame['palette']): number {
  return table === null ? 0 : table.count * 3;
}

/** The offset behind a chain of sub-blocks and its terminator. @throws RangeError */
function skipSubBlocks(file: Buffer, start: number): number {
  let at = start;
  for (let length = file.readUInt8(at); length > 0; length = file.readUInt8(at)) at += 1 + length;
  return at + 1;
}
