import { isRecord } from '../../kernel/json.ts';
import { STYLE_SETTINGS } from '../../template/font-settings.ts';
import type { LottieNode } from '../../template/lottie/lottie-layers.ts';
import { fontList } from '../../template/lottie/slots/lottie-slots.ts';
import type { InputFont, LottieDocument } from '../../template/render-input.ts';
import { type DrawnPart, GlyphPool, POOL_ASCENT } from './glyph-pool.ts';
import { type LaidOutText, layOutLayers } from './lay-out-layers.ts';
import { findTextProblems, type TextFinding } from './text-findings.ts';
import {
  type Alignment,
  alignmentOf,
  replaceTextLayers,
  selectsPart,
  type TextLayer,
  withDocuments,
} from './text-layers.ts';
import { spaceAdvance, type TypesetOrder, typesetLine } from './typeset-line.ts';

/**
 * Typesets all texts of an animation: shapes them, breaks them into lines, positions them, and embeds their outlines, so that the
 * rasteriser does not use fonts. Animators of characters still apply.
 *
 * @param animation not modified
 * @param fonts all fonts of the input; the fallbacks in order
 * @throws RenderError template_invalid for a font that is missing or unusable
 */
export async function typesetTexts(
  animation: LottieDocument,
  fonts: readonly InputFont[],
): Promise<{ readonly animation: LottieDocument; readonly findings: readonly TextFinding[] }> {
  const texts = await layOutLayers(animation, fonts);
  const pool = new GlyphPool();
  const keptFonts = new Set<unknown>();
  const typeset = replaceTextLayers(animation, (layer, index) => {
    const layerTexts = texts.filter(({ document }) => layer.documents.includes(document));
    for (const document of layer.documents) {
      if (!layerTexts.some((text) => text.document === document)) keptFonts.add(document.f);
    }
    return typesetLayer(layer, layerTexts, pool, index);
  });
  const chars = [...(Array.isArray(animation.chars) ? animation.chars : []), ...pool.chars];
  const list = [...fontList(animation).filter(({ fName }) => keptFonts.has(fName)), ...pool.fonts];
  const assets = [...(typeset.assets ?? []), ...(await emojiAssets(pool))];
  return { animation: { ...typeset, assets, chars, fonts: { list } }, findings: findTextProblems(texts) };
}

/** Loads the drawing code only if the input has emoji. */
async function emojiAssets({ emoji }: GlyphPool): Promise<NonNullable<LottieDocument['assets']>> {
  if (emoji.length === 0) return [];
  const { drawEmoji } = await import('./draw-emoji.ts');
  return drawEmoji(emoji);
}

/**
 * Returns the layers that draw a text layer, usually a single layer. Animators of opacity fade letters, but not pictures of emoji. If
 * a layer has both, it is split into three: a matte of filled rectangles that fade, the pictures behind that matte, and the letters.
 *
 * @param texts of the layer
 * @param index returns numbers for the added layers
 * @returns from front to back
 */
function typesetLayer(
  layer: TextLayer,
  texts: readonly LaidOutText[],
  pool: GlyphPool,
  index: () => number,
): LottieNode[] {
  const draw = (part: DrawnPart): LottieNode =>
    withDocuments(layer, new Map(texts.map((text) => [text.document, typesetDocument(text, pool, part)])));
  const hasPictures = texts.some(({ layout }) =>
    layout.lines.some(({ cells }) => cells.some(({ cell }) => cell.isColored)),
  );
  // A layer that is a matte or has a matte cannot be split, because a layer has at most one matte.
  const isMatted = layer.layer.tt !== undefined || layer.layer.td !== undefined;
  if (!hasPictures || isMatted || !layer.animators.some(fades)) return [draw('all')];
  const areas = new Map(texts.map((text) => [text.document, filled(typesetDocument(text, pool, 'areas'))]));
  const matte = asMatte(withDocuments(layer, areas));
  return [{ ...matte, ind: index() }, { ...draw('pictures'), ind: index(), tt: 1 }, draw('letters')];
}

/** Turns a layer into a matte. Removes effects, styles and masks, which the layer of the pictures has. */
function asMatte({ ef: _, sy: __, bm: ___, hasMask: ____, masksProperties: _____, ...layer }: LottieNode): LottieNode {
  const ks = isRecord(layer.ks) ? { ...layer.ks, o: { a: 0, k: 100 } } : layer.ks;
  return { ...layer, ks, td: 1 };
}

