import { i420ToBgra, type SamplePlane } from './i420-to-bgra.ts';

/** What a decoder gave: planes as the format has them, each where its layout says. */
export interface DecodedPlanes {
  /** As WebCodecs calls it. */
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
 * A decoded picture as BGRA with straight alpha; chroma samples count for all their pixels. Undefined for a format that is
 * not known here.
 *
 * @see ITU-T H.273, 8.3 (ranges and matrices)
 */
export function yuvToBgra(planes: DecodedPlanes, colour: YuvColour): Uint8ClampedArray | undefined {
  const { format, width, height, bytes } = planes;
  if (format === 'BGRA' || format === 'BGRX' || format === 'RGBA' || format === 'RGBX') return packed(planes);
  const isNv12 = format === 'NV12';
  const match = FORMAT.exec(isNv12 ? 'I420' : format);
  if (match === null) return undefined;
  // What nearly every video is, many times as quick.
  if (format === 'I420') {
    const [luma, blue, red] = planes.layout;
    return i420ToBgra(planes, [luma!, blue!, red!], coefficients(colour, 0));
  }
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
  const { yOffset, cOffset, y: ky, rv, gu, gv, bu } = coefficients(colour, shift);
  const half = 1 << 15;
  const bgra = new Uint8ClampedArray(width * height * 4);
  for (let row = 0, to = 0; row < height; row++) {
    const yRow = luma.at + row * luma.stride;
    const uRow = blue.at + (row >> down) * blue.stride;
    const vRow = red.at + (row >> down) * red.stride;
    for (let column = 0; column < width; column++, to += 4) {
      const y = (samples[yRow + column]! - yOffset) * ky + half;
      const chroma = (column >> across) * step;
      const u = samples[uRow + chroma]! - cOffset;
      const v = samples[vRow + chroma]! - cOffset;
      bgra[to] = (y + bu * u) >> 16;
      bgra[to + 1] = (y + gu * u + gv * v) >> 16;
      bgra[to + 2] = (y + rv * v) >> 16;
      bgra[to + 3] = 255;
    }
  }
  if (alpha === 'A') {
    const { at, stride } = plane(3);
    writeAlpha(bgra, samples, { at, stride, width, height, shift });
  }
  return bgra;
}

/** Where the alpha of a picture lies: a plane of `shift` bits more than eight. */
export interface AlphaPlane {
  readonly at: number;
  readonly stride: number;
  readonly width: number;
  readonly height: number;
  readonly shift: number;
}

/** Writes alpha into a picture of the same size. */
export function writeAlpha(bgra: Uint8ClampedArray, samples: Uint8Array | Uint16Array, plane: AlphaPlane): void {
  const { at, stride, width, height, shift } = plane;
  for (let row = 0, to = 3; row < height; row++) {
    for (let column = 0; column < width; column++, to += 4) bgra[to] = samples[at + row * stride + column]! >> shift;
  }
}

/** Fixed point, 16 fractional bits, from samples of `shift` bits more than eight to eight bits. */
function coefficients({ matrix, isFullRange }: YuvColour, shift: number) {
  const scale = 2 ** shift;
  const most = 2 ** (8 + shift) - 1;
  const ySpan = isFullRange ? most : 219 * scale;
  const cSpan = isFullRange ? most : 224 * scale;
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

function packed({ format, width, height, bytes, layout }: DecodedPlanes): Uint8ClampedArray {
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
