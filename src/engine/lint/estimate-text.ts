import { LINEAR, luminanceOf } from '../color/linear-light.ts';
import { contrastRatio, MIN_INNER_SHARE, MIN_PIXELS, MIN_TAG_COVERAGE, quantile } from './contrast.ts';
import type { TextVisibility } from './measured-frames.ts';
import type { Part } from './pixel-boxes.ts';
import { MIN_INK_COVERAGE, MIN_SHOWN_SHARE, TAG_TOLERANCE } from './text-cuts.ts';

/** The pictures that a text lies between. */
export interface LoneText {
  /** The text over nothing; the box contains all of its pixels. */
  readonly text: Part;
  /** Without its masks; null if cuts by masks are not estimated. */
  readonly unmasked: Part | null;
  /** Pixels of the text's box without the texts of editables. */
  readonly ground: Uint8Array;
  /** Pixels of the text's box that the layers above it paint; null if there are none. */
  readonly above: Uint8Array | null;
}

/** Difference of an estimated coverage from the measured one. */
const COVERAGE_ERROR = 0.01;
/** Difference of estimated inner pixels' coverage, as a share of the text's maximum. */
const INNER_ERROR = 0.04;
/** Numbers of pixels by which an estimate may differ from the measurement. */
const PIXEL_ERROR = 8;
/** The measurement recognizes the pixels of a text that covers them at least this much, if the tags of texts differ by this much. */
const MIN_COVERAGE = 0.2;
const MIN_TAG_DIFFERENCE = 2.5;
/** The coverage decides about a text that fades, if its contrast is low: less than the largest that a text needs. */
const FADED_RATIO = 4.6;
/** Number of pixels that are compared with the ground; those of a large text are a sample. */
const MAX_PIXELS = 4_000;
/** Maximum share of a text's pixels that layers above may cover in part. */
const MAX_MIXED_SHARE = 0.1;
/** The contrast is estimated to be smaller than it is: at a smaller quantile than the measured one, and by this factor. */
const RATIO_QUANTILE = 0.07;
const RATIO_FACTOR = 0.97;

/**
 * Estimates what `TextMeasurer` would measure of a plain text. The contrast is at most the measured one, the cut share at least. Whether
 * the text is visible is certain.
 *
 * @param tagStep distance between the tags of consecutive texts in the measurement
 * @returns `hidden` if it is not visible; null if the estimate would be too inaccurate
 */
export function estimateText(pictures: LoneText, tagStep: number): Omit<TextVisibility, 'frame'> | 'hidden' | null {
  const { text, above, ground } = pictures;
  const { pixels } = text;
  const { shown, mixed } = shownPixels(pixels, above);
  if (shown.length + mixed < MIN_PIXELS - PIXEL_ERROR) return 'hidden';
  // Number of pixels from each alpha on.
  const counts = new Uint32Array(257);
  for (const pixel of shown) counts[pixels[4 * pixel + 3]!]! += 1;
  for (let alpha = 255; alpha >= 0; alpha--) counts[alpha]! += counts[alpha + 1]!;
  const maxAlpha = counts.findLastIndex((count) => count > 0);
  const innerFrom = (share: number): number => counts[Math.ceil(share * maxAlpha)]!;
  const coverage = maxAlpha / 255;
  const minCoverage = Math.max(MIN_COVERAGE, MIN_TAG_DIFFERENCE / (TAG_TOLERANCE * tagStep));
  if (mixed > MAX_MIXED_SHARE * shown.length || coverage < minCoverage) return null;
  if (innerFrom(MIN_INNER_SHARE - INNER_ERROR) + mixed < MIN_PIXELS - PIXEL_ERROR) return 'hidden';
  if (innerFrom(MIN_INNER_SHARE + INNER_ERROR) < MIN_PIXELS + PIXEL_ERROR) return null;
  const step = Math.ceil(innerFrom(MIN_INNER_SHARE) / MAX_PIXELS);
  const [ratios, luminances]: [number[], number[]] = [[], []];
  let inner = 0;
  for (const pixel of shown) {
    const at = 4 * pixel;
    if (pixels[at + 3]! < MIN_INNER_SHARE * maxAlpha || inner++ % step !== 0) continue;
    const [red, green, blue] = [ground[at]!, ground[at + 1]!, ground[at + 2]!];
    const luminance = luminanceOf(
      LINEAR[Math.round(red + (pixels[at]! - red) * coverage)]!,
      LINEAR[Math.round(green + (pixels[at + 1]! - green) * coverage)]!,
      LINEAR[Math.round(blue + (pixels[at + 2]! - blue) * coverage)]!,
    );
    luminances.push(luminance);
    ratios.push(contrastRatio(luminance, luminanceOf(LINEAR[red]!, LINEAR[green]!, LINEAR[blue]!)));
  }
  const ratio = RATIO_FACTOR * quantile(ratios, RATIO_QUANTILE);
  // Edges are covered more with bright colours, so that the coverage of a text that fades is not certain.
  if (coverage < 1 && ratio < FADED_RATIO) return null;
  return {
    ratio,
    // The caller knows the picture.
    isAtEdge: false,
    coverage,
    luminance: [quantile(luminances, 0.1), quantile(luminances, 0.9)],
    cutShare: hiddenShare(pictures),
  };
}

const MIN_SHOWN_ALPHA = 255 * (MIN_TAG_COVERAGE - COVERAGE_ERROR);

/** Returns the pixels of a text that no layer above covers, and the number of those that one covers in part. */
function shownPixels(
  text: Uint8Array,
  above: Uint8Array | null,
): { readonly shown: Uint32Array; readonly mixed: number } {
  const colors = new Uint32Array(text.buffer, text.byteOffset, text.length / 4);
  const shown = new Uint32Array(colors.length);
  let [count, mixed] = [0, 0];
  for (let pixel = 0; pixel < colors.length; pixel++) {
    if (colors[pixel] === 0 || text[4 * pixel + 3]! < MIN_SHOWN_ALPHA) continue;
    const covered = above === null ? 0 : above[4 * pixel + 3]!;
    if (covered === 0) shown[count++] = pixel;
    else if (covered < 255) mixed += 1;
  }
  return { shown: shown.subarray(0, count), mixed };
}

/** Returns the share of a text's ink that its masks or the layers above hide; null if masks are not considered, or without ink. */
function hiddenShare({ text, unmasked, above }: LoneText): number | null {
  if (unmasked === null) return null;
  const { left, top, width, height } = text.box;
  let [ink, hidden] = [0, 0];
  for (let row = 0, at = 3; row < unmasked.box.height; row++) {
    const y = unmasked.box.top + row - top;
    for (let column = 0; column < unmasked.box.width; column++, at += 4) {
      const alpha = unmasked.pixels[at]!;
      if (alpha < 255 * MIN_INK_COVERAGE) continue;
      ink += 1;
      const x = unmasked.box.left + column - left;
      const isInside = x >= 0 && x < width && y >= 0 && y < height;
      const inText = 4 * (y * width + x) + 3;
      const shown = isInside ? text.pixels[inText]! * (1 - (above === null ? 0 : above[inText]! / 255)) : 0;
      if (shown < (MIN_SHOWN_SHARE + INNER_ERROR) * alpha) hidden += 1;
    }
  }
  return ink === 0 ? null : hidden / ink;
}
