import type { LottieNode } from '../../template/lottie/lottie-node.ts';

/** How a text document is to be set, read from the fields of a Lottie text document. Lengths are in pixels. */
export interface TextSpec {
  /** As written, with its line breaks. */
  readonly text: string;
  readonly font: string;
  readonly size: number;
  readonly lineHeight: number;
  /** `ls`: upwards. */
  readonly baselineShift: number;
  /** In ems. */
  readonly tracking: number;
  /** `j`: 0 left, 1 right, 2 centre; 3 to 6 justified with the last line left, right, centred, justified. */
  readonly justification: number;
  /** Null for a text at a point, which begins at `x`, `y` of its first baseline. */
  readonly box: { readonly width: number; readonly height: number } | null;
  readonly x: number;
  readonly y: number;
  /** `vj`; null for After Effects' way: the first line at the top, lines below the box not drawn. */
  readonly vertical: 'top' | 'center' | 'bottom' | 'ink-top' | 'ink-center' | 'ink-bottom' | null;
  /** `rs`: whether the size follows the box, in both directions or downwards only. */
  readonly resize: 'none' | 'fit' | 'shrink';
  /** `mf`, `xf`, `xl`. */
  readonly minSize: number;
  readonly maxSize: number;
  readonly maxLines: number;
  readonly caps: 'none' | 'all' | 'small';
}

const VERTICAL = ['top', 'center', 'bottom', 'ink-top', 'ink-center', 'ink-bottom'] as const;
const RESIZE = ['none', 'fit', 'shrink'] as const;
const CAPS = ['none', 'all', 'small'] as const;
const AUTO_LEADING = 1.2;

/** Reads a text document; what is missing or no number counts as Lottie's default. */
export function textSpec(document: LottieNode): TextSpec {
  const size = Math.max(0, numberOf(document.s, 0));
  const [width, height] = pairOf(document.sz);
  const [x, y] = pairOf(document.ps);
  const box = width > 0 && height > 0 ? { width, height } : null;
  return {
    text: String(document.t ?? ''),
    font: String(document.f ?? ''),
    size,
    lineHeight: numberOf(document.lh, size * AUTO_LEADING),
    baselineShift: numberOf(document.ls, 0),
    tracking: numberOf(document.tr, 0) / 1000,
    justification: numberOf(document.j, 0),
    box,
    x,
    y,
    vertical: box === null ? null : (VERTICAL[numberOf(document.vj, -1)] ?? null),
    resize: box === null ? 'none' : (RESIZE[numberOf(document.rs, 0)] ?? 'none'),
    minSize: Math.max(0, numberOf(document.mf, 0)),
    maxSize: numberOf(document.xf, 0) || Infinity,
    maxLines: numberOf(document.xl, 0) || Infinity,
    caps: CAPS[numberOf(document.ca, 0)] ?? 'none',
  };
}

function pairOf(value: unknown): [number, number] {
  return Array.isArray(value) ? [numberOf(value[0], 0), numberOf(value[1], 0)] : [0, 0];
}

function numberOf(value: unknown, otherwise: number): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : otherwise;
}
