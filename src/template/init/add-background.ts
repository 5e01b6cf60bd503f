import { parseColor } from '../color.ts';
import { type LottieNode, layerLists } from '../lottie/lottie-layers.ts';
import type { LottieDocument } from '../render-input.ts';
import type { FoundEditable } from './editable-targets.ts';
import { assignKey } from './find-editables.ts';
import type { KeyGenerator } from './key-generator.ts';

/** Returns a property that is not animated. */
export const still = (k: unknown): LottieNode => ({ a: 0, k });

/** Transform of a layer that is drawn unchanged. */
export const IDENTITY: LottieNode = {
  a: still([0, 0, 0]),
  p: still([0, 0, 0]),
  s: still([100, 100, 100]),
  r: still(0),
  o: still(100),
};

/**
 * Adds a rectangle with an editable colour behind all layers.
 *
 * @param animation modified
 * @param color six hexadecimal digits
 */
export function addBackground(animation: LottieDocument, color: string, keys: KeyGenerator): FoundEditable {
  const { w, h } = animation;
  const fill = still(parseColor(color) ?? [1, 1, 1, 1]);
  const rectangle = { ty: 'rc', nm: 'Area', d: 1, p: still([w / 2, h / 2]), s: still([w, h]), r: still(0) };
  const paint = { ty: 'fl', nm: 'Background', c: fill, o: still(100), r: 1 };
  const group = {
    ty: 'gr',
    nm: 'Background',
    it: [rectangle, paint, { ty: 'tr', ...IDENTITY, sk: still(0), sa: still(0) }],
  };
  const layer = { ...layerOf(animation, 'Background'), ty: 4, shapes: [group] };
  animation.layers.push(layer);
  const target = { kind: 'color', node: fill, names: ['Background'], drawback: null, layers: [layer] } as const;
  return assignKey(keys.numbered('color'), [target], { label: 'Background', sourceName: '', origin: 'proposed' });
}

/** Returns the fields of a new layer that lasts for the whole animation. */
export function layerOf(animation: LottieDocument, name: string): LottieNode {
  const numbers = [...layerLists(animation)].flat().map(({ ind }) => (typeof ind === 'number' ? ind : 0));
  const { ip, op } = animation;
  const ind = Math.max(0, ...numbers) + 1;
  return { ddd: 0, ind, nm: name, sr: 1, ks: structuredClone(IDENTITY), ao: 0, ip, op, st: 0, bm: 0 };
}
