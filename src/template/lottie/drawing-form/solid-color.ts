import { LAYER_TYPE, type LottieNode } from '../lottie-layers.ts';

/** Red, green, blue and alpha, 0..1. */
type SolidColor = readonly [red: number, green: number, blue: number, alpha: number];

const BLACK: SolidColor = [0, 0, 0, 1];

/**
 * Returns the colour of a solid: hexadecimal with 3, 4, 6 or 8 digits, or black without a colour, as in lottie-web. Null for other
 * notations, such as names.
 *
 * @see https://www.w3.org/TR/css-color-4/#hex-notation
 */
export function solidColor({ sc }: LottieNode): SolidColor | null {
  if (sc === undefined || sc === null || (typeof sc === 'string' && sc.trim() === '')) return BLACK;
  const digits = /^#([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/i.exec(String(sc).trim())?.[1];
  if (digits === undefined) return null;
  const pairs = digits.length < 6 ? [...digits].map((digit) => digit + digit) : digits.match(/../g)!;
  const [red = 0, green = 0, blue = 0, alpha = 1] = pairs.map((pair) => Number.parseInt(pair, 16) / 255);
  return [red, green, blue, alpha];
}

/** The only notation that the renderer reads. */
const PLAIN = /^#[0-9a-f]{6}$/i;

/** Returns a layer that is drawn in the colour of its solid; black if its notation is unknown. Other layers are returned as they are. */
export function withSolidColor(layer: LottieNode): LottieNode {
  if (layer.ty !== LAYER_TYPE.solid || (typeof layer.sc === 'string' && PLAIN.test(layer.sc))) return layer;
  return solidShape(layer, solidColor(layer) ?? BLACK);
}

/** Returns the shape layer that looks like a solid. */
export function solidShape({ sw, sh, sc: _, ...layer }: LottieNode, [red, green, blue, alpha]: SolidColor): LottieNode {
  const [width, height] = [Number(sw) || 0, Number(sh) || 0];
  const nm = typeof layer.nm === 'string' ? layer.nm : 'solid';
  const still = (k: unknown): LottieNode => ({ a: 0, k });
  const transform = {
    a: still([0, 0, 0]),
    p: still([0, 0, 0]),
    s: still([100, 100, 100]),
    r: still(0),
    o: still(100),
    sk: still(0),
    sa: still(0),
  };
  const it = [
    { ty: 'rc', d: 1, s: still([width, height]), p: still([width / 2, height / 2]), r: still(0) },
    { ty: 'fl', nm, c: still([red, green, blue, 1]), o: still(alpha * 100), r: 1 },
    { ty: 'tr', ...transform },
  ];
  return { ...layer, ty: LAYER_TYPE.shape, shapes: [{ ty: 'gr', nm, it }] };
}
