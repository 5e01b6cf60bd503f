/** Colour as written in a definition: `#RRGGBB` or `#RRGGBBAA`. */
export interface Rgba {
  /** 0..255. */
  readonly red: number;
  readonly green: number;
  readonly blue: number;
  /** 0..1. */
  readonly alpha: number;
}

/** Parses 3, 4, 6 or 8 hexadecimal digits with or without `#`; null for anything else. */
export function parseRgba(text: string): Rgba | null {
  const digits = /^#?([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/i.exec(text.trim())?.[1];
  if (digits === undefined) return null;
  const long = digits.length < 6 ? [...digits].map((digit) => digit + digit).join('') : digits;
  const byte = (at: number): number => Number.parseInt(long.slice(at, at + 2), 16);
  return { red: byte(0), green: byte(2), blue: byte(4), alpha: long.length === 8 ? byte(6) / 255 : 1 };
}

/** Upper-case digits; alpha only where the colour is not opaque. */
export function formatRgba({ red, green, blue, alpha }: Rgba): string {
  const bytes = [red, green, blue, ...(alpha < 1 ? [Math.round(alpha * 255)] : [])];
  return `#${bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')}`.toUpperCase();
}

/** Contrast of two opaque colours, 1..21. @see WCAG 2.2, definition of contrast ratio */
export function contrastOf(left: Rgba, right: Rgba): number {
  const [light, dark] = [luminanceOf(left), luminanceOf(right)].sort((a, b) => b - a) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

/** @see WCAG 2.2, definition of relative luminance */
function luminanceOf({ red, green, blue }: Rgba): number {
  const linear = (byte: number): number => {
    const share = byte / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

/** A colour of a gradient. */
export interface Stop {
  /** `#RRGGBB` or `#RRGGBBAA`. */
  readonly color: string;
  /** 0..100. */
  readonly percent: number;
}

/** Most stops of a gradient. */
export const MAX_STOPS = 32;

/** Parses colours with or without positions; null for any other text. Positions may be out of order. */
export function parseStops(text: string): Stop[] | null {
  const parts = text.split(',').map((part) => part.trim().split(/ +/));
  if (parts.length < 2) return null;
  const stops = parts.map(([code = '', position], index): Stop | null => {
    const color = parseRgba(code);
    const percent = position === undefined ? (100 * index) / (parts.length - 1) : Number(/^(.*)%$/.exec(position)?.[1]);
    return color === null || Number.isNaN(percent) ? null : { color: formatRgba(color), percent };
  });
  return stops.every((stop) => stop !== null) ? stops : null;
}

/** Sorts the stops and writes them as a definition does. */
export function formatStops(stops: readonly Stop[]): string {
  const sorted = [...stops].sort((a, b) => a.percent - b.percent);
  return sorted.map(({ color, percent }) => `${color} ${Math.round(percent * 100) / 100}%`).join(', ');
}

/** Returns the stops with an additional stop in the middle of the widest gap. */
export function withStop(stops: readonly Stop[]): Stop[] {
  const sorted = [...stops].sort((a, b) => a.percent - b.percent);
  const gap = (index: number): number => sorted[index + 1]!.percent - sorted[index]!.percent;
  const widest = sorted.slice(1).reduce((best, _, index) => (gap(index) > gap(best) ? index : best), 0);
  const { color, percent } = sorted[widest]!;
  return sorted.toSpliced(widest + 1, 0, { color, percent: percent + gap(widest) / 2 });
}

/** Returns a CSS gradient from left to right. */
export function cssGradient(stops: readonly Stop[]): string {
  return `linear-gradient(to right, ${formatStops(stops)})`;
}
