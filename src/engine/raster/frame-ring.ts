import { RGBA_TO_I420_WASM } from '../color/rgba-to-i420.wasm.ts';
import type { PixelFormat } from '../pixel-format.ts';

/** The part of the WebAssembly namespace used here, which Node's types lack. */
declare const WebAssembly: {
  Memory: new (descriptor: {
    initial: number;
    maximum: number;
    shared: boolean;
  }) => { readonly buffer: SharedArrayBuffer };
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: object) => { readonly exports: object };
};

type Convert = (rgba: number, width: number, rows: number, luma: number, blue: number, red: number) => void;

const PAGE_BYTES = 65_536;
/** Rows copied and converted together: 0.25 MB at a width of 1920 pixels, which fits a core's own cache. */
const STRIP_ROWS = 32;
/** One frame is encoded while the next is drawn. Getting the pages of more takes longer than the waiting that they would save. */
export const RING_SLOTS = 2;

/** Format of the frames in a ring. */
export interface RingFormat {
  /** Even number of pixels, as is `height`. */
  readonly width: number;
  readonly height: number;
  readonly pixels: PixelFormat;
}

/** Returns the size of a frame in bytes. @see PixelFormat */
export function frameBytes({ width, height, pixels }: RingFormat): number {
  return pixels === 'i420' ? (width * height * 3) / 2 : width * height * 4;
}

/** Returns the frame in a slot as a view of the shared memory, valid until the slot is overwritten. */
export function ringFrame(buffer: SharedArrayBuffer, format: RingFormat, slot: number): Uint8Array {
  return new Uint8Array(buffer, slotOffset(format, slot), frameBytes(format));
}

/** Memory for a fixed number of frames, shared by two threads. */
export interface FrameRing {
  /** For `ringFrame` on the reading thread. */
  readonly buffer: SharedArrayBuffer;
  /**
   * Copies a frame to a slot. For `i420` converts it to BT.709, limited range, with chroma averaged over 2×2 pixels.
   *
   * @param rgba row-major, width*height*4 bytes; `i420` ignores alpha
   * @see ITU-R BT.709-6, items 3.2–3.4 and 4.6
   */
  put(rgba: Uint8Array, slot: number): void;
  /** Copies a frame between two slots. */
  copy(from: number, to: number): void;
}

export function createFrameRing(format: RingFormat): FrameRing {
  const { width, height, pixels } = format;
  const pages = Math.ceil(slotOffset(format, RING_SLOTS) / PAGE_BYTES);
  const memory = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
  const module = new WebAssembly.Module(Buffer.from(RGBA_TO_I420_WASM, 'base64'));
  const { convert } = new WebAssembly.Instance(module, { env: { memory } }).exports as { convert: Convert };
  const area = width * height;
  const stripBytes = width * STRIP_ROWS * 4;
  const input = new Uint8Array(memory.buffer, 0, stripBytes);
  return {
    buffer: memory.buffer,
    put(rgba, slot) {
      if (pixels !== 'i420') return ringFrame(memory.buffer, format, slot).set(rgba);
      const lumaAt = slotOffset(format, slot);
      for (let row = 0; row < height; row += STRIP_ROWS) {
        input.set(rgba.subarray(row * width * 4, row * width * 4 + stripBytes));
        const blueAt = lumaAt + area + (row / 2) * (width / 2);
        convert(0, width, Math.min(STRIP_ROWS, height - row), lumaAt + row * width, blueAt, blueAt + area / 4);
      }
    },
    copy(from, to) {
      ringFrame(memory.buffer, format, to).set(ringFrame(memory.buffer, format, from));
    },
  };
}

/** Returns the offset of a slot. The slots follow a strip of RGBA, each aligned to 64 bytes. */
function slotOffset(format: RingFormat, slot: number): number {
  const slotBytes = Math.ceil(frameBytes(format) / 64) * 64;
  return Math.ceil((format.width * STRIP_ROWS * 4) / 64) * 64 + slot * slotBytes;
}
