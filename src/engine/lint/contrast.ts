/**
 * Linear light of the 256 values of a channel.
 *
 * @see https://www.w3.org/TR/WCAG22/#dfn-relative-luminance
 */
const LINEAR = Float64Array.from({ length: 256 }, (_, value) => {
  const share = value / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
});

/** Relative luminance of a pixel, 0..1. @param at index of its red channel */
export function luminance(rgba: Uint8Array, at: number): number {
  return 0.2126 * LINEAR[rgba[at]!]! + 0.7152 * LINEAR[rgba[at + 1]!]! + 0.0722 * LINEAR[rgba[at + 2]!]!;
}

/** The contrast ratio of two luminances, 1..21. @see https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio */
export function contrastRatio(one: number, other: number): number {
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
}

/** Nine tenths of the values are at least this. @param values not empty; sorted in place */
export function lowestTenth(values: Float64Array): number {
  return values.sort()[Math.floor(values.length / 10)]!;
}
