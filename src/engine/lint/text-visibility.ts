import type { RenderInput } from '../../template/render-input.ts';
import { LINEAR, luminanceOf } from '../color/linear-light.ts';
import { pixelsOf } from '../pixel-format.ts';
import { openRasterizer, type Rasterizer } from '../raster/rasterizer.ts';
import { reducedInput } from './reduced-input.ts';
import { MAX_TEXTS, type TextVariants, textVariants } from './text-variants.ts';

/** Measured visibility of a text on a frame. */
export interface TextVisibility {
  readonly frame: number;
  /**
   * WCAG contrast ratio that 90 % of the text's inner pixels reach against their background, or against an outline or glow around
   * them; null if too few pixels are visible.
   */
  readonly ratio: number | null;
  /** Some inner pixels lie at the edge of the picture. */
  readonly isAtEdge: boolean;
  /** Largest coverage of a pixel by the text, 0..1, which is smaller while the text fades. */
  readonly coverage: number;
  /** Relative luminance of the darker and the brighter parts of the text, 0..1: its quantiles of 10 and 90 %. */
  readonly luminance: readonly [dark: number, bright: number];
  /** Share of the text's ink that masks, mattes or layers above cut off, 0..1; null if it was not measured. */
  readonly cutShare: number | null;
}

const NOT_VISIBLE = { ratio: null, isAtEdge: false, coverage: 0, luminance: [0, 0], cutShare: null } as const;

/** Frames on which to measure texts, by editable. */
export type TextFrames = ReadonlyMap<string, readonly number[]>;

/** Minimum coverage of an inner pixel, as a share of the text's maximum, which translucent content over the text may reduce. */
const MIN_INNER_SHARE = 0.9;
/** A pixel with less coverage lies outside the text. */
const MIN_TEXT_COVERAGE = 0.05;
/** With less coverage, the tag of a pixel is unreliable. */
const MIN_TAG_COVERAGE = 0.15;
/** Tolerance for a blue value, as a share of the distance between two texts. */
const TAG_TOLERANCE = 0.4;
/** A pixel of the ink is hidden if the picture shows less than this share of it; translucent layers above leave more. */
const MIN_SHOWN_SHARE = 0.25;
/** Minimum share of the ink that a layer across a text must hide. */
const MIN_COVERED_SHARE = 0.2;
/** Largest difference of red and green in the paint of a text, of 255. */
const MAX_PAINT_ERROR = 2;
/** Minimum coverage of a pixel of the ink. */
const MIN_INK_COVERAGE = 0.5;
/** Maximum distance of an outline or glow from a pixel, in pixels. */
const HALO_REACH = 6;
/** Minimum change of a channel by an outline or glow, of 255. */
const MIN_HALO_CHANGE = 12;
/** Minimum share of pixels at the edge of a text that have an outline or glow. */
const MIN_HALO_SHARE = 0.6;
/** Longer side of the pictures, and limit for the images in them, in pixels. */
const LONG_SIDE = 1280;
const MAX_IMAGE_SIDE = 480;
/** Minimum alpha of a background, of 255. */
const MIN_BACKGROUND_ALPHA = 127;
/** Contrast of black and white. */
const MAX_RATIO = 21;
/** With fewer pixels, the result is meaningless because the text is fading out or too fine for this size. */
const MIN_PIXELS = 24;

/**
 * Measures texts on frames. Draws each frame four times, with and without the texts, to find the pixels of each text independently of
 * its colour and surroundings, once more with alpha if the output is transparent, and with the texts alone to find those that
 * are cut.
 *
 * @param findsCuts false to leave `cutShare` out
 * @returns by editable, with an entry for each of its frames
 */
export async function measureTextVisibility(
  renderInput: RenderInput,
  texts: TextFrames,
  findsCuts: boolean,
): Promise<Map<string, readonly TextVisibility[]>> {
  const editables = [...texts.keys()].slice(0, MAX_TEXTS);
  const visibilities = new Map<string, TextVisibility[]>(editables.map((editable) => [editable, []]));
  const frames = [...new Set(editables.flatMap((editable) => texts.get(editable)!))].sort((a, b) => a - b);
  if (frames.length === 0) return visibilities;
  const tagStep = Math.floor(255 / (editables.length + 1));
  // Texts are measured at a fixed size, independently of the output's size.
  const variants = textVariants(reducedInput(renderInput, LONG_SIDE, MAX_IMAGE_SIDE), editables, tagStep);
  const opaque = (variant: RenderInput): RenderInput => ({ ...variant, output: { ...variant.output, format: 'mp4' } });
  const isOpaque = pixelsOf(renderInput.output) !== 'rgba';
  const drawn = (['whole', 'bare', 'bright', 'dark'] as const).map((name) => opaque(variants[name]));
  if (!isOpaque) drawn.push(variants.bare);
  if (findsCuts) drawn.push(opaque(variants.alone));
  const rasterizers: Rasterizer[] = [];
  try {
    for (const variant of drawn) rasterizers.push(await openRasterizer(variant));
    for (const frame of frames) {
      const [whole, bare, bright, dark, ...more] = await drawEach(rasterizers, frame);
      const background = isOpaque ? null : more.shift()!;
      const pictures = { whole: whole!, bare: bare!, bright: bright!, dark: dark!, alone: more[0] ?? null };
      const measured = measure(pictures, background, variants.whole, tagStep);
      for (const [index, editable] of editables.entries()) {
        if (!texts.get(editable)!.includes(frame)) continue;
        visibilities.get(editable)!.push({ frame, ...(measured.get(index) ?? NOT_VISIBLE) });
      }
    }
  } finally {
    for (const rasterizer of rasterizers) rasterizer.close();
  }
  return visibilities;
}

