import { sha256 } from '../../kernel/digest.ts';
import type { RenderInput } from '../../template/render-input.ts';
import { LINEAR, luminanceOf } from '../color/linear-light.ts';
import type { PixelBox } from '../raster/rasterizer.ts';
import { segmentKey } from '../segments/segment.ts';
import { inputCutter } from '../segments/segment-input.ts';
import { findBeside, HALO_REACH, MIN_HALO_CHANGE, MIN_HALO_SHARE, MIN_TEXT_COVERAGE } from './beside-text.ts';
import { contrastRatio, MIN_INNER_SHARE, MIN_PIXELS, MIN_TAG_COVERAGE, quantile } from './contrast.ts';
import type { MeasuredFrame, MeasuredFrames, TextVisibility } from './measured-frames.ts';
import { reducedInput, TEXT_IMAGE_SIDE } from './reduced-input.ts';
import { MIN_CUT_SHARE, measureCuts, TAG_TOLERANCE } from './text-cuts.ts';
import { TextEstimates } from './text-estimates.ts';
import { TextPictures } from './text-pictures.ts';
import type { TextTrack } from './text-tracks.ts';
import { MAX_TEXTS, tagStepOf } from './text-variants.ts';

const NOT_VISIBLE = { ratio: null, isAtEdge: false, coverage: 0, luminance: [0, 0], cutShare: null } as const;

/** Frames on which to measure texts, by editable. */
export type TextFrames = ReadonlyMap<string, readonly number[]>;

/** Longer side of the pictures, in pixels. */
const LONG_SIDE = 1280;
/** Minimum alpha of a background, of 255. */
const MIN_BACKGROUND_ALPHA = 127;
/** Contrast of black and white. */
const MAX_RATIO = 21;

const NO_TEXT: MeasuredFrame = { texts: new Map(), hasCuts: true };

/**
 * Measures the texts of an input. Draws each frame four times, with and without the texts, to find the pixels of each text
 * independently of its colour and surroundings, once more with alpha if the output is transparent, and with the texts alone to find
 * those that are cut. Inputs that show the same on a frame share its measurement.
 */
export class TextMeasurer {
  readonly #cut: ReturnType<typeof inputCutter>;
  readonly #pictures: TextPictures;
  readonly #size: Size;
  readonly #frames: MeasuredFrames;
  readonly #estimates: TextEstimates;

  /** @param tracks of the input's texts */
  constructor(renderInput: RenderInput, frames: MeasuredFrames, tracks: readonly TextTrack[]) {
    // Texts are measured at a fixed size, independently of the output's size.
    const reduced = reducedInput(renderInput, LONG_SIDE, TEXT_IMAGE_SIDE);
    this.#cut = inputCutter(reduced);
    this.#pictures = new TextPictures(reduced);
    this.#size = reduced;
    this.#frames = frames;
    this.#estimates = new TextEstimates(reduced, this.#pictures, tracks);
  }

