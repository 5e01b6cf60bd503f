/** Colour as written in a definition: `#RRGGBB` or `#RRGGBBAA`. */
export interface Color {
  /** 0..255. */
  readonly red: number;
  readonly green: number;
  readonly blue: number;
  /** 0..1. */
  readonly alpha: number;
}

/** Parses 3, 4, 6 or 8 hexadecimal digits with or without `#`; null for anything else. */
export function parseColor(text: string): Color | null {
  const digits = /^#?([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/i.exec(text.trim())?.[1];
  if (digits === undefined) return null;
  const long = digits.length < 6 ? [...digits].map((digit) => digit + digit).join('') : digits;
  const byte = (at: number): number => Number.parseInt(long.slice(at, at + 2), 16);
  return { red: byte(0), green: byte(2), blue: byte(4), alpha: long.length === 8 ? byte(6) / 255 : 1 };
}

/** Upper-case digits; alpha only where the colour is not opaque. */
export function formatColor({ red, green, blue, alpha }: Color): string {
  const bytes = [red, green, blue, ...(alpha < 1 ? [Math.round(alpha * 255)] : [])];
  return `#${bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')}`.toUpperCase();
}

/** Contrast of two opaque colours, 1..21. @see WCAG 2.2, definition of contrast ratio */
export function contrastOf(one: Color, other: Color): number {
  const [light, dark] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => b - a) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

/** @see WCAG 2.2, definition of relative luminance */
function luminanceOf({ red, green, blue }: Color): number {
  const linear = (byte: number): number => {
    const share = byte / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}
