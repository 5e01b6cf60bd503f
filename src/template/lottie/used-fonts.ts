import { isRecord } from '../../json.ts';
import type { FontSlot } from '../manifest.ts';
import type { LottieDocument } from '../scene.ts';
import { layerLists } from './layer-lists.ts';
import { type TextStyle, textStyles } from './lottie-slots.ts';

/** The style of a text of an animation, and the editable that the text fills: by `sid`, or by `editable` once it is bound. */
export interface UsedStyle {
  readonly style: TextStyle;
  readonly editable: string | null;
}

/** Every style of every text layer, in document order. The styles are the document's own. */
export function usedStyles(animation: Pick<LottieDocument, 'layers' | 'assets'>): UsedStyle[] {
  const found: UsedStyle[] = [];
  for (const layers of layerLists(animation)) {
    for (const { t: text } of layers) {
      const node = isRecord(text) && isRecord(text.d) ? text.d : null;
      if (node === null) continue;
      const editable = [node.sid, node.editable].find((key) => typeof key === 'string') ?? null;
      for (const style of textStyles(node)) found.push({ style, editable });
    }
  }
  return found;
}

/** Names of the fonts that texts of an animation are set in, each once. */
export function usedFonts(animation: Pick<LottieDocument, 'layers' | 'assets'>): string[] {
  return [...new Set(usedStyles(animation).map(({ style }) => style.f))];
}

/** Whether an editable of kind font replaces the font of a text. */
export function isReplaced({ replaces, texts }: FontSlot, font: string, editable: string | null): boolean {
  return font === replaces && (texts === null || (editable !== null && texts.includes(editable)));
}
