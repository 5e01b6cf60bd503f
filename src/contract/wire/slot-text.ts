import { type SlotKind, slotFacts } from '../fields/editable-kinds.ts';

/** A colour of a gradient. */
export interface GradientStop {
  /** 6 or 8 upper-case hexadecimal digits, no `#`. */
  readonly color: string;
  /** 0..1, ascending. */
  readonly offset: number;
}

/** Parses the text of a number or a point; null for any other text. */
export function parseNumbers(kind: 'number' | 'point', text: string): number[] | null {
  // Adding zero turns -0 into 0.
  return isOfSlotForm(kind, text) ? text.split(',').map((numberText) => Number(numberText) + 0) : null;
}

/**
 * Parses 2 to 32 colours with ascending positions; null for any other text. Without positions, the colours are evenly
 * spaced.
 */
export function parseGradient(text: string): GradientStop[] | null {
  if (!isOfSlotForm('gradient', text)) return null;
  const parts = text.split(',').map((stop) => stop.trim().split(/ +/));
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
  return numbers.map((number) => String(Math.round(number * 1e6) / 1e6 + 0)).join(', ');
}

const NORMALIZERS: Readonly<Record<SlotKind, (text: string) => string | null>> = {
  number: (text) => nullOr(parseNumbers('number', text), formatNumbers),
  point: (text) => nullOr(parseNumbers('point', text), formatNumbers),
  gradient: (text) => nullOr(parseGradient(text), formatGradient),
};

function nullOr<T>(value: T | null, format: (value: T) => string): string | null {
  return value === null ? null : format(value);
}

/** Returns the normal form of a value, so that equal values have equal texts; null if it is invalid. */
export function normalizeSlotText(kind: SlotKind, text: string): string | null {
  return NORMALIZERS[kind](text.trim());
}

/** Returns whether a text has the form of its kind; positions of a gradient may still be out of order. */
export function isOfSlotForm(kind: SlotKind, text: string): boolean {
  return new RegExp(`^${slotFacts(kind).pattern}$`).test(text);
}
