import { layerLists } from '../lottie/layer-lists.ts';
import type { LottieNode } from '../lottie/lottie-node.ts';
import type { LottieDocument } from '../scene.ts';

/**
 * Gives layers that share a number with one above them a number of their own. Whoever names that number means the first
 * that has it.
 *
 * @param animation written to
 * @returns how many layers got another number
 */
export function renumberLayers(animation: LottieDocument): number {
  return [...layerLists(animation)].reduce((sum, layers) => sum + renumber(layers), 0);
}

function renumber(layers: readonly LottieNode[]): number {
  const taken = new Set<number>();
  let next = Math.max(0, ...layers.map(({ ind }) => (typeof ind === 'number' ? ind : 0)));
  let count = 0;
  for (const layer of layers) {
    const { ind } = layer;
    if (typeof ind !== 'number') continue;
    if (!taken.has(ind)) {
      taken.add(ind);
      continue;
    }
    layer.ind = ++next;
    count++;
  }
  return count;
}
