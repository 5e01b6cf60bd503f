import { isRecord } from '../../json.ts';
import type { LottieNode } from '../../template/lottie/lottie-layers.ts';
import type { LottieDocument, SceneFont } from '../../template/scene.ts';
import { type DrawnPart, GlyphPool, POOL_ASCENT } from './glyph-pool.ts';
import { fontList, type LaidOutText, layOutLayers } from './lay-out-layers.ts';
import { findTextProblems, type TextFinding } from './text-findings.ts';
import { replaceTextLayers, type TextLayer, withDocuments } from './text-layers.ts';
import { spaceAdvance, type TypesetOrder, typesetLine } from './typeset-line.ts';

/**
 * The animation with every text set: shaped, broken into lines, put in its place and drawn by outlines that the animation
 * carries, so that the rasteriser needs no font, and knows none. What animates the characters of a text still does.
 *
 * @param animation not written to
 * @param fonts all of the scene's; the fallbacks in order
 * @throws SceneError template_invalid for a font that is not there or cannot be used
 */
export async function typesetTexts(
  animation: LottieDocument,
  fonts: readonly SceneFont[],
): Promise<{ readonly animation: LottieDocument; readonly findings: readonly TextFinding[] }> {
  const texts = await layOutLayers(animation, fonts);
  const pool = new GlyphPool();
  const keptFonts = new Set<unknown>();
  const set = replaceTextLayers(animation, (layer, index) => {
    const own = texts.filter(({ document }) => layer.documents.includes(document));
    for (const document of layer.documents) {
      if (!own.some((text) => text.document === document)) keptFonts.add(document.f);
    }
    return typesetLayer(layer, own, pool, index);
  });
  const chars = [...(Array.isArray(animation.chars) ? animation.chars : []), ...pool.chars];
  const list = [...fontList(animation).filter(({ fName }) => keptFonts.has(fName)), ...pool.fonts];
  const assets = [...(set.assets ?? []), ...(await emojiAssets(pool))];
  return { animation: { ...set, assets, chars, fonts: { list } }, findings: findTextProblems(texts) };
}

/** Most scenes have none, and whoever only looks for findings draws nothing. */
async function emojiAssets({ emoji }: GlyphPool): Promise<NonNullable<LottieDocument['assets']>> {
  if (emoji.length === 0) return [];
  const { drawEmoji } = await import('./draw-emoji.ts');
  return drawEmoji(emoji);
}

/**
 * The layers that draw a text layer. Usually one; but animators that fade characters fade what is filled with the text's
 * colour, and not pictures: where there are both, the pictures get a layer, and one before it whose filled rectangles say
 * how much of them is seen (an alpha matte).
 *
 * @param texts those of the layer
 * @param index gives numbers for further layers
 * @returns from the front to the back
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
  // A layer that is a matte, or has one, stays one: there is no room for another.
  const isMatted = layer.layer.tt !== undefined || layer.layer.td !== undefined;
  if (!hasPictures || isMatted || !layer.animators.some(fades)) return [draw('all')];
  const areas = new Map(texts.map((text) => [text.document, filled(typesetDocument(text, pool, 'areas'))]));
  const matte = asMatte(withDocuments(layer, areas));
  return [{ ...matte, ind: index() }, { ...draw('pictures'), ind: index(), tt: 1 }, draw('letters')];
}

/** Only its characters count: the layer of the pictures has all else, and once is enough. */
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

/** What the layout has decided: a document that is set says none of it. */
const DECIDED = ['sz', 'ps', 'rs', 'sk_rs', 'vj', 'sk_vj', 'mf', 'xf', 'xl', 'ca', 'tr', 'ls', 'm', 'j'];
/** Lottie's `j`: left, right, centre. */
const MIRRORED = [1, 0, 2] as const;
const TEXT_BOX_GROUPING = 4;
/** Pictures of emoji are drawn at least this large, at most that large, and larger than their text in between. */
const MIN_EMOJI = 64;
const MAX_EMOJI = 512;

/** The text document that draws a laid out text, or a part of it, exactly so, by characters of the pool. */
function typesetDocument(
  { layer, document, spec, stack, layout }: LaidOutText,
  pool: GlyphPool,
  part: DrawnPart,
): LottieNode {
  const { size, lineHeight, lines, baseline } = layout;
  const order = orderOf(layer.animators, lines);
  const space = spaceAdvance(lines, spec.tracking, order);
  // What characters turn around lies above or below the baseline by parts of an ascent, and characters that are outlines
  // have none: so the whole text is put where that point would be, and drawn as much higher.
  const isBoxed = spec.box !== null && layer.grouping === TEXT_BOX_GROUPING;
  const drop = layer.animators.length > 0 && !isBoxed ? layer.groupingDrop * stack[0]!.ascent : 0;
  const { text, font } = pool.add(
    lines.map((line) => typesetLine(line, order, space)),
    { space, drop: -drop, pixelsPerEm: emojiPixels(size), part },
  );
  const j = Math.min(spec.justification >= 3 ? spec.justification - 3 : spec.justification, 2) as 0 | 1 | 2;
  const kept = Object.fromEntries(Object.entries(document).filter(([field]) => !DECIDED.includes(field)));
  const scale = spec.size === 0 ? 1 : size / spec.size;
  const stroke = typeof document.sw === 'number' ? { sw: document.sw * scale } : {};
  const set = {
    ...kept,
    ...stroke,
    t: text,
    f: font,
    s: size,
    lh: lineHeight,
    j: order === 'reading' ? MIRRORED[j] : j,
  };
  return isBoxed
    ? { ...set, ...boxFields(spec, layout, layer.groupingDrop) }
    : { ...set, ps: [anchorOf(spec, j), baseline + drop * size] };
}

/** Of the line that alignment is about. */
function anchorOf({ box, x }: LaidOutText['spec'], j: 0 | 1 | 2): number {
  const width = box?.width ?? 0;
  return x + (j === 0 ? 0 : j === 1 ? width : width / 2);
}

/**
 * The box stays, as characters turn around its centre, or a part of its height from that. It is as much higher as it takes
 * to leave no line out, and put where the point that they turn around stays.
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

/** What runs over the characters of a text in a right-to-left script is to run from the right. */
function orderOf(animators: readonly LottieNode[], lines: LaidOutText['layout']['lines']): TypesetOrder {
  const isRtl = lines.some(({ cells }) => cells.length > 0) && lines.every(({ baseLevel }) => baseLevel === 1);
  return isRtl && animators.some(selectsPart) ? 'reading' : 'visual';
}

function selectsPart({ s: selector }: LottieNode): boolean {
  if (!isRecord(selector)) return false;
  const isConstantVector = (field: string, value: number): boolean => {
    const property = selector[field];
    return !isRecord(property) || (property.a !== 1 && property.k === value);
  };
  return !(isConstantVector('s', 0) && isConstantVector('e', 100) && isConstantVector('o', 0));
}

/** A power of two, so that texts of about one size share pictures. */
function emojiPixels(size: number): number {
  return Math.min(MAX_EMOJI, Math.max(MIN_EMOJI, 2 ** Math.ceil(Math.log2(Math.max(1, size * 1.5)))));
}
