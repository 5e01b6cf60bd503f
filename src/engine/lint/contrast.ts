/** Minimum coverage of an inner pixel, as a share of the text's maximum, which translucent content over the text may reduce. */
export const MIN_INNER_SHARE = 0.9;
/** With less coverage, the tag of a pixel is unreliable. */
export const MIN_TAG_COVERAGE = 0.15;
/** With fewer pixels, the result is meaningless because the text is fading out or too fine for this size. */
export const MIN_PIXELS = 24;

/** Minimum contrast ratios of large and small text. @see https://www.w3.org/TR/WCAG22/#contrast-minimum */
const MIN_CONTRAST = { large: 3, small: 4.5 };
/** Minimum font size of large text, in pixels of a picture of 1,080 lines. */
const LARGE_SIZE = 24;

/** Returns the contrast that a text needs. @param size of its font, in pixels of a picture of 1,080 lines */
export function contrastNeeded(size: number): number {
  return size >= LARGE_SIZE ? MIN_CONTRAST.large : MIN_CONTRAST.small;
}

/** Returns the contrast ratio of two luminances, 1..21. @see https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio */
export function contrastRatio(luminance1: number, luminance2: number): number {
  return (Math.max(luminance1, luminance2) + 0.05) / (Math.min(luminance1, luminance2) + 0.05);
}

/** Returns the value below which a share of the values lies. @param values not empty @param share 0..1 */
export function quantile(values: readonly number[], share: number): number {
  return new Float64Array(values).sort()[Math.floor(values.length * share)]!;
}
