import { isRecord } from '../../json.ts';
import type { LottieNode } from '../../template/lottie/lottie-node.ts';
import { type GlyphPool, POOL_ASCENT, type SetPart } from './glyph-pool.ts';
import type { LaidOutText } from './lay-out-layers.ts';
import { type SetOrder, setLine, spaceAdvance } from './set-line.ts';

/** What the layout has decided: a document that is set says none of it. */
const DECIDED = ['sz', 'ps', 'rs', 'sk_rs', 'vj', 'sk_vj', 'mf', 'xf', 'xl', 'ca', 'tr', 'ls', 'm', 'j'];
/** Lottie's `j`: left, right, centre. */
const MIRRORED = [1, 0, 2] as const;
const TEXT_BOX_GROUPING = 4;
/** Pictures of emoji are drawn at least this large, at most that large, and larger than their text in between. */
const MIN_EMOJI = 64;
const MAX_EMOJI = 512;

/** The text document that draws a laid out text, or a part of it, exactly so, by characters of the pool. */
export function setDocument(
  { layer, document, spec, stack, layout }: LaidOutText,
  pool: GlyphPool,
  part: SetPart,
): LottieNode {
  const { size, lineHeight, lines, baseline } = layout;
  const order = orderOf(layer.animators, lines);
  const space = spaceAdvance(lines, spec.tracking, order);
  // What characters turn around lies above or below the baseline by parts of an ascent, and characters that are outlines
  // have none: so the whole text is put where that point would be, and drawn as much higher.
  const isBoxed = spec.box !== null && layer.grouping === TEXT_BOX_GROUPING;
  const drop = layer.animators.length > 0 && !isBoxed ? layer.groupingDrop * stack[0]!.ascent : 0;
  const { text, font } = pool.add(
    lines.map((line) => setLine(line, order, space)),
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
function orderOf(animators: readonly LottieNode[], lines: LaidOutText['layout']['lines']): SetOrder {
  const isRtl = lines.some(({ cells }) => cells.length > 0) && lines.every(({ baseLevel }) => baseLevel === 1);
  return isRtl && animators.some(selectsPart) ? 'reading' : 'visual';
}

function selectsPart({ s: selector }: LottieNode): boolean {
  if (!isRecord(selector)) return false;
  const isStill = (field: string, value: number): boolean => {
    const property = selector[field];
    return !isRecord(property) || (property.a !== 1 && property.k === value);
  };
  return !(isStill('s', 0) && isStill('e', 100) && isStill('o', 0));
}

/** A power of two, so that texts of about one size share pictures. */
function emojiPixels(size: number): number {
  return Math.min(MAX_EMOJI, Math.max(MIN_EMOJI, 2 ** Math.ceil(Math.log2(Math.max(1, size * 1.5)))));
}