  /**
   * Measures texts on frames. All texts of other editables are hidden.
   *
   * @param cuttable editables of texts that must not be cut. Their `cutShare` is measured until a frame shows enough of them.
   * @param isEstimated true if estimates are enough, see `TextEstimates`
   * @returns by editable, with an entry for each of its frames
   */
  async measure(
    texts: TextFrames,
    cuttable: ReadonlySet<string>,
    isEstimated: boolean,
  ): Promise<Map<string, readonly TextVisibility[]>> {
    const editables = [...texts.keys()].slice(0, MAX_TEXTS);
    const visibilities = new Map<string, TextVisibility[]>(editables.map((editable) => [editable, []]));
    const frames = [...new Set(editables.flatMap((editable) => texts.get(editable)!))].sort((a, b) => a - b);
    const shownOn = (frame: number) =>
      [...editables.entries()].filter(([, editable]) => texts.get(editable)!.includes(frame));
    const keyed = frames.map((frame) => {
      const range = { first: frame, end: frame + 1 };
      const key = segmentKey(this.#cut([range]), range, `lint ${JSON.stringify(editables)}`);
      const wanted = shownOn(frame).map(([, editable]) => editable);
      const estimateKey = key === null || !isEstimated ? null : sha256(`${key} estimated ${JSON.stringify(wanted)}`);
      const known = [key, estimateKey].flatMap((knownKey) => {
        const measured = knownKey === null ? undefined : this.#frames.get(knownKey);
        return measured === undefined ? [] : [{ knownKey, measured }];
      });
      return { frame, key, estimateKey, known, wanted: new Set(wanted) };
    });
    const undecided = new Set(cuttable);
    const decide = (frame: number, measured: MeasuredFrame): void => {
      for (const [index, editable] of shownOn(frame)) {
        const { ratio, cutShare } = measured.texts.get(index) ?? NOT_VISIBLE;
        if (ratio !== null && cutShare !== null && cutShare < MIN_CUT_SHARE) undecided.delete(editable);
      }
    };
    for (const { frame, known } of keyed) for (const { measured } of known) decide(frame, measured);
    const missing = keyed.filter(({ known }) => known.length === 0).map(({ frame }) => frame);
    this.#pictures.prepare(missing.length === 0 ? frames : missing, editables);
    for (const { frame, key, estimateKey, known, wanted } of keyed) {
      const findsCuts = shownOn(frame).some(([, editable]) => undecided.has(editable));
      const usable = known.find(({ measured: { hasCuts } }) => hasCuts || !findsCuts);
      const estimated =
        usable === undefined && isEstimated
          ? await this.#estimates.estimate(frame, { editables, wanted, findsCuts })
          : null;
      const measured = usable?.measured ?? estimated ?? (await this.#measure(frame, tagStepOf(editables), findsCuts));
      if (usable === undefined) decide(frame, measured);
      const usedKey = usable?.knownKey ?? (estimated === null ? key : estimateKey);
      if (usedKey !== null) this.#frames.set(usedKey, measured);
      for (const [index, editable] of shownOn(frame)) {
        const { cutShare, ...result } = measured.texts.get(index) ?? NOT_VISIBLE;
        visibilities.get(editable)!.push({ frame, ...result, cutShare: cuttable.has(editable) ? cutShare : null });
      }
    }
    return visibilities;
  }

  async #measure(frame: number, tagStep: number, findsCuts: boolean): Promise<MeasuredFrame> {
    const [bright, dark] = [await this.#pictures.draw('bright', frame), await this.#pictures.draw('dark', frame)];
    const box = boxOfChanges(bright, dark, this.#size);
    if (box === null) return NO_TEXT;
    const pictures = {
      bright,
      dark,
      whole: await this.#pictures.drawPart('whole', frame, box),
      bare: await this.#pictures.drawGround('bare', frame, box),
      background: this.#pictures.isOpaque ? null : await this.#pictures.drawGround('background', frame, box),
      alone: findsCuts ? await this.#pictures.draw('alone', frame) : null,
    };
    return { texts: measure(pictures, this.#size, box, tagStep), hasCuts: findsCuts };
  }

  close(): void {
    this.#pictures.close();
  }
}

type Size = Pick<RenderInput, 'width' | 'height'>;

/** RGBA pixels. Those of the box contain all pixels of texts, and those that their outlines and glows may reach. */
interface DrawnTexts {
  /** Of the picture. */
  readonly bright: Uint8Array;
  readonly dark: Uint8Array;
  /** Null if cuts are not measured. */
  readonly alone: Uint8Array | null;
  /** Of the box. */
  readonly whole: Uint8Array;
  readonly bare: Uint8Array;
  /** `bare` with its alpha; null if it is opaque. */
  readonly background: Uint8Array | null;
}

/** Returns the box around the pixels that differ, with the reach of outlines and glows; null if there are none. */
function boxOfChanges(bright: Uint8Array, dark: Uint8Array, { width, height }: Size): PixelBox | null {
  const [brightBytes, darkBytes] = [bufferOf(bright), bufferOf(dark)];
  let [left, top, right, bottom] = [width, height, -1, -1];
  for (let y = 0; y < height; y++) {
    const [start, end] = [4 * y * width, 4 * (y + 1) * width];
    // Comparing rows is much faster than comparing pixels.
    if (brightBytes.compare(darkBytes, start, end, start, end) === 0) continue;
    let first = 0;
    while (first < width && bright[start + 4 * first] === dark[start + 4 * first]) first++;
    if (first === width) continue;
    let last = width - 1;
    while (bright[start + 4 * last] === dark[start + 4 * last]) last--;
    [left, right] = [Math.min(left, first), Math.max(right, last)];
    if (top > y) top = y;
    bottom = y;
  }
  if (bottom === -1) return null;
  [left, top] = [Math.max(0, left - HALO_REACH), Math.max(0, top - HALO_REACH)];
  [right, bottom] = [Math.min(width, right + HALO_REACH + 1), Math.min(height, bottom + HALO_REACH + 1)];
  return { left, top, width: right - left, height: bottom - top };
}

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** @returns by the text's index */
function measure(pictures: DrawnTexts, size: Size, box: PixelBox, tagStep: number): MeasuredFrame['texts'] {
  const textPixels = findTextPixels(pictures, size, box, tagStep);
  const cutShares = pictures.alone === null ? null : measureCuts(pictures, pictures.alone, size.width, tagStep);
  const measured = new Map<number, Omit<TextVisibility, 'frame'>>();
  for (const [text, inner] of measureInnerPixels(pictures, size, box, textPixels)) {
    const { ratios, luminances, isAtEdge, haloRatios, besideCount } = inner;
    if (ratios.length < MIN_PIXELS) continue;
    const hasHalo = haloRatios.length >= MIN_PIXELS && haloRatios.length >= MIN_HALO_SHARE * besideCount;
    const ratio = quantile(ratios, 0.1);
    measured.set(text, {
      ratio: hasHalo ? Math.max(ratio, quantile(haloRatios, 0.5)) : ratio,
      isAtEdge,
      coverage: textPixels.texts.get(text)!.maxCoverage,
      luminance: [quantile(luminances, 0.1), quantile(luminances, 0.9)],
      cutShare: cutShares?.get(text) ?? null,
    });
  }
  return measured;
}

/** Measurements of the inner pixels of a text: those that it covers as far as any pixel. */
interface InnerPixels {
  /** Contrast of each pixel with its background. */
  readonly ratios: number[];
  readonly luminances: number[];
  /** Some pixels lie at the edge of the picture. */
  isAtEdge: boolean;
  /** Number of the pixels with a pixel beside them that lies outside the text. */
  besideCount: number;
  /** Contrast with an outline or glow, for each pixel that has any. */
  readonly haloRatios: number[];
}

/** @returns by the text's index */
function measureInnerPixels(
  { whole, bare, background }: DrawnTexts,
  size: Size,
  { left, top, width, height }: PixelBox,
  { texts, isText }: TextPixels,
): Map<number, InnerPixels> {
  const measured = new Map<number, InnerPixels>();
  for (const [text, { pixels, coverages, maxCoverage }] of texts) {
    const inner: InnerPixels = { ratios: [], luminances: [], isAtEdge: false, besideCount: 0, haloRatios: [] };
    measured.set(text, inner);
    const beside = new Int32Array(4);
    for (let index = 0; index < pixels.length; index++) {
      const pixel = pixels[index]!;
      const coverage = coverages[index]!;
      if (coverage < MIN_INNER_SHARE * maxCoverage) continue;
      const at = 4 * pixel;
      // Extrapolates to the luminance of a fully covered pixel.
      const textLuminance = luminance(whole, at, bare, maxCoverage / coverage);
      inner.luminances.push(textLuminance);
      // The content behind a transparent picture is unknown.
      const isKnown = background === null || background[at + 3]! > MIN_BACKGROUND_ALPHA;
      inner.ratios.push(isKnown ? contrastRatio(textLuminance, luminance(bare, at)) : MAX_RATIO);
      const x = left + (pixel % width);
      const y = top + Math.floor(pixel / width);
      if (x === 0 || y === 0 || x === size.width - 1 || y === size.height - 1) inner.isAtEdge = true;
      const count = findBeside(beside, pixel, isText, width, height);
      if (count > 0) inner.besideCount += 1;
      let haloRatio = -1;
      for (let nth = 0; nth < count; nth++) {
        const besideAt = beside[nth]!;
        if (!isChanged(whole, bare, besideAt)) continue;
        haloRatio = Math.max(haloRatio, contrastRatio(textLuminance, luminance(whole, besideAt)));
      }
      if (haloRatio >= 0) inner.haloRatios.push(haloRatio);
    }
  }
  return measured;
}

/** Returns whether an outline or glow of a text changes a pixel. @param at index of its red channel */
function isChanged(whole: Uint8Array, bare: Uint8Array, at: number): boolean {
  const change = (channel: number): number => Math.abs(whole[at + channel]! - bare[at + channel]!);
  return change(0) >= MIN_HALO_CHANGE || change(1) >= MIN_HALO_CHANGE || change(2) >= MIN_HALO_CHANGE;
}

/** Pixels that a single text covers. */
interface CoveredPixels {
  /** Indices in the box. */
  readonly pixels: number[];
  /** Share of each pixel that the text covers, 0..1. */
  readonly coverages: number[];
  maxCoverage: number;
}

interface TextPixels {
  /** By the text's index. */
  readonly texts: ReadonlyMap<number, CoveredPixels>;
  /** 1 for each pixel of the box that any text covers. */
  readonly isText: Uint8Array;
}

function findTextPixels(
  { bare, bright, dark }: DrawnTexts,
  size: Size,
  { left, top, width, height }: PixelBox,
  tagStep: number,
): TextPixels {
  const texts = new Map<number, CoveredPixels>();
  const isText = new Uint8Array(width * height);
  for (let row = 0, pixel = 0; row < height; row++) {
    for (let at = 4 * ((top + row) * size.width + left), column = 0; column < width; column++, pixel++, at += 4) {
      const coverage = (bright[at]! - dark[at]!) / 255;
      if (coverage < MIN_TEXT_COVERAGE) continue;
      isText[pixel] = 1;
      if (coverage < MIN_TAG_COVERAGE) continue;
      const tag = tagOf({ bare, bright, dark }, at, 4 * pixel) / tagStep - 1;
      const text = Math.round(tag);
      // The tag is meaningless if several texts cover the pixel.
      if (Math.abs(tag - text) > TAG_TOLERANCE) continue;
      const covered = texts.get(text) ?? { pixels: [], coverages: [], maxCoverage: 0 };
      if (covered.pixels.length === 0) texts.set(text, covered);
      covered.pixels.push(pixel);
      covered.coverages.push(coverage);
      if (coverage > covered.maxCoverage) covered.maxCoverage = coverage;
    }
  }
  return { texts, isText };
}

/**
 * Returns the blue value of the text on a pixel, 0..255. The rasteriser covers edges more with bright colours than with dark ones, so that
 * the coverage is computed from the picture that differs more from the background.
 *
 * @param at index of the pixel's red channel in the picture @param boxAt the same in the box
 */
function tagOf(
  { bare, bright, dark }: Pick<DrawnTexts, 'bare' | 'bright' | 'dark'>,
  at: number,
  boxAt: number,
): number {
  const red = bare[boxAt]!;
  const isBright = red < 128;
  const coverage = isBright ? (bright[at]! - red) / (255 - red) : 1 - dark[at]! / red;
  return ((isBright ? bright : dark)[at + 2]! - bare[boxAt + 2]! * (1 - coverage)) / coverage;
}

/**
 * Returns the relative luminance of a pixel, 0..1.
 *
 * @param at index of its red channel
 * @param background picture from which the pixel differs; the difference is multiplied by `factor`
 */
function luminance(rgba: Uint8Array, at: number, background = rgba, factor = 1): number {
  const channel = (index: number): number => {
    const below = background[index]!;
    return LINEAR[Math.min(255, Math.max(0, Math.round(below + (rgba[index]! - below) * factor)))]!;
  };
  return luminanceOf(channel(at), channel(at + 1), channel(at + 2));
}
