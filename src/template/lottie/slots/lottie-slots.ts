import { isRecord } from '../../../kernel/json.ts';
import type { FontSlot } from '../../parse-manifest.ts';
import type { LottieDocument } from '../../render-input.ts';
import { LAYER_TYPE, type LottieNode, layerLists } from '../lottie-layers.ts';

/** The style and text of a keyframe of a text layer. */
export interface TextStyle extends LottieNode {
  t: string;
  f: string;
}

/** Every node that names a slot, by slot id, in document order. */
export type SlotUses = ReadonlyMap<string, readonly SlotUse[]>;

export type SlotUse =
  /** `t.d` of a text layer: `{sid, k: [{t, s}]}`. */
  | { readonly kind: 'text'; readonly node: LottieNode; readonly styles: TextStyle[] }
  /** An image asset: `{sid, id, w, h, u, p, e}`. */
  | { readonly kind: 'image'; readonly node: LottieNode; readonly assetId: string }
  /** A sound asset: `{sid, id, u, p, e}`, which layers of type 6 play. */
  | { readonly kind: 'sound'; readonly node: LottieNode; readonly assetId: string }
  /** Any animatable property: `{sid, a, k}`; `fonts` are those of the text layer that it colours, if any. */
  | { readonly kind: 'property'; readonly node: LottieNode; readonly fonts: readonly string[] };

/**
 * Finds every use of a slot. The nodes are not copied, so writing to them binds a value.
 *
 * @param sounds those of the whole document, of which `document` may be a part
 * @see Lottie specification 1.0.1, "Slots"; text slots are an extension of Bodymovin 5.11
 */
export function findSlotUses(
  document: Pick<LottieDocument, 'layers' | 'assets'>,
  sounds = soundAssetIds(document),
): SlotUses {
  const uses = new Map<string, SlotUse[]>();
  const note = (id: string, use: SlotUse): void => {
    const known = uses.get(id);
    if (known === undefined) uses.set(id, [use]);
    else known.push(use);
  };

  // Walks without entries and iterators, because there may be hundreds of thousands of objects.
  const visit = (value: unknown, layerFonts: readonly string[]): void => {
    if (Array.isArray(value)) {
      for (let index = 0; index < value.length; index++) {
        if (typeof value[index] === 'object') visit(value[index], layerFonts);
      }
      return;
    }
    if (!isRecord(value)) return;
    const fonts = value.ty === LAYER_TYPE.text ? fontsOf(value) : layerFonts;
    if (typeof value.sid === 'string') note(value.sid, useAt(value, fonts, sounds));
    const keys = Object.keys(value);
    for (let index = 0; index < keys.length; index++) {
      const key = keys[index]!;
      if (key !== 'sid' && typeof value[key] === 'object') visit(value[key], fonts);
    }
  };
  visit(document.assets, []);
  visit(document.layers, []);
  return uses;
}

/** Line breaks: Lottie uses the carriage return; After Effects writes a soft break as U+0003. */
export const LINE_END = /\r\n|[\n\v\f\r\u0003\u0085\u2028\u2029]/;

/** Converts each line break of a Lottie text to `\n`, as in definitions. */
export function normalizeLineBreaks(text: string): string {
  return text.split(LINE_END).join('\n');
}

/** Returns the text documents of `t.d`-like nodes, in the order of keyframes. */
export function textStyles(node: LottieNode): TextStyle[] {
  if (!Array.isArray(node.k)) return [];
  const styles: TextStyle[] = [];
  for (const frame of node.k) {
    if (isRecord(frame) && isRecord(frame.s) && typeof frame.s.t === 'string' && typeof frame.s.f === 'string') {
      styles.push(frame.s as TextStyle);
    }
  }
  return styles;
}

/** Returns the ids of assets that sound layers play. @see Lottie documentation: "Audio Layer" is layer type 6 */
export function soundAssetIds(document: Pick<LottieDocument, 'layers' | 'assets'>): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const layers of layerLists(document)) {
    for (const { ty, refId } of layers) if (ty === LAYER_TYPE.audio && typeof refId === 'string') ids.add(refId);
  }
  return ids;
}

function useAt(node: LottieNode, fonts: readonly string[], sounds: ReadonlySet<string>): SlotUse {
  if (typeof node.id === 'string' && sounds.has(node.id)) return { kind: 'sound', node, assetId: node.id };
  if (typeof node.id === 'string' && 'w' in node && 'h' in node) return { kind: 'image', node, assetId: node.id };
  const styles = textStyles(node);
  return styles.length > 0 ? { kind: 'text', node, styles } : { kind: 'property', node, fonts };
}

function fontsOf(textLayer: LottieNode): string[] {
  const text = textLayer.t;
  if (!isRecord(text) || !isRecord(text.d)) return [];
  return [...new Set(textStyles(text.d).map((style) => style.f))];
}

/** The style of a text, and the editable that fills it: from `sid`, or from `editable` in a bound animation. */
interface UsedStyle {
  readonly style: TextStyle;
  readonly editable: string | null;
}

/** Returns every style of every text layer, in document order, not copied. */
export function usedStyles(animation: Pick<LottieDocument, 'layers' | 'assets'>): UsedStyle[] {
  const found: UsedStyle[] = [];
  for (const layers of layerLists(animation)) {
    for (const { t: text } of layers) {
      const node = isRecord(text) && isRecord(text.d) ? text.d : null;
      if (node === null) continue;
      const editable = [node.sid, node.editable].find((key) => typeof key === 'string') ?? null;
      for (const style of textStyles(node)) found.push({ style, editable });
    }
  }
  return found;
}

/** Returns the number of lines that the boxes of editable texts have room for. Texts without a box are left out. */
export function boxLines(animation: Pick<LottieDocument, 'layers' | 'assets'>): Map<string, number> {
  const found = new Map<string, number>();
  for (const { editable, style } of usedStyles(animation)) {
    const height = Array.isArray(style.sz) ? Number(style.sz[1]) : Number.NaN;
    const lines = Math.max(1, Math.floor(height / Number(style.lh)));
    if (editable === null || !Number.isFinite(lines)) continue;
    found.set(editable, Math.min(found.get(editable) ?? lines, lines));
  }
  return found;
}

/** Returns the distinct names of fonts that texts use. */
export function usedFonts(animation: Pick<LottieDocument, 'layers' | 'assets'>): string[] {
  return [...new Set(usedStyles(animation).map(({ style }) => style.f))];
}

/** Returns `fonts.list` without entries that are no objects. */
export function fontList({ fonts }: LottieDocument): LottieNode[] {
  return isRecord(fonts) && Array.isArray(fonts.list) ? fonts.list.filter(isRecord) : [];
}

/** Returns the names in `fonts.list`, in order. */
export function fontNames(animation: LottieDocument): string[] {
  return fontList(animation).flatMap(({ fName }) => (typeof fName === 'string' ? [fName] : []));
}

/** Returns whether a font editable replaces the font of a text. */
export function isReplaced({ replaces, texts }: FontSlot, font: string, editable: string | null): boolean {
  return font === replaces && (texts === null || (editable !== null && texts.includes(editable)));
}
