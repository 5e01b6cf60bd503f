import { isNumberList, isRecord } from '../../kernel/json.ts';
import { STYLE_SETTINGS } from '../../template/font-settings.ts';
import type { LottieNode } from '../../template/lottie/lottie-layers.ts';
import { fontList } from '../../template/lottie/slots/lottie-slots.ts';
import type { InputFont, LottieDocument } from '../../template/render-input.ts';
import { type CharacterOptions, type DrawnPart, GlyphPool, POOL_ASCENT } from './glyph-pool.ts';
import { type LaidOutText, layOutLayers } from './lay-out-layers.ts';
import { findTextProblems, type TextFinding } from './text-findings.ts';
import { alignmentOf, replaceTextLayers, selectsPart, type TextLayer, withDocuments } from './text-layers.ts';
import { spaceAdvance, type TypesetOrder, typesetLine } from './typeset-line.ts';

/** Who draws the texts. lottie-web differs in where a text begins, in its second line, and in the point that characters rotate around. */
export type TextPlayer = 'rasteriser' | 'lottie-web';

/**
 * Typesets all texts of an animation: shapes them, breaks them into lines, positions them, and embeds their outlines, so that the
 * player does not use fonts. Animators of characters still apply.
 *
 * @param animation not modified
 * @param fonts all fonts of the input; the fallbacks in order
 * @throws RenderError template_invalid for a font that is missing or unusable
 */
export async function typesetTexts(
  animation: LottieDocument,
  fonts: readonly InputFont[],
  player: TextPlayer = 'rasteriser',
): Promise<{ readonly animation: LottieDocument; readonly findings: readonly TextFinding[] }> {
  const texts = await layOutLayers(animation, fonts);
  const pool = new GlyphPool();
  const keptFonts = new Set<unknown>();
  const typeset = replaceTextLayers(animation, (layer, index) => {
    const layerTexts = texts.filter(({ document }) => layer.documents.includes(document));
    for (const document of layer.documents) {
      if (!layerTexts.some((text) => text.document === document)) keptFonts.add(document.f);
    }
    return typesetLayer(layer, layerTexts, { pool, index, player });
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

interface Typesetting {
  readonly pool: GlyphPool;
  readonly player: TextPlayer;
  /** Returns numbers for added layers. */
  index(): number;
}

/**
 * Returns the layers that draw a text layer, usually a single layer. Animators of opacity fade letters, but not pictures of emoji. If
 * a layer has both, it is split into three: a matte of filled rectangles that fade, the pictures behind that matte, and the letters.
 *
 * @param texts of the layer
 * @returns from front to back
 */
function typesetLayer(
  layer: TextLayer,
  texts: readonly LaidOutText[],
  { pool, player, index }: Typesetting,
): LottieNode[] {
  const typeset = (text: LaidOutText, part: DrawnPart): LottieNode => {
    return player === 'lottie-web' ? lottieWebDocument(text, pool, part) : typesetDocument(text, pool, part);
  };
  const draw = (part: DrawnPart): LottieNode => {
    const drawn = withDocuments(layer, new Map(texts.map((text) => [text.document, typeset(text, part)])));
    return player === 'lottie-web' ? withoutGroupingDrop(drawn) : drawn;
  };
  const hasPictures = texts.some(({ layout }) =>
    layout.lines.some(({ cells }) => cells.some(({ cell }) => cell.isColored)),
  );
  // A layer that is a matte or has a matte cannot be split, because a layer has at most one matte.
  const isMatted = layer.layer.tt !== undefined || layer.layer.td !== undefined;
  if (!hasPictures || isMatted || !layer.animators.some(fades)) return [draw('all')];
  const areas = new Map(texts.map((text) => [text.document, filled(typeset(text, 'areas'))]));
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
function typesetDocument(text: LaidOutText, pool: GlyphPool, part: DrawnPart): LottieNode {
  const { layer, spec, layout } = text;
  const { size, baseline } = layout;
  const isBoxed = spec.box !== null && layer.grouping === TEXT_BOX_GROUPING;
  const drop = isBoxed ? 0 : dropOf(text);
  const fields = typesetFields(text, pool, { part, drop: -drop, firstDrop: -drop });
  return isBoxed
    ? { ...fields, ...boxFields(spec, layout, layer.groupingDrop) }
    : { ...fields, ps: [anchorOf(spec), baseline + drop * size] };
}

/** What lottie-web adds to the position of all lines after the first, in pixels. */
const LATER_LINES = 1;

/**
 * Returns the text document with which lottie-web draws what the rasteriser draws: it begins a text an ascent lower, and shifts all
 * lines after the first. Boxes are not kept, because it breaks lines anew in them.
 */
function lottieWebDocument(text: LaidOutText, pool: GlyphPool, part: DrawnPart): LottieNode {
  const { size, lines, baseline } = text.layout;
  const drop = dropOf(text);
  const shift = lines.length > 1 && size > 0 ? LATER_LINES : 0;
  const fields = typesetFields(text, pool, { part, drop: -drop, firstDrop: shift === 0 ? -drop : shift / size - drop });
  return { ...fields, ps: [anchorOf(text.spec), baseline + (drop - POOL_ASCENT) * size - shift] };
}

/** Removes the height of the point that characters rotate around, which outlines and position contain. Adds fields that it may lack. */
function withoutGroupingDrop(layer: LottieNode): LottieNode {
  const text = layer.t as LottieNode;
  const more = isRecord(text.m) ? text.m : {};
  const [x = 0] = isRecord(more.a) && isNumberList(more.a.k) ? more.a.k : [];
  return { ...layer, t: { a: [], p: {}, ...text, m: { g: 1, ...more, a: { a: 0, k: [x, 0] } } } };
}

/**
 * Returns the distance below the baseline of the point that characters rotate around, in ems. It is a share of the ascent, which
 * outlines lack, so a text is positioned at that point, and its outlines are shifted back.
 */
function dropOf({ layer, stack }: LaidOutText): number {
  return layer.animators.length > 0 ? layer.groupingDrop * stack[0]!.ascent : 0;
}

/** Returns the fields of a text document except its position. */
function typesetFields(
  { layer, document, spec, layout }: LaidOutText,
  pool: GlyphPool,
  drawn: Pick<CharacterOptions, 'part' | 'drop' | 'firstDrop'>,
): LottieNode {
  const { size, lineHeight, lines } = layout;
  const order = orderOf(layer.animators, lines);
  const space = spaceAdvance(lines, spec.tracking, order);
  const { text, font } = pool.add(
    lines.map((line) => typesetLine(line, order, space)),
    { ...drawn, space, pixelsPerEm: emojiPixels(size) },
  );
  const alignment = alignmentOf(spec);
  const kept = Object.fromEntries(Object.entries(document).filter(([field]) => !REPLACED_FIELDS.includes(field)));
  const scale = spec.size === 0 ? 1 : size / spec.size;
  const stroke = typeof document.sw === 'number' ? { sw: document.sw * scale } : {};
  return {
    ...kept,
    ...stroke,
    t: text,
    f: font,
    s: size,
    lh: lineHeight,
    j: order === 'reading' ? MIRRORED[alignment] : alignment,
  };
}

/** Returns the x position that the alignment refers to. */
function anchorOf(spec: LaidOutText['spec']): number {
  const { box, x } = spec;
  const alignment = alignmentOf(spec);
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
