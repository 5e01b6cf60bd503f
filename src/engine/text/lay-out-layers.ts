import type { LottieNode } from '../../template/lottie/lottie-node.ts';
import type { LottieDocument, SceneFont } from '../../template/scene.ts';
import { SceneError } from '../scene-error.ts';
import { animationFonts } from './animation-fonts.ts';
import type { FontStack } from './font-stack.ts';
import { layOutText, type TextLayout } from './lay-out-text.ts';
import { openStack } from './open-stack.ts';
import { type TextLayer, textLayers } from './text-layers.ts';
import { type TextSpec, textSpec } from './text-spec.ts';

/** In UTF-16 units; five times what an editable takes. */
const MAX_LENGTH = 10_000;

/** A text document of a layer, laid out. */
export interface LaidOutText {
  readonly layer: TextLayer;
  readonly document: LottieNode;
  readonly spec: TextSpec;
  readonly stack: FontStack;
  readonly layout: TextLayout;
}

/**
 * Lays out every text of an animation. Texts whose font has outlines in the animation and no file are left out.
 *
 * @throws SceneError template_invalid for a font that is not there or cannot be used
 */
export async function layOutLayers(animation: LottieDocument, fonts: readonly SceneFont[]): Promise<LaidOutText[]> {
  const named = animationFonts(animation, fonts);
  const fallbacks = fonts.filter((font) => font.isFallback);
  const texts: LaidOutText[] = [];
  for (const layer of textLayers(animation)) {
    for (const document of layer.documents) {
      const spec = textSpec(document);
      if (spec.text.length > MAX_LENGTH) {
        const told = `A text of the animation has ${spec.text.length} characters; at most ${MAX_LENGTH} go`;
        throw new SceneError('template_invalid', told);
      }
      const font = named.get(spec.font);
      if (font?.file === null) continue;
      const candidates = [...new Set([...(font === undefined ? [] : [font.file]), ...fallbacks])];
      if (candidates.length === 0) {
        throw new SceneError('template_invalid', `There is no file of the font ${spec.font}, which a text is set in`, {
          imageName: spec.font,
        });
      }
      const stack = await openStack(spec.text, candidates);
      texts.push({ layer, document, spec, stack, layout: layOutText(spec, stack, font?.ascent ?? null) });
    }
  }
  return texts;
}
