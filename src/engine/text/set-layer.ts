import { isRecord } from '../../json.ts';
import type { LottieNode } from '../../template/lottie/lottie-node.ts';
import type { GlyphPool, SetPart } from './glyph-pool.ts';
import type { LaidOutText } from './lay-out-layers.ts';
import { setDocument } from './set-document.ts';
import { type TextLayer, withDocuments } from './text-layers.ts';

/**
 * The layers that draw a text layer. Usually one; but animators that fade characters fade what is filled with the text's
 * colour, and not pictures: where there are both, the pictures get a layer, and one before it whose filled rectangles say
 * how much of them is seen (an alpha matte).
 *
 * @param texts those of the layer
 * @param index gives numbers for further layers
 * @returns from the front to the back
 */
export function setLayer(
  layer: TextLayer,
  texts: readonly LaidOutText[],
  pool: GlyphPool,
  index: () => number,
): LottieNode[] {
  const draw = (part: SetPart): LottieNode =>
    withDocuments(layer, new Map(texts.map((text) => [text.document, setDocument(text, pool, part)])));
  const hasPictures = texts.some(({ layout }) =>
    layout.lines.some(({ cells }) => cells.some(({ cell }) => cell.isColored)),
  );
  // A layer that is a matte, or has one, stays one: there is no room for another.
  const isMatted = layer.layer.tt !== undefined || layer.layer.td !== undefined;
  if (!hasPictures || isMatted || !layer.animators.some(fades)) return [draw('all')];
  const areas = new Map(texts.map((text) => [text.document, filled(setDocument(text, pool, 'areas'))]));
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
