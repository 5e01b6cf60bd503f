import { isRecord } from '../../../kernel/json.ts';
import { LAYER_TYPE, type LottieNode, transformOf } from '../lottie-layers.ts';

/** Larger than any composition, in pixels of the layer. */
const FAR = 50_000;
const NO_HANDLES = Array.from({ length: 4 }, () => [0, 0]);
const EVERYWHERE = { c: true, v: [[-FAR, -FAR], [FAR, -FAR], [FAR, FAR], [-FAR, FAR]], i: NO_HANDLES, o: NO_HANDLES }; // biome-ignore format: four points
/** Opacity in percent that the renderer distinguishes from 100 but that changes no pixel. */
const OPAQUE = 99.99;

/**
 * Returns a layer whose fills, strokes and groups blend only with the paint of the same layer, as in After Effects. The renderer
 * blends them with the layers below, as lottie-web does only for layers that are not painted in isolation. A mask
 * of the whole picture isolates the layer in the renderer, too.
 *
 * @param isInside whether the layer belongs to a precomposition
 */
export function withIsolatedBlends(layer: LottieNode, isInside: boolean): LottieNode {
  if (layer.ty !== LAYER_TYPE.shape || !blends(layer.shapes)) return layer;
  const masks = (Array.isArray(layer.masksProperties) ? layer.masksProperties : []) as readonly unknown[];
  const { o } = transformOf(layer);
  const isApart = (isRecord(o) && o.k !== 100) || masks.length > 0 || (Array.isArray(layer.ef) && layer.ef.length > 0);
  if (!isInside && !isApart) return layer;
  const isMasked = masks.some((mask) => isRecord(mask) && mask.mode !== 'n');
  const mask = {
    mode: isMasked ? 'i' : 'a',
    inv: false,
    o: { a: 0, k: OPAQUE },
    x: { a: 0, k: 0 },
    pt: { a: 0, k: EVERYWHERE },
  };
  return { ...layer, hasMask: true, masksProperties: [...masks, mask] };
}

function blends(shapes: unknown): boolean {
  return (
    Array.isArray(shapes) &&
    shapes.some((shape) => isRecord(shape) && shape.hd !== true && (Number(shape.bm ?? 0) > 0 || blends(shape.it)))
  );
}
