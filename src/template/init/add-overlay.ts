import { parseColor } from '../color.ts';
import type { LottieNode } from '../lottie/lottie-layers.ts';
import type { LottieDocument } from '../render-input.ts';
import { IDENTITY, layerOf, still } from './add-background.ts';
import type { FoundEditable } from './editable-targets.ts';
import { assignKey } from './find-editables.ts';
import type { KeyGenerator } from './key-generator.ts';

/** Positions of a headline with a caption. */
export const TEXT_POSITIONS = ['top', 'center', 'bottom'] as const;
export type TextPosition = (typeof TEXT_POSITIONS)[number];

interface Overlay {
  readonly position: TextPosition;
  /** Name of the font file. */
  readonly font: string;
  /** Colour of the texts: six hexadecimal digits. */
  readonly color: string;
}

/** A rectangle in pixels. */
interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Id of the composition with the layers of the original animation. */
const CONTENT = 'reelform_content';

/**
 * Margins without text, as shares of the sides. Apps cover more of a tall video: the status bar at the top, names and buttons
 * at the bottom.
 */
const SAFE = { usual: { side: 0.08, top: 0.08, bottom: 0.08 }, tall: { side: 0.08, top: 0.12, bottom: 0.2 } };
/** Share of the safe height that the texts take. */
const TEXT_SHARE = 0.3;

/**
 * Adds a headline and a caption. At the top or bottom, the animation is shrunk so that the texts do not cover it; in the
 * centre, the texts are in front of it.
 *
 * @param animation modified
 */
export function addOverlay(animation: LottieDocument, overlay: Overlay, keys: KeyGenerator): FoundEditable[] {
  const { w, h } = animation;
  const margins = h > w * 1.3 ? SAFE.tall : SAFE.usual;
  const safe: Area = {
    x: w * margins.side,
    y: h * margins.top,
    width: w * (1 - 2 * margins.side),
    height: h * (1 - margins.top - margins.bottom),
  };
  const textHeight = safe.height * TEXT_SHARE;
  const top = {
    top: safe.y,
    center: safe.y + (safe.height - textHeight) / 2,
    bottom: safe.y + safe.height - textHeight,
  };
  if (overlay.position !== 'center') {
    const gap = h * 0.02;
    const room = h - (overlay.position === 'top' ? top.top : h - top.bottom - textHeight) - textHeight - gap;
    shrinkContent(animation, { x: 0, y: overlay.position === 'top' ? h - room : 0, width: w, height: room });
  }
  const box = (from: number, share: number): Area => ({
    x: safe.x,
    y: top[overlay.position] + textHeight * from,
    width: safe.width,
    height: textHeight * share,
  });
  const headline = textLayer(animation, 'Headline', 'Your headline', box(0, 0.62), overlay, {
    share: 0.55,
    vertical: 2,
  });
  const caption = textLayer(animation, 'Caption', 'A caption below it', box(0.68, 0.32), overlay, {
    share: 0.46,
    vertical: 0,
  });
  animation.layers.unshift(headline.layer, caption.layer);
  return [headline, caption].map(({ node, layer }) => {
    const name = String(layer.nm);
    const target = { kind: 'text', node, names: [name], drawback: null, layers: [layer] } as const;
    return assignKey(keys.numbered('text'), [target], { label: name, sourceName: '', origin: 'proposed' });
  });
}

/** Moves all layers into a composition that fits an area. */
function shrinkContent(animation: LottieDocument, area: Area): void {
  const { w, h, layers } = animation;
  const scale = Math.min(area.width / w, area.height / h) * 100;
  animation.assets = [...(animation.assets ?? []), { id: CONTENT, nm: 'Animation', layers }];
  animation.layers = [];
  const ks = {
    ...structuredClone(IDENTITY),
    a: still([w / 2, h / 2, 0]),
    p: still([area.x + area.width / 2, area.y + area.height / 2, 0]),
    s: still([scale, scale, 100]),
  };
  animation.layers.push({ ...layerOf(animation, 'Animation'), ty: 0, refId: CONTENT, w, h, ks });
}

/** @param layout `share`: font size as a share of the box's height; `vertical`: 0 for its top, 2 for its bottom */
function textLayer(
  animation: LottieDocument,
  name: string,
  text: string,
  area: Area,
  { font, color }: Overlay,
  layout: { readonly share: number; readonly vertical: 0 | 2 },
): { readonly layer: LottieNode; readonly node: LottieNode } {
  const [red, green, blue] = parseColor(color) ?? [0, 0, 0];
  const size = Number(Math.min(area.height * layout.share, area.width * 0.11).toFixed(1));
  const style = {
    t: text,
    f: font,
    s: size,
    fc: [red, green, blue],
    j: 2,
    lh: Number((size * 1.15).toFixed(1)),
    tr: 0,
    ls: 0,
    sz: [Math.round(area.width), Math.round(area.height)],
    ps: [0, 0],
    vj: layout.vertical,
  };
  const node: LottieNode = { k: [{ t: 0, s: style }] };
  const base = layerOf(animation, name);
  const layer = {
    ...base,
    ind: Number(base.ind) + (name === 'Caption' ? 1 : 0),
    ty: 5,
    ks: { ...structuredClone(IDENTITY), p: still([Math.round(area.x), Math.round(area.y), 0]) },
    t: { d: node, p: {}, m: { g: 1, a: still([0, 0]) }, a: [] },
  };
  return { layer, node };
}
