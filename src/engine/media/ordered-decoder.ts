import { Decoder, type VideoDecoding } from '../codec/decoder.ts';
import type { Libav, NativeFrame } from '../codec/libav.ts';
import type { DecodedPlanes } from '../color/yuv-to-bgra.ts';

/** Index of pictures that are decoded but never requested. */
export const UNREQUESTED = 2 ** 40;

/** A decoded picture, without padding. */
export interface DecodedFrame extends DecodedPlanes {
  /** Null if the stream does not declare it. */
  readonly matrix: 'bt601' | 'bt709' | 'bt2020' | null;
  readonly isFullRange: boolean | null;
  /** Codes of FFmpeg and ITU-T H.273; 2 if the stream does not declare them. */
  readonly pixelFormat: number;
  readonly primaries: number;
  readonly transfer: number;
  readonly isRgb: boolean;
  readonly hasAlpha: boolean;
}

/** A decoder that identifies pictures by their index in display order. The caller must close it. */
export class OrderedDecoder {
  readonly #decoder: Decoder;
  readonly #ready: Map<number, DecodedFrame>;
  readonly #state: { last: number; lowestNeeded: number };
  #isFlushed = false;

  /** @throws RenderError asset_type_unsupported; ReelformError encoder_missing */
  static async open(decoding: VideoDecoding, name: string): Promise<OrderedDecoder> {
    const ready = new Map<number, DecodedFrame>();
    const state = { last: -1, lowestNeeded: 0 };
    const decoder = await Decoder.open({ ...decoding, kind: 'video', name }, (frame, libav) => {
      const index = Number(frame.pts);
      if (index === UNREQUESTED) {
        state.last = UNREQUESTED;
        return;
      }
      state.last = Math.max(state.last, index);
      if (index >= state.lowestNeeded) ready.set(index, frameOf(frame, libav));
    });
    return new OrderedDecoder(decoder, ready, state);
  }

  private constructor(
    decoder: Decoder,
    ready: Map<number, DecodedFrame>,
    state: { last: number; lowestNeeded: number },
  ) {
    this.#decoder = decoder;
    this.#ready = ready;
    this.#state = state;
  }

  /** The largest index decoded so far. */
  get last(): number {
    return this.#state.last;
  }

  /**
   * @param index of the picture in the packet, or `UNREQUESTED`
   * @param lowestNeeded index below which pictures are dropped
   * @throws RenderError asset_decode_failed
   */
  async feed(data: Uint8Array, index: number, lowestNeeded: number): Promise<void> {
    this.#state.lowestNeeded = lowestNeeded;
    await this.#decoder.feed(data, index);
  }

  /** Decodes the remaining pictures. No data can be fed afterwards. */
  async flush(): Promise<void> {
    if (this.#isFlushed) return;
    this.#isFlushed = true;
    await this.#decoder.flush();
  }

  /** Returns the picture with this index if it has been decoded, and drops all earlier pictures. */
  take(index: number): DecodedFrame | undefined {
    const frame = this.#ready.get(index);
    for (const decoded of this.#ready.keys()) if (decoded <= index) this.#ready.delete(decoded);
    return frame;
  }

  close(): void {
    this.#decoder.close();
    this.#ready.clear();
  }
}

/** AVColorSpace. @see ITU-T H.273, table 4 */
const MATRICES: Readonly<Record<number, DecodedFrame['matrix']>> = { 1: 'bt709', 5: 'bt601', 6: 'bt601', 9: 'bt2020' };
const FULL_RANGE = 2;

/** Pixel formats of FFmpeg. */
const RGB = /^(?:a?rgb|a?bgr|gbr|pal8)/;
const GREY = /^(?:gray|ya\d|mono)/;
const HAS_ALPHA = /^(?:yuva|argb|abgr|rgba|bgra|gbrap|ya\d|pal8)/;

function frameOf(frame: NativeFrame, libav: Libav): DecodedFrame {
  const { width, height, colorSpace, colorRange, format: pixelFormat, colorPrimaries, colorTrc } = frame;
  const name = libav.avGetPixFmtName(frame.format) ?? '';
  const isFullRange =
    name.startsWith('yuvj') ||
    RGB.test(name) ||
    GREY.test(name) ||
    (colorRange === 0 ? null : colorRange === FULL_RANGE);
  const format = formatOf(name);
  const planes = { format, width, height, bytes: frame.toBuffer(), layout: layoutOf(format, width, height) };
  const colours = { pixelFormat, primaries: colorPrimaries, transfer: colorTrc };
  const kind = { isRgb: RGB.test(name), hasAlpha: HAS_ALPHA.test(name) };
  return { ...planes, ...colours, ...kind, matrix: MATRICES[colorSpace] ?? null, isFullRange };
}

/** Returns the WebCodecs name of an FFmpeg pixel format; unchanged if it has none. */
function formatOf(name: string): string {
  const match = /^yuv(j|a)?(420|422|444)p(?:(10|12)le)?$/.exec(name);
  if (match === null) return /^(?:nv12|bgra|rgba)$/.test(name) ? name.toUpperCase() : name;
  const [, kind, sampling, depth] = match;
  return `I${sampling}${kind === 'a' ? 'A' : ''}${depth === undefined ? '' : `P${depth}`}`;
}

/** Returns the layout of consecutive planes without padding. */
function layoutOf(format: string, width: number, height: number): DecodedPlanes['layout'] {
  if (format === 'BGRA' || format === 'RGBA') return [{ offset: 0, stride: width * 4 }];
  const unit = format.includes('P1') ? 2 : 1;
  const across = format.startsWith('I444') ? width : (width + 1) >> 1;
  const down = format.startsWith('I42') && !format.startsWith('I422') ? (height + 1) >> 1 : height;
  const [luma, chroma] = [width * height * unit, across * down * unit];
  if (format === 'NV12') {
    return [
      { offset: 0, stride: width },
      { offset: luma, stride: across * 2 },
    ];
  }
  return [
    { offset: 0, stride: width * unit },
    { offset: luma, stride: across * unit },
    { offset: luma + chroma, stride: across * unit },
    { offset: luma + 2 * chroma, stride: width * unit },
  ];
}
