/** Red, green, blue and alpha, 0..1. */
type LottieColor = [number, number, number, number];

/** Parses `EEADA7`, `#eeada7` or `EEADA7FF`; returns null for other text. */
export function parseColor(text: string): LottieColor | null {
  if (!/^#?(?:[0-9a-f]{6}|[0-9a-f]{8})$/i.test(text)) return null;
  const digits = text.replace('#', '').padEnd(8, 'f');
  const component = (at: number): number => Number.parseInt(digits.slice(at, at + 2), 16) / 255;
  return [component(0), component(2), component(4), component(6)];
}

/** Formats components as 6 upper-case digits, or 8 for a translucent colour. */
export function formatColor(color: readonly number[]): string {
  const [red = 0, green = 0, blue = 0, alpha = 1] = color;
  const digits = (value: number): string =>
    Math.round(Math.min(1, Math.max(0, value)) * 255)
      .toString(16)
      .padStart(2, '0');
  return `${digits(red)}${digits(green)}${digits(blue)}${alpha < 1 ? digits(alpha) : ''}`.toUpperCase();
}
