import { I420_TO_BGRA_WASM } from './i420-to-bgra.wasm.ts';

/** A decoded picture, with the planes of its format. */
export interface DecodedPlanes {
  /** Name of the format in WebCodecs. */
  readonly format: string;
  readonly width: number;
  readonly height: number;
  readonly bytes: Uint8Array;
  readonly layout: readonly SamplePlane[];
}

export interface YuvColour {
  readonly matrix: 'bt601' | 'bt709' | 'bt2020';
  readonly isFullRange: boolean;
}

/** Kr and Kb. @see ITU-R BT.601-7, 2.5.1; BT.709-6, 3.2; BT.2020-2, table 4 */
const WEIGHTS = { bt601: [0.299, 0.114], bt709: [0.2126, 0.0722], bt2020: [0.2627, 0.0593] } as const;

const FORMAT = /^I(420|422|444)(A?)(?:P(10|12))?$/;

/**
 * Converts a decoded picture to BGRA with straight alpha; undefined for an unsupported format. Chroma samples are repeated for all
 * of their pixels.
 *
 * @see ITU-T H.273, 8.3 (ranges and matrices)
 */
export function yuvToBgra(planes: DecodedPlanes, colour: YuvColour): Uint8ClampedArray | undefined {
  const { format, width, height, bytes } = planes;
  if (format === 'BGRA' || format === 'BGRX' || format === 'RGBA' || format === 'RGBX') return packedToBgra(planes);
  // The format of nearly every video.
  if (format === 'I420') {
    const [luma, blue, red] = planes.layout;
    return i420ToBgra(planes, [luma!, blue!, red!], coefficients(colour, 0));
  }
  const isNv12 = format === 'NV12';
  const match = FORMAT.exec(isNv12 ? 'I420' : format);
  if (match === null) return undefined;
  const [, sampling, alpha, depth = '8'] = match;
  const shift = Number(depth) - 8;
  const samples = shift === 0 ? bytes : new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >> 1);
  const unit = shift === 0 ? 1 : 2;
  const plane = (index: number) => {
    const { offset, stride } = planes.layout[index]!;
    return { at: offset / unit, stride: stride / unit };
  };
  const [luma, blue] = [plane(0), plane(1)];
  const red = isNv12 ? { ...blue, at: blue.at + 1 } : plane(2);
  const across = sampling === '444' ? 0 : 1;
  const down = sampling === '420' ? 1 : 0;
  const step = isNv12 ? 2 : 1;
  const factors = coefficients(colour, shift);
  const half = 1 << 15;
  const bgra = new Uint8ClampedArray(width * height * 4);
  for (let row = 0, to = 0; row < height; row++) {
    const yRow = luma.at + row * luma.stride;
    const uRow = blue.at + (row >> down) * blue.stride;
    const vRow = red.at + (row >> down) * red.stride;
    for (let column = 0; column < width; column++, to += 4) {
      const light = (samples[yRow + column]! - factors.yOffset) * factors.y + half;
      const chroma = (column >> across) * step;
      const u = samples[uRow + chroma]! - factors.cOffset;
      const v = samples[vRow + chroma]! - factors.cOffset;
      bgra[to] = (light + factors.bu * u) >> 16;
      bgra[to + 1] = (light + factors.gu * u + factors.gv * v) >> 16;
      bgra[to + 2] = (light + factors.rv * v) >> 16;
      bgra[to + 3] = 255;
    }
  }
  if (alpha === 'A') {
    const { at, stride } = plane(3);
    writeAlpha(bgra, samples, { at, stride, width, height, shift });
  }
  return bgra;
}

interface AlphaPlane {
  readonly at: number;
  readonly stride: number;
  readonly width: number;
  readonly height: number;
  /** Bits per sample beyond eight. */
  readonly shift: number;
}

/** Writes alpha into a picture of the same size. */
export function writeAlpha(bgra: Uint8ClampedArray, samples: Uint8Array | Uint16Array, plane: AlphaPlane): void {
  const { at, stride, width, height, shift } = plane;
  for (let row = 0, to = 3; row < height; row++) {
    for (let column = 0; column < width; column++, to += 4) bgra[to] = samples[at + row * stride + column]! >> shift;
  }
}

