import type { SceneFont } from '../../template/scene.ts';
import { type FontStack, isDrawnAsMeant } from './font-stack.ts';
import { graphemeClusters } from './grapheme-clusters.ts';
import type { OpenFont } from './harfbuzz-font.ts';
import { openFont } from './open-font.ts';

/**
 * Opens the fonts that a text needs: as many of them, in order, as it takes until each of its characters has one. Fonts
 * of whole writing systems and of emoji are large, and most texts need none of them.
 *
 * @param fonts the text's own first; at least one
 * @throws SceneError template_invalid for a font that cannot be used, as `openFont`
 */
export async function openStack(text: string, fonts: readonly Pick<SceneFont, 'name' | 'bytes'>[]): Promise<FontStack> {
  // Capitals may be asked for; they may be in another font.
  let open = new Set([...clustersOf(text), ...clustersOf(text.toUpperCase())]);
  const stack: OpenFont[] = [];
  for (const font of fonts) {
    if (stack.length > 0 && open.size === 0) break;
    stack.push(await openFont(font));
    open = new Set([...open].filter((cluster) => !isDrawnAsMeant(cluster, stack)));
  }
  return stack;
}

function clustersOf(text: string): Set<string> {
  return new Set([...graphemeClusters(text)].map(({ segment }) => segment));
}
