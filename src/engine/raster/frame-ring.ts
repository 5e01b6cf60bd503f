import { RGBA_TO_I420_WASM } from '../color/rgba-to-i420.wasm.ts';
import type { PixelFormat } from '../writers/frame-writer.ts';

/** The part of the WebAssembly namespace used here; Node's types leave it out. */
declare const WebAssembly: {
  Memory: new (descriptor: {
    initial: number;
    maximum: number;
    shared: boolean;
  }) => { readonly buffer: SharedArrayBuffer };
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: object) => { readonly exports: object };
};

type Convert = (rgba: number, width: number, rows: number, y: number, u: number, v: number) => void;

const PAGE_BYTES = 65_536;
/** Copied and converted at once: 0.25 MB at 1920 pixels, which stays in a core's own cache. */
const STRIP_ROWS = 32;
/** Frames between the two threads; more than enough to cover the raster worker's pauses for a still. */
export const RING_SLOTS = 3;

/** Format of the frames in a ring: size, with even sides, and pixel format. */
export interface RingFormat {
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  readonly pixels: PixelFormat;
}

/** Bytes of one frame. @see PixelFormat */
export function frameBytes({ width, height, pixels }: RingFormat): number {
  return pixels === 'i420' ? (width * height * 3) / 2 : width * height * 4;
}

/** The frame in a slot of a ring, as a view of the shared memory: valid until the slot is written again. */
export function ringFrame(buffer: SharedArrayBuffer, format: RingFormat, slot: number): Uint8Array {
  return new Uint8Array(buffer, slotOffset(format, slot), frameBytes(format));
}

/** A fixed number of frames in memory that two threads share, and the conversion into them. */
export interface FrameRing {
  /** For `ringFrame` on the reading thread. */
  readonly buffer: SharedArrayBuffer;
  /**
   * Keeps a frame in a slot: as it is, or converted to BT.709, limited range, chroma averaged over 2×2 pixels.
   *
   * @param rgba row-major, width*height*4 bytes; for `i420` opaque (alpha is ignored); copied
   * @see ITU-R BT.709-6, items 3.2–3.4 and 4.6
   */
  put(rgba: Uint8Array, slot: number): void;
  /** Keeps in a slot what is in another one. */
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
      const y = slotOffset(format, slot);
      for (let row = 0; row < height; row += STRIP_ROWS) {
        input.set(rgba.subarray(row * width * 4, row * width * 4 + stripBytes));
        const u = y + area + (row / 2) * (width / 2);
        convert(0, width, Math.min(STRIP_ROWS, height - row), y + row * width, u, u + area / 4);
      }
    },
    copy(from, to) {
      ringFrame(memory.buffer, format, to).set(ringFrame(memory.buffer, format, from));
    },
  };
}

/** One strip of RGBA lies first, the slots after it, each at a multiple of 64 bytes. */
function slotOffset(format: RingFormat, slot: number): number {
  const slotBytes = Math.ceil(frameBytes(format) / 64) * 64;
  return Math.ceil((format.width * STRIP_ROWS * 4) / 64) * 64 + slot * slotBytes;
}
