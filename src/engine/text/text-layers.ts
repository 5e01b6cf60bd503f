import { isRecord } from '../../kernel/json.ts';
import { settingsOfStyle } from '../../template/font-settings.ts';
import { LAYER_TYPE, type LottieNode, layerLists, withLayerLists } from '../../template/lottie/lottie-layers.ts';
import type { FontSettings, LottieDocument } from '../../template/render-input.ts';

/** A text layer of an animation, with the fields that affect typesetting. */
export interface TextLayer {
  readonly layer: LottieNode;
  /** `t.d.editable`. */
  readonly editable: string | null;
  /** The text documents of its keyframes, not copied. */
  readonly documents: readonly LottieNode[];
  /** Animators, which move, colour or hide some of its characters (`t.a`). */
  readonly animators: readonly LottieNode[];
  /** The anchor that characters rotate and scale around (`t.m.g`): 1 each itself, 2 words, 3 lines, 4 the text box. */
  readonly grouping: number;
  /** Distance of that point below its default position, as a share of the font's ascent (`t.m.a`). */
  readonly groupingDrop: number;
}

/** Returns the text layers of an animation and its precompositions. */
export function textLayers(animation: Pick<LottieDocument, 'layers' | 'assets'>): TextLayer[] {
  return [...layerLists(animation)].flat().flatMap((layer) => readTextLayer(layer) ?? []);
}

/** Returns the text layers that editables fill. */
export function filledTextLayers(animation: LottieDocument): (TextLayer & { readonly editable: string })[] {
  return textLayers(animation).flatMap((text) =>
    text.editable === null ? [] : [{ ...text, editable: text.editable }],
  );
}

/**
 * Returns a copy of the animation with its text layers replaced.
 *
 * @param replace returns the layers for a text layer, from front to back; `index` returns an unused layer number
 * (`ind`) of its composition
 */
export function replaceTextLayers(
  animation: LottieDocument,
  replace: (layer: TextLayer, index: () => number) => readonly LottieNode[],
): LottieDocument {
  return withLayerLists(animation, (layers) => {
    let highest = layers.reduce((max: number, layer) => Math.max(max, indexOf(layer)), 0);
    return layers.flatMap((layer): readonly unknown[] => {
      const text = isRecord(layer) ? readTextLayer(layer) : null;
      return text === null ? [layer] : replace(text, () => ++highest);
    });
  });
}

/** Returns a copy of the layer with replaced text documents. @param documents new documents by the original ones */
export function withDocuments({ layer }: TextLayer, documents: ReadonlyMap<LottieNode, LottieNode>): LottieNode {
  const text = layer.t as LottieNode;
  const data = text.d as LottieNode;
  const keyframes = (data.k as unknown[]).map((keyframe) => {
    const document = isRecord(keyframe) && isRecord(keyframe.s) ? documents.get(keyframe.s) : undefined;
    return document === undefined ? keyframe : { ...(keyframe as LottieNode), s: document };
  });
  return { ...layer, t: { ...text, d: { ...data, k: keyframes } } };
}

function indexOf(layer: unknown): number {
  return isRecord(layer) && typeof layer.ind === 'number' ? layer.ind : 0;
}

function readTextLayer(layer: LottieNode): TextLayer | null {
  const text = layer.ty === LAYER_TYPE.text && isRecord(layer.t) ? layer.t : null;
  if (text === null || !isRecord(text.d) || !Array.isArray(text.d.k)) return null;
  const more = isRecord(text.m) ? text.m : {};
  return {
    layer,
    editable: typeof text.d.editable === 'string' ? text.d.editable : null,
    documents: keyframesOf(text.d).map((keyframe) => keyframe.s as LottieNode),
    animators: Array.isArray(text.a) ? text.a.filter(isRecord) : [],
    grouping: typeof more.g === 'number' ? more.g : 1,
    groupingDrop: stillY(more.a) / 100,
  };
}

function keyframesOf(data: LottieNode): LottieNode[] {
  return (data.k as unknown[]).filter((frame): frame is LottieNode => isRecord(frame) && isRecord(frame.s));
}

function stillY(property: unknown): number {
  const value = isRecord(property) && Array.isArray(property.k) ? property.k[1] : 0;
  return typeof value === 'number' ? value : 0;
}

/** Returns whether an animator may apply to some characters only. */
export function selectsPart(animator: LottieNode): boolean {
  const { s: selector } = animator;
  if (!isRecord(selector)) return false;
  const isConstantVector = (field: string, value: number): boolean => {
    const property = selector[field];
    return !isRecord(property) || property.k === value;
  };
  return !(isConstantVector('s', 0) && isConstantVector('e', 100) && isConstantVector('o', 0));
}

/** Settings of a text, read from a Lottie text document. Lengths are in pixels. */
export interface TextSpec {
  /** The text with its original line breaks. */
  readonly text: string;
  readonly font: string;
  /** Settings of the font for this text. */
  readonly settings: FontSettings;
  readonly size: number;
  readonly lineHeight: number;
  /** `ls`; positive is upwards. */
  readonly baselineShift: number;
  /** In ems. */
  readonly tracking: number;
  /** `j`: 0 left, 1 right, 2 centre; 3 to 6 justified with the last line left, right, centred, justified. */
  readonly justification: number;
  /** Null for point text, whose first baseline begins at `x`, `y`. */
  readonly box: { readonly width: number; readonly height: number } | null;
  readonly x: number;
  readonly y: number;
  /** `vj`; null for After Effects' default: starts at the top and omits lines below the box. */
  readonly vertical: 'top' | 'center' | 'bottom' | 'ink-top' | 'ink-center' | 'ink-bottom' | null;
  /** `rs`: whether the font size follows the box, in both directions or only downwards. */
  readonly resize: 'none' | 'fit' | 'shrink';
  /** `mf`, `xf`, `xl`. */
  readonly minSize: number;
  readonly maxSize: number;
  readonly maxLines: number;
  readonly caps: 'none' | 'all' | 'small';
}

/** 0 left, 1 right, 2 centre, as Lottie's `j`. */
export type Alignment = 0 | 1 | 2;

/** Returns the alignment of lines that do not fill the box. Justified lines fill it. */
export function alignmentOf({ justification }: Pick<TextSpec, 'justification'>): Alignment {
  return Math.min(justification >= 3 ? justification - 3 : justification, 2) as Alignment;
}

const VERTICAL = ['top', 'center', 'bottom', 'ink-top', 'ink-center', 'ink-bottom'] as const;
const RESIZE = ['none', 'fit', 'shrink'] as const;
const CAPS = ['none', 'all', 'small'] as const;
const AUTO_LEADING = 1.2;

/** Reads a text document. Missing and non-numeric fields get Lottie's defaults. */
export function textSpec(document: LottieNode): TextSpec {
  const size = Math.max(0, numberOf(document.s, 0));
  const [width, height] = pairOf(document.sz);
  const [x, y] = pairOf(document.ps);
  const box = width > 0 && height > 0 ? { width, height } : null;
  return {
    text: String(document.t ?? ''),
    font: String(document.f ?? ''),
    settings: settingsOfStyle(document),
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

function numberOf(value: unknown, fallback: number): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : fallback;
}