type TextPictures = Readonly<Record<Exclude<keyof TextVariants, 'alone'>, Uint8Array>> & {
  /** Null if cuts are not measured. */
  readonly alone: Uint8Array | null;
};

async function drawEach(rasterizers: readonly Rasterizer[], frame: number): Promise<Uint8Array[]> {
  const pictures: Uint8Array[] = [];
  for (const rasterizer of rasterizers) {
    await rasterizer.prepare(frame);
    pictures.push(rasterizer.draw(frame));
    // The memory of a picture is freed in the next turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return pictures;
}

/**
 * @param pictures RGBA, all of the same size
 * @param background `bare` with its alpha; null if it is opaque
 * @returns by the text's index
 */
function measure(
  pictures: TextPictures,
  background: Uint8Array | null,
  { width, height }: RenderInput,
  tagStep: number,
): Map<number, Omit<TextVisibility, 'frame'>> {
  const textPixels = findTextPixels(pictures, tagStep);
  const cutShares = pictures.alone === null ? null : measureCuts(pictures, pictures.alone, width, tagStep);
  const measured = new Map<number, Omit<TextVisibility, 'frame'>>();
  for (const [text, inner] of measureInnerPixels(pictures, background, { width, height }, textPixels)) {
    const { ratios, luminances, isAtEdge, haloRatios, besideCount } = inner;
    if (ratios.length < MIN_PIXELS) continue;
    const hasHalo = haloRatios.length >= MIN_PIXELS && haloRatios.length >= MIN_HALO_SHARE * besideCount;
    const ratio = quantile(ratios, 0.1);
    measured.set(text, {
      ratio: hasHalo ? Math.max(ratio, quantile(haloRatios, 0.5)) : ratio,
      isAtEdge,
      coverage: textPixels.maxCoverage.get(text)!,
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
  { whole, bare }: TextPictures,
  background: Uint8Array | null,
  { width, height }: Pick<RenderInput, 'width' | 'height'>,
  { pixels, isText, maxCoverage }: TextPixels,
): Map<number, InnerPixels> {
  const texts = new Map<number, InnerPixels>();
  for (const { at, coverage, text } of pixels) {
    if (coverage < MIN_INNER_SHARE * maxCoverage.get(text)!) continue;
    const inner = texts.get(text) ?? { ratios: [], luminances: [], isAtEdge: false, besideCount: 0, haloRatios: [] };
    texts.set(text, inner);
    // Extrapolates to the luminance of a fully covered pixel.
    const textLuminance = luminance(whole, at, bare, maxCoverage.get(text)! / coverage);
    inner.luminances.push(textLuminance);
    // The content behind a transparent picture is unknown.
    const isKnown = background === null || background[at + 3]! > MIN_BACKGROUND_ALPHA;
    inner.ratios.push(isKnown ? contrastRatio(textLuminance, luminance(bare, at)) : MAX_RATIO);
    const [x, y] = [(at / 4) % width, Math.floor(at / 4 / width)];
    if (x === 0 || y === 0 || x === width - 1 || y === height - 1) inner.isAtEdge = true;
    const beside = pixelsBeside(at / 4, isText, width, height);
    if (beside.length > 0) inner.besideCount += 1;
    const halo = beside.filter((pixel) => isChanged(whole, bare, pixel));
    const haloRatios = halo.map((pixel) => contrastRatio(textLuminance, luminance(whole, pixel)));
    if (haloRatios.length > 0) inner.haloRatios.push(Math.max(...haloRatios));
  }
  return texts;
}

/** Returns whether an outline or glow of a text changes a pixel. @param at index of its red channel */
function isChanged(whole: Uint8Array, bare: Uint8Array, at: number): boolean {
  return [0, 1, 2].some((channel) => Math.abs(whole[at + channel]! - bare[at + channel]!) >= MIN_HALO_CHANGE);
}

/**
 * Returns the share of each text's ink that is cut off, by the text's index: the ink beyond the box around its shown part. A line
 * or an ornament across a text hides ink within that box, which counts only if it hides much.
 *
 * @param alone the texts without masks, mattes and all other layers
 */
function measureCuts(
  { bright, dark }: TextPictures,
  alone: Uint8Array,
  width: number,
  tagStep: number,
): Map<number, number> {
  const inks = new Map<
    number,
    { shown: number; hidden: number[]; left: number; top: number; right: number; bottom: number }
  >();
  for (let at = 0; at < alone.length; at += 4) {
    const coverage = alone[at]! / 255;
    // Texts are painted with equal red and green; emoji keep their colours.
    if (coverage < MIN_INK_COVERAGE || Math.abs(alone[at]! - alone[at + 1]!) > MAX_PAINT_ERROR) continue;
    const tag = alone[at + 2]! / coverage / tagStep - 1;
    const text = Math.round(tag);
    if (Math.abs(tag - text) > TAG_TOLERANCE) continue;
    const ink = inks.get(text) ?? { shown: 0, hidden: [], left: Infinity, top: Infinity, right: -1, bottom: -1 };
    inks.set(text, ink);
    if ((bright[at]! - dark[at]!) / 255 < MIN_SHOWN_SHARE * coverage) {
      ink.hidden.push(at / 4);
      continue;
    }
    const [x, y] = [(at / 4) % width, Math.floor(at / 4 / width)];
    ink.shown += 1;
    [ink.left, ink.right] = [Math.min(ink.left, x), Math.max(ink.right, x)];
    [ink.top, ink.bottom] = [Math.min(ink.top, y), Math.max(ink.bottom, y)];
  }
  return new Map(
    [...inks].map(([text, { shown, hidden, left, top, right, bottom }]) => {
      const beyond = hidden.filter((pixel) => {
        const [x, y] = [pixel % width, Math.floor(pixel / width)];
        return x < left || x > right || y < top || y > bottom;
      });
      const hiddenShare = hidden.length / (shown + hidden.length);
      return [text, hiddenShare >= MIN_COVERED_SHARE ? hiddenShare : beyond.length / (shown + hidden.length)];
    }),
  );
}

interface TextPixel {
  /** Index of its red channel. */
  readonly at: number;
  /** Share of the pixel that a text covers, 0..1. */
  readonly coverage: number;
  /** Index of the text. */
  readonly text: number;
}

interface TextPixels {
  /** Pixels that a single text covers. */
  readonly pixels: readonly TextPixel[];
  /** 1 for each pixel that any text covers. */
  readonly isText: Uint8Array;
  /** Maximum coverage of a pixel, by the text's index. */
  readonly maxCoverage: ReadonlyMap<number, number>;
}

function findTextPixels({ bare, bright, dark }: TextPictures, tagStep: number): TextPixels {
  const pixels: TextPixel[] = [];
  const isText = new Uint8Array(bare.length / 4);
  const maxCoverage = new Map<number, number>();
  for (let at = 0; at < bare.length; at += 4) {
    const coverage = (bright[at]! - dark[at]!) / 255;
    if (coverage < MIN_TEXT_COVERAGE) continue;
    isText[at / 4] = 1;
    if (coverage < MIN_TAG_COVERAGE) continue;
    const tag = (dark[at + 2]! - bare[at + 2]! * (1 - coverage)) / coverage / tagStep - 1;
    const text = Math.round(tag);
    // The tag is meaningless if several texts cover the pixel.
    if (Math.abs(tag - text) > TAG_TOLERANCE) continue;
    pixels.push({ at, coverage, text });
    maxCoverage.set(text, Math.max(maxCoverage.get(text) ?? 0, coverage));
  }
  return { pixels, isText, maxCoverage };
}

/**
 * Returns the nearest pixels without text to the left and right, above and below, as indices of their red channels.
 *
 * @param pixel index of the pixel in `isText`
 */
function pixelsBeside(pixel: number, isText: Uint8Array, width: number, height: number): number[] {
  const x = pixel % width;
  const y = (pixel - x) / width;
  const found: number[] = [];
  const search = (step: number, room: number): void => {
    const end = pixel + step * Math.min(HALO_REACH, room);
    for (let beside = pixel; beside !== end; ) {
      beside += step;
      if (isText[beside] === 1) continue;
      found.push(beside * 4);
      return;
    }
  };
  search(-1, x);
  search(1, width - 1 - x);
  search(-width, y);
  search(width, height - 1 - y);
  return found;
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

/** Returns the contrast ratio of two luminances, 1..21. @see https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio */
export function contrastRatio(luminance1: number, luminance2: number): number {
  return (Math.max(luminance1, luminance2) + 0.05) / (Math.min(luminance1, luminance2) + 0.05);
}

/** Returns the value below which a share of the values lies. @param values not empty @param share 0..1 */
export function quantile(values: readonly number[], share: number): number {
  return Float64Array.from(values).sort()[Math.floor(values.length * share)]!;
}
