/** Linear light for the 256 values of an sRGB channel, 0..1. @see https://www.w3.org/TR/WCAG22/#dfn-relative-luminance */
export const LINEAR = Float64Array.from({ length: 256 }, (_, value) => {
  const share = value / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
});

/** Returns the relative luminance of linear light, 0..1. @see https://www.w3.org/TR/WCAG22/#dfn-relative-luminance */
export function luminanceOf(red: number, green: number, blue: number): number {
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
