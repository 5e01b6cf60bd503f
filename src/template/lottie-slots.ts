import { isRecord } from '../is-record.ts';
import type { LottieDocument } from './scene.ts';

/** A JSON object inside a Lottie document. */
export type LottieNode = Record<string, unknown>;

/** One text document's style and words, as a text layer holds it per keyframe. */
export interface TextStyle extends LottieNode {
  t: string;
  f: string;
}

/** Every place in a document that says which slot fills it, by slot id, in document order. */
export type SlotUses = ReadonlyMap<string, readonly SlotUse[]>;

export type SlotUse =
  /** `t.d` of a text layer: `{sid, k: [{t, s}]}`. */
  | { readonly kind: 'text'; readonly node: LottieNode; readonly styles: TextStyle[] }
  /** An image asset: `{sid, id, w, h, u, p, e}`. */
  | { readonly kind: 'image'; readonly node: LottieNode; readonly assetId: string }
  /** Any animatable property: `{sid, a, k}`; `fonts` are those of the text layer that it colours, if it does. */
  | { readonly kind: 'property'; readonly node: LottieNode; readonly fonts: readonly string[] };

/**
 * Finds every use of a slot. The nodes are the document's own, so writing to them binds a value.
 *
 * @see Lottie specification 1.0.1, "Slots"; text slots are Bodymovin's, from 5.11 on
 */
export function findSlotUses(document: LottieDocument): SlotUses {
  const uses = new Map<string, SlotUse[]>();
  const note = (id: string, use: SlotUse): void => {
    const known = uses.get(id);
    if (known === undefined) uses.set(id, [use]);
    else known.push(use);
  };

  const visit = (value: unknown, layerFonts: readonly string[]): void => {
    if (Array.isArray(value)) {
      for (const item of value) visit(item, layerFonts);
      return;
    }
    if (!isRecord(value)) return;
    const fonts = value.ty === 5 ? fontsOf(value) : layerFonts;
    if (typeof value.sid === 'string') note(value.sid, useAt(value, fonts));
    for (const [key, child] of Object.entries(value)) {
      if (key !== 'sid') visit(child, fonts);
    }
  };
  visit(document.assets, []);
  visit(document.layers, []);
  return uses;
}

/** The text documents of `t.d`-like nodes, one per keyframe. */
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

function useAt(node: LottieNode, fonts: readonly string[]): SlotUse {
  if (typeof node.id === 'string' && 'w' in node && 'h' in node) return { kind: 'image', node, assetId: node.id };
  const styles = textStyles(node);
  return styles.length > 0 ? { kind: 'text', node, styles } : { kind: 'property', node, fonts };
}

function fontsOf(textLayer: LottieNode): string[] {
  const text = textLayer.t;
  if (!isRecord(text) || !isRecord(text.d)) return [];
  return [...new Set(textStyles(text.d).map((style) => style.f))];
}
