import { MAX_GRADIENT_STOPS, SLOT_KINDS, type SlotKind } from '../../../contract/fields/editable-kinds.ts';
import {
  formatGradient,
  formatNumbers,
  type GradientStop,
  parseGradient,
  parseNumbers,
} from '../../../contract/wire/slot-text.ts';
import { isNumberList, isRecord } from '../../../kernel/json.ts';
import { formatColor, parseColor } from '../../color.ts';
import type { LottieNode } from '../lottie-layers.ts';

/**
 * Returns whether a node is the gradient of a fill or stroke, `{p, k: {a, k}}`, which carries the slot of a gradient.
 *
 * @see Lottie specification 1.0.1, "Gradients"
 */
export function isGradient({ p, k }: LottieNode): boolean {
  return typeof p === 'number' && isRecord(k) && 'k' in k;
}

/** How values of a kind are read from and written to properties. */
interface SlotForm {
  /** Whether a property has the form that the kind fills. */
  readonly fits: (node: LottieNode) => boolean;
  readonly read: (node: LottieNode) => string;
  /** @param text that `normalizeSlotText` accepts */
  readonly write: (node: LottieNode, text: string) => void;
}

const SLOT_FORMS: Readonly<Record<SlotKind, SlotForm>> = {
  number: {
    fits: (node) => !isGradient(node) && firstValue(node)?.length === 1,
    read: (node) => formatNumbers(numbersOf(node).slice(0, 1)),
    write(node, text) {
      const numbers = parseNumbers('number', text);
      if (numbers !== null) Object.assign(node, { a: 0, k: Array.isArray(node.k) ? numbers : numbers[0] });
    },
  },
  point: {
    fits: (node) => !isGradient(node) && [2, 3].includes(firstValue(node)?.length ?? 0),
    read: (node) => formatNumbers(numbersOf(node).slice(0, 2)),
    // A third dimension keeps its value.
    write(node, text) {
      const numbers = parseNumbers('point', text);
      if (numbers !== null) Object.assign(node, { a: 0, k: [...numbers, ...(firstValue(node) ?? []).slice(2)] });
    },
  },
  gradient: {
    fits: isGradient,
    read: (node) => formatGradient(stopsOf(numbersOf(node), Number(node.p))),
    write(node, text) {
      const stops = parseGradient(text);
      if (stops !== null) Object.assign(node, { p: stops.length, k: { a: 0, k: gradientValues(stops) } });
    },
  },
};

/** Returns the first kind that fills properties of this form, by the value or its first keyframe; null for paths and colours of texts. */
export function propertyKind(node: LottieNode): SlotKind | null {
  return SLOT_KINDS.find((kind) => SLOT_FORMS[kind].fits(node)) ?? null;
}

/** Returns whether a property has the form that a kind fills. */
export function fitsProperty(kind: SlotKind, node: LottieNode): boolean {
  return SLOT_FORMS[kind].fits(node);
}

/** Returns whether a property, or the stops of a gradient, have keyframes. */
export function isAnimatedProperty(node: LottieNode): boolean {
  const { k } = isGradient(node) ? (node.k as LottieNode) : node;
  return Array.isArray(k) && k.some(isRecord);
}

/** Returns the value of a property, or of its first keyframe, as the text of a definition; empty if it has none. */
export function propertyText(kind: SlotKind, node: LottieNode): string {
  return SLOT_FORMS[kind].read(node);
}

/** Writes a value to a property. @param text that `normalizeSlotText` accepts */
export function writeProperty(kind: SlotKind, node: LottieNode, text: string): void {
  SLOT_FORMS[kind].write(node, text);
}

function numbersOf(node: LottieNode): number[] {
  return firstValue(isGradient(node) ? (node.k as LottieNode) : node) ?? [];
}

function firstValue({ k }: LottieNode): number[] | null {
  const value = Array.isArray(k) && isRecord(k[0]) ? k[0].s : k;
  const numbers = Array.isArray(value) ? value : [value];
  return isNumberList(numbers) && numbers.length > 0 ? numbers : null;
}

/**
 * Stops of colours are four numbers, offset and components; stops of opacity follow as pairs of offset and opacity. Of more
 * stops than a value may have, returns as many at even intervals: the text is an example, and has to be valid.
 */
function stopsOf(values: readonly number[], colorCount: number): GradientStop[] {
  const colors = tuples(values.slice(0, colorCount * 4), 4);
  const opacities = tuples(values.slice(colorCount * 4), 2);
  const offsets = new Set([...colors, ...opacities].map(([offset = 0]) => clamp(offset)));
  const ascending = [...offsets].sort((a, b) => a - b);
  return evenly(ascending, MAX_GRADIENT_STOPS).map((offset) => {
    const channels = [1, 2, 3].map((channel) => valueAt(colors, offset, channel));
    const alpha = opacities.length === 0 ? 1 : valueAt(opacities, offset, 1);
    return { offset, color: formatColor([...channels, alpha]) };
  });
}

/** Returns at most `count` items, including the first and the last. */
function evenly<T>(items: readonly T[], count: number): readonly T[] {
  if (items.length <= count) return items;
  return Array.from({ length: count }, (_, index) => items[Math.round((index * (items.length - 1)) / (count - 1))]!);
}

function gradientValues(stops: readonly GradientStop[]): number[] {
  const colors = stops.map(({ offset, color }) => ({ offset, channels: parseColor(color)! }));
  const isOpaque = colors.every(({ channels: [, , , alpha] }) => alpha === 1);
  return [
    ...colors.flatMap(({ offset, channels }) => [offset, ...channels.slice(0, 3)]),
    ...(isOpaque ? [] : colors.flatMap(({ offset, channels }) => [offset, channels[3]])),
  ];
}

function tuples(values: readonly number[], size: number): number[][] {
  const count = Math.floor(values.length / size);
  return Array.from({ length: count }, (_, index) => values.slice(index * size, (index + 1) * size));
}

/** Interpolates a channel between stops, each of which begins with its offset. */
function valueAt(stops: readonly number[][], offset: number, channel: number): number {
  const next = stops.findIndex(([at = 0]) => at >= offset);
  const to = stops[next === -1 ? stops.length - 1 : next]!;
  const from = stops[next - 1] ?? to;
  const span = to[0]! - from[0]!;
  const share = span > 0 ? (offset - from[0]!) / span : 1;
  return from[channel]! + (to[channel]! - from[channel]!) * Math.min(1, share);
}

function clamp(offset: number): number {
  return Math.min(1, Math.max(0, offset));
}