/** Returns factors from samples of 8 + `shift` bits to eight bits, in fixed point with 16 fractional bits. */
function coefficients({ matrix, isFullRange }: YuvColour, shift: number) {
  const scale = 2 ** shift;
  const max = 2 ** (8 + shift) - 1;
  const ySpan = isFullRange ? max : 219 * scale;
  const cSpan = isFullRange ? max : 224 * scale;
  const fixed = (factor: number): number => Math.round(factor * 255 * 65_536);
  const yOffset = isFullRange ? 0 : 16 * scale;
  const cOffset = 128 * scale;
  const [kr, kb] = WEIGHTS[matrix];
  const kg = 1 - kr - kb;
  return {
    yOffset,
    cOffset,
    y: fixed(1 / ySpan),
    rv: fixed((2 * (1 - kr)) / cSpan),
    gu: fixed((-2 * (1 - kb) * kb) / kg / cSpan),
    gv: fixed((-2 * (1 - kr) * kr) / kg / cSpan),
    bu: fixed((2 * (1 - kb)) / cSpan),
  };
}

/** Converts a picture with a single plane of four bytes a pixel. */
function packedToBgra({ format, width, height, bytes, layout }: DecodedPlanes): Uint8ClampedArray {
  const bgra = new Uint8ClampedArray(width * height * 4);
  const { offset, stride } = layout[0]!;
  const [blue, red] = format.startsWith('BGR') ? [0, 2] : [2, 0];
  const hasAlpha = format.endsWith('A');
  for (let row = 0, to = 0; row < height; row++) {
    for (let from = offset + row * stride, end = from + width * 4; from < end; from += 4, to += 4) {
      bgra[to] = bytes[from + blue]!;
      bgra[to + 1] = bytes[from + 1]!;
      bgra[to + 2] = bytes[from + red]!;
      bgra[to + 3] = hasAlpha ? bytes[from + 3]! : 255;
    }
  }
  return bgra;
}

/** The part of the WebAssembly namespace used here, which Node's types lack. */
declare const WebAssembly: {
  Memory: new (descriptor: { initial: number }) => { readonly buffer: ArrayBuffer };
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: object) => { readonly exports: object };
};

/** Offset of the first sample of a plane, and distance of its rows. */
interface SamplePlane {
  readonly offset: number;
  readonly stride: number;
}

/** Fixed point with 16 fractional bits; `gu` is the factor of U for green. */
interface YuvFactors {
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
  /** Maximum row width, in pixels. */
  readonly width: number;
}

const PAGE_BYTES = 65_536;
/** Rows copied and converted together: an even number, small enough for a core's own cache. */
const STRIP_ROWS = 16;

let module: object | undefined;
let kernel: Kernel | undefined;

/**
 * Converts eight-bit I420 to opaque BGRA in WebAssembly.
 *
 * @param planes Y, U, V
 */
function i420ToBgra(
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
  const copy = ({ offset, stride }: SamplePlane, first: number, rows: number, samples: number, at: number): void => {
    for (let row = 0; row < rows; row++) {
      const from = offset + (first + row) * stride;
      memory.set(bytes.subarray(from, from + samples), at + row * samples);
    }
  };
  for (let row = 0; row < height; row += STRIP_ROWS) {
    const rows = Math.min(STRIP_ROWS, height - row);
    const chromaRows = (rows + 1) >> 1;
    copy(luma, row, rows, width, 0);
    copy(blue, row / 2, chromaRows, half, uAt);
    copy(red, row / 2, chromaRows, half, vAt);
    convert(0, uAt, vAt, width, rows, bgraAt, yOffset, y, rv, gu, gv, bu);
    bgra.set(memory.subarray(bgraAt, bgraAt + width * rows * 4), row * width * 4);
  }
  return bgra;
}

/** Returns the kernel of this thread, which is replaced if the rows are wider than its memory. */
function kernelFor(width: number): Kernel {
  if (kernel !== undefined && kernel.width >= width) return kernel;
  module ??= new WebAssembly.Module(Buffer.from(I420_TO_BGRA_WASM, 'base64'));
  // Per pixel, four bytes for BGRA, and two for the planes, which need 1.5.
  const memory = new WebAssembly.Memory({ initial: Math.ceil(((width + 2) * STRIP_ROWS * 6) / PAGE_BYTES) + 1 });
  const { convert } = new WebAssembly.Instance(module, { env: { memory } }).exports as Pick<Kernel, 'convert'>;
  kernel = { convert, memory: new Uint8Array(memory.buffer), width };
  return kernel;
}
