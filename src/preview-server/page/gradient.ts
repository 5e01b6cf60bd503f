import { formatColor, parseColor } from './color.ts';

/** A colour of a gradient. */
export interface Stop {
  /** `#RRGGBB` or `#RRGGBBAA`. */
  readonly color: string;
  /** 0..100. */
  readonly percent: number;
}

/** Most stops of a gradient. */
export const MOST_STOPS = 32;

/** Parses colours with or without positions; null for any other text. Positions may be out of order. */
export function parseGradient(text: string): Stop[] | null {
  const parts = text.split(',').map((part) => part.trim().split(/ +/));
  if (parts.length < 2) return null;
  const stops = parts.map(([code = '', position], index): Stop | null => {
    const color = parseColor(code);
    const percent = position === undefined ? (100 * index) / (parts.length - 1) : Number(/^(.*)%$/.exec(position)?.[1]);
    return color === null || Number.isNaN(percent) ? null : { color: formatColor(color), percent };
  });
  return stops.every((stop) => stop !== null) ? stops : null;
}

/** Sorts the stops and writes them as a definition does. */
export function formatGradient(stops: readonly Stop[]): string {
  const sorted = [...stops].sort((a, b) => a.percent - b.percent);
  return sorted.map(({ color, percent }) => `${color} ${Math.round(percent * 100) / 100}%`).join(', ');
}

/** Returns the stops with one more in the middle of the widest gap. */
export function withStop(stops: readonly Stop[]): Stop[] {
  const sorted = [...stops].sort((a, b) => a.percent - b.percent);
  const gap = (index: number): number => sorted[index + 1]!.percent - sorted[index]!.percent;
  const widest = sorted.slice(1).reduce((best, _, index) => (gap(index) > gap(best) ? index : best), 0);
  const { color, percent } = sorted[widest]!;
  return sorted.toSpliced(widest + 1, 0, { color, percent: percent + gap(widest) / 2 });
}

/** Returns a CSS gradient from left to right. */
export function cssGradient(stops: readonly Stop[]): string {
  return `linear-gradient(to right, ${formatGradient(stops)})`;
}
