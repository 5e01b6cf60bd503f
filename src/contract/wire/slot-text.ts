/**
 * Kinds of editables that fill a scalar, a vector or a gradient of an animation. On the wire each value is a text, like that
 * of a colour: `12.5`, `10, 20`, `#FF0000 0%, #00FF00 100%`.
 */
export const SLOT_KINDS = ['number', 'point', 'gradient'] as const;
export type SlotKind = (typeof SLOT_KINDS)[number];

/** A colour of a gradient. */
export interface GradientStop {
  /** 6 or 8 upper-case hexadecimal digits, no `#`. */
  readonly color: string;
  /** 0..1, ascending. */
  readonly offset: number;
}

const NUMBER = '[+-]?[0-9]{1,6}(\\.[0-9]{1,6})?';
const STOP = '#?([0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})( +[0-9]{1,3}(\\.[0-9]{1,6})?%)?';
const COMMA = ' *, *';
/** Maximum colours of a gradient. */
export const MAX_GRADIENT_STOPS = 32;

/** Regular expressions of the texts, without anchors. They accept gradients whose positions do not ascend. */
export const SLOT_PATTERNS: Readonly<Record<SlotKind, string>> = {
  number: NUMBER,
  point: `${NUMBER}${COMMA}${NUMBER}`,
  gradient: `${STOP}(${COMMA}${STOP}){1,${MAX_GRADIENT_STOPS - 1}}`,
};

/** An example of each kind, for messages and editors. */
export const SLOT_EXAMPLES: Readonly<Record<SlotKind, string>> = {
  number: '12.5',
  point: '10, 20',
  gradient: '#FF0000 0%, #00FF00 100%',
};

export function isSlotKind(kind: string): kind is SlotKind {
  return SLOT_KINDS.some((one) => one === kind);
}

/** Parses the text of a number or a point; null for any other text. */
export function parseNumbers(kind: 'number' | 'point', text: string): number[] | null {
  // Adding zero turns -0 into 0.
  return isOfSlotForm(kind, text) ? text.split(',').map((one) => Number(one) + 0) : null;
}

/**
 * Parses 2 to 32 colours with ascending positions; null for any other text. Without positions, the colours are evenly
 * spaced.
 */
export function parseGradient(text: string): GradientStop[] | null {
  if (!isOfSlotForm('gradient', text)) return null;
  const parts = text.split(',').map((one) => one.trim().split(/ +/));
  if (new Set(parts.map(({ length }) => length)).size > 1) return null;
  const stops = parts.map(([color = '', position], index) => ({
    color: color.replace('#', '').toUpperCase(),
    offset: position === undefined ? index / (parts.length - 1) : Number(position.slice(0, -1)) / 100,
  }));
  const isAscending = stops.every(({ offset }, index) => offset <= 1 && offset >= (stops[index - 1]?.offset ?? 0));
  return isAscending ? stops : null;
}

/** Returns the text of a gradient in its normal form. Positions are rounded to a hundredth of a percent. */
export function formatGradient(stops: readonly GradientStop[]): string {
  return stops.map(({ color, offset }) => `#${color} ${Math.round(offset * 10_000) / 100}%`).join(', ');
}

/** Returns the text of numbers, rounded to six decimals. */
export function formatNumbers(numbers: readonly number[]): string {
  return numbers.map((one) => String(Math.round(one * 1e6) / 1e6 + 0)).join(', ');
}

/** Returns the normal form of a value, so that equal values have equal texts; null if it is invalid. */
export function normalizeSlotText(kind: SlotKind, text: string): string | null {
  const trimmed = text.trim();
  const value = kind === 'gradient' ? parseGradient(trimmed) : parseNumbers(kind, trimmed);
  if (value === null) return null;
  return kind === 'gradient' ? formatGradient(value as GradientStop[]) : formatNumbers(value as number[]);
}

/** Returns whether a text has the form of its kind; positions of a gradient may still be out of order. */
export function isOfSlotForm(kind: SlotKind, text: string): boolean {
  return new RegExp(`^${SLOT_PATTERNS[kind]}$`).test(text);
}