function fades({ a: properties }: LottieNode): boolean {
  return isRecord(properties) && ['o', 'fo'].some((field) => isRecord(properties[field]));
}

function filled(document: LottieNode): LottieNode {
  const { sc: _, sw: __, ...rest } = document;
  return { ...rest, fc: [1, 1, 1] };
}

/** Fields of a text document that the layout replaces. */
const REPLACED_FIELDS = [
  STYLE_SETTINGS,
  'sz',
  'ps',
  'rs',
  'sk_rs',
  'vj',
  'sk_vj',
  'mf',
  'xf',
  'xl',
  'ca',
  'tr',
  'ls',
  'm',
  'j',
];
/** Mirrored alignments by Lottie's `j`: left, right, centre. */
const MIRRORED = [1, 0, 2] as const;
const TEXT_BOX_GROUPING = 4;
/** Limits for the resolution of emoji pictures, in pixels per em. */
const MIN_EMOJI = 64;
const MAX_EMOJI = 512;

/** Returns the text document that draws a laid-out text, or a part of it, with characters of the pool. */
function typesetDocument(
  { layer, document, spec, stack, layout }: LaidOutText,
  pool: GlyphPool,
  part: DrawnPart,
): LottieNode {
  const { size, lineHeight, lines, baseline } = layout;
  const order = orderOf(layer.animators, lines);
  const space = spaceAdvance(lines, spec.tracking, order);
  // Characters rotate around a point whose distance from the baseline is a share of the ascent, which outlines lack. So the
  // text is positioned at that point, and its outlines are shifted back.
  const isBoxed = spec.box !== null && layer.grouping === TEXT_BOX_GROUPING;
  const drop = layer.animators.length > 0 && !isBoxed ? layer.groupingDrop * stack[0]!.ascent : 0;
  const { text, font } = pool.add(
    lines.map((line) => typesetLine(line, order, space)),
    { space, drop: -drop, pixelsPerEm: emojiPixels(size), part },
  );
  const alignment = alignmentOf(spec);
  const kept = Object.fromEntries(Object.entries(document).filter(([field]) => !REPLACED_FIELDS.includes(field)));
  const scale = spec.size === 0 ? 1 : size / spec.size;
  const stroke = typeof document.sw === 'number' ? { sw: document.sw * scale } : {};
  const fields = {
    ...kept,
    ...stroke,
    t: text,
    f: font,
    s: size,
    lh: lineHeight,
    j: order === 'reading' ? MIRRORED[alignment] : alignment,
  };
  return isBoxed
    ? { ...fields, ...boxFields(spec, layout, layer.groupingDrop) }
    : { ...fields, ps: [anchorOf(spec, alignment), baseline + drop * size] };
}

/** Returns the x position that the alignment refers to. */
function anchorOf({ box, x }: LaidOutText['spec'], alignment: Alignment): number {
  const width = box?.width ?? 0;
  if (alignment === 0) return x;
  return x + (alignment === 1 ? width : width / 2);
}

/**
 * Returns the fields of a box. The box is kept because characters rotate around its centre or a point relative to its height. It
 * is enlarged so that no line is omitted, and moved so that this point stays in place.
 */
function boxFields(
  { box, x, y }: LaidOutText['spec'],
  { size, lineHeight, lines, baseline }: LaidOutText['layout'],
  drop: number,
): LottieNode {
  const room = Math.abs(baseline - y) + (lines.length + 1) * (lineHeight + size);
  const top = y - room - room * drop;
  const sz = [box!.width, box!.height + 2 * room];
  return { sz, ps: [x, top], ls: top + POOL_ASCENT * size - baseline, m: 0 };
}

/** Returns the order in which animators progress through the characters: from the right in right-to-left text. */
function orderOf(animators: readonly LottieNode[], lines: LaidOutText['layout']['lines']): TypesetOrder {
  const isRtl = lines.some(({ cells }) => cells.length > 0) && lines.every(({ baseLevel }) => baseLevel === 1);
  return isRtl && animators.some(selectsPart) ? 'reading' : 'visual';
}

/** Returns the resolution of emoji, rounded up to a power of two so that texts of similar size share pictures. */
function emojiPixels(size: number): number {
  return Math.min(MAX_EMOJI, Math.max(MIN_EMOJI, 2 ** Math.ceil(Math.log2(Math.max(1, size * 1.5)))));
}
