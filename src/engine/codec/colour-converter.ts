import { RenderError } from '../render-error.ts';
import { type Libav, loadLibav, type NativeFrame, type NativeScaler } from './libav.ts';

/** Codes of ITU-T H.273, tables 2 to 4. */
const BT709 = 1;
const RGB = 0;
const BT2020 = 9;
const MATRICES = { bt601: 5, bt709: BT709, bt2020: BT2020 } as const;
const PQ = 16;
const HLG = 18;
const LIMITED_RANGE = 1;
const FULL_RANGE = 2;

/** A decoded picture with colours outside BT.709, or in a pixel format that `yuvToBgra` does not read, such as RGB. */
interface DecodedPicture {
  readonly width: number;
  readonly height: number;
  /** Consecutive planes without padding. */
  readonly bytes: Uint8Array;
  /** AVPixelFormat. */
  readonly pixelFormat: number;
  readonly primaries: number;
  readonly transfer: number;
  /** Ignored for RGB. */
  readonly matrix: keyof typeof MATRICES;
  readonly isRgb: boolean;
  readonly isFullRange: boolean;
}

/** Returns whether a picture has high dynamic range (PQ, HLG) or the wide gamut of BT.2020. */
export function hasWideColours({ primaries, transfer }: Pick<DecodedPicture, 'primaries' | 'transfer'>): boolean {
  return primaries === BT2020 || transfer === PQ || transfer === HLG;
}

/**
 * Converts pictures to BGRA in BT.709 with FFmpeg's libswscale, which maps the tones and gamut of wider colours. A single
 * conversion runs at a time. The caller must close the converter.
 *
 * @see ITU-R BT.2100-2 (PQ, HLG), BT.2408-7, 5.1 (reference white)
 */
export class ColourConverter {
  readonly #libav: Libav;
  readonly #source: NativeFrame;
  readonly #target: NativeFrame;
  readonly #scaler: NativeScaler;
  readonly #name: string;
  #pending: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  /** @param name of the asset, for errors @throws ReelformError encoder_missing */
  constructor(name: string) {
    this.#libav = loadLibav();
    this.#name = name;
    this.#source = new this.#libav.Frame();
    this.#target = new this.#libav.Frame();
    this.#scaler = new this.#libav.SoftwareScaleContext();
    this.#source.alloc();
    this.#target.alloc();
    this.#scaler.allocContext();
  }

  /** Returns width * height * 4 bytes. @throws RenderError asset_decode_failed */
  async toBgra(picture: DecodedPicture): Promise<Uint8ClampedArray> {
    const converting = this.#pending.then(() => this.#convert(picture));
    this.#pending = converting.catch(() => {});
    return converting;
  }

  /** May be called again. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    void this.#pending.then(() => {
      this.#scaler.freeContext();
      this.#source.free();
      this.#target.free();
    });
  }

  async #convert(picture: DecodedPicture) {
    const { width, height, bytes, pixelFormat, primaries, transfer, matrix, isRgb, isFullRange } = picture;
    const failed = (cause: unknown) =>
      new RenderError('asset_decode_failed', `The colours of the video cannot be converted: ${cause}`, {
        imageName: this.#name,
      });
    if (this.#isClosed) throw failed('the video is closed');
    const [source, target] = [this.#source, this.#target];
    const check = (status: number) => {
      if (status < 0) throw failed(this.#libav.FFmpegError.strerror(status));
    };
    try {
      Object.assign(source, { width, height, format: pixelFormat });
      Object.assign(source, {
        colorPrimaries: primaries,
        colorTrc: transfer,
        colorSpace: isRgb ? RGB : MATRICES[matrix],
      });
      source.colorRange = isFullRange ? FULL_RANGE : LIMITED_RANGE;
      check(source.getBuffer(0));
      check(source.fromBuffer(bytes));
      Object.assign(target, { width, height, format: this.#libav.avGetPixFmtFromName('bgra') });
      Object.assign(target, { colorPrimaries: BT709, colorTrc: BT709, colorSpace: RGB, colorRange: FULL_RANGE });
      check(target.getBuffer(0));
      check(await this.#scaler.scaleFrame(target, source));
      const bgra = target.toBuffer();
      return new Uint8ClampedArray(bgra.buffer, bgra.byteOffset, bgra.byteLength);
    } finally {
      source.unref();
      target.unref();
    }
  }
}
