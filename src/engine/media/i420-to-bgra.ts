import { I420_TO_BGRA_WASM } from '../kernel/i420-to-bgra.wasm.ts';

/** The part of the WebAssembly namespace used here; Node's types leave it out. */
declare const WebAssembly: {
  Memory: new (descriptor: { initial: number }) => { readonly buffer: ArrayBuffer };
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: object) => { readonly exports: object };
};

/** Where the first sample of a plane lies, and how far apart its rows begin. */
export interface SamplePlane {
  readonly offset: number;
  readonly stride: number;
}

/** Fixed point with 16 fractional bits; `gu` is what U adds to green. */
export interface YuvFactors {
  readonly yOffset: number;
  readonly y: number;
  readonly rv: number;
  readonly gu: number;
  readonly gv: number;
  readonly bu: number;
}

interface Kernel {
  readonly convert: (...numbers: number[]) => void;
  readonly memory: Uint8Array;
  /** Of the widest rows that there is room for. */
  readonly width: number;
}

const PAGE_BYTES = 65_536;
/** Copied and converted at once: few enough to stay in a core's own cache. Even. */
const STRIP_ROWS = 16;

let module: object | undefined;
let kernel: Kernel | undefined;

/**
 * Eight-bit I420 as opaque BGRA; chroma samples count for all their pixels.
 *
 * @param planes Y, U, V
 */
export function i420ToBgra(
  { width, height, bytes }: { readonly width: number; readonly height: number; readonly bytes: Uint8Array },
  [luma, blue, red]: readonly [SamplePlane, SamplePlane, SamplePlane],
  { yOffset, y, rv, gu, gv, bu }: YuvFactors,
): Uint8ClampedArray {
  const { convert, memory } = kernelFor(width);
  const half = (width + 1) >> 1;
  const uAt = width * STRIP_ROWS;
  const vAt = uAt + (half * STRIP_ROWS) / 2;
  const bgraAt = Math.ceil((vAt + (half * STRIP_ROWS) / 2) / 16) * 16;
  const bgra = new Uint8ClampedArray(width * height * 4);
  const take = ({ offset, stride }: SamplePlane, first: number, rows: number, samples: number, at: number): void => {
    for (let row = 0; row < rows; row++) {
      const from = offset + (first + row) * stride;
      memory.set(bytes.subarray(from, from + samples), at + row * samples);
    }
  };
  for (let row = 0; row < height; row += STRIP_ROWS) {
    const rows = Math.min(STRIP_ROWS, height - row);
    const chromaRows = (rows + 1) >> 1;
    take(luma, row, rows, width, 0);
    take(blue, row / 2, chromaRows, half, uAt);
    take(red, row / 2, chromaRows, half, vAt);
    convert(0, uAt, vAt, width, rows, bgraAt, yOffset, y, rv, gu, gv, bu);
    bgra.set(memory.subarray(bgraAt, bgraAt + width * rows * 4), row * width * 4);
  }
  return bgra;
}

/** One is kept, with room for the widest rows so far. */
function kernelFor(width: number): Kernel {
  if (kernel !== undefined && kernel.width >= width) return kernel;
  module ??= new WebAssembly.Module(Buffer.from(I420_TO_BGRA_WASM, 'base64'));
  // Two bytes a pixel are more than the planes take.
  const memory = new WebAssembly.Memory({ initial: Math.ceil(((width + 2) * STRIP_ROWS * 6) / PAGE_BYTES) + 1 });
  const { convert } = new WebAssembly.Instance(module, { env: { memory } }).exports as Pick<Kernel, 'convert'>;
  kernel = { convert, memory: new Uint8Array(memory.buffer), width };
  return kernel;
}
