import { isRecord } from '../../json.ts';
import { LAYER_TYPE } from '../../template/lottie/lottie-layers.ts';
import type { LottieDocument, Scene } from '../../template/scene.ts';
import { fontList } from '../text/lay-out-layers.ts';
import { textLayers } from '../text/text-layers.ts';

/**
 * The fonts, and the outlines inside the document, that the texts of some layers may be set in. A fallback font may be
 * needed by any text.
 *
 * @param layers all that are left of the animation and its compositions
 */
export function filterFonts(
  animation: LottieDocument,
  fonts: Scene['fonts'],
  layers: readonly unknown[],
): { fonts: Scene['fonts']; document: LottieDocument } {
  const texts = textLayers({ ...animation, layers: [...layers], assets: [] });
  const textCount = layers.filter((layer) => isRecord(layer) && layer.ty === LAYER_TYPE.text).length;
  // A text layer that cannot be read is one of which it is not known what it needs.
  if (texts.length < textCount) return { fonts, document: animation };
  if (texts.length === 0) {
    const { fonts: _, chars: __, ...document } = animation;
    return { fonts: [], document: document as LottieDocument };
  }
  const names = new Set(texts.flatMap(({ documents }) => documents.map(({ f }) => String(f ?? ''))));
  const isUsed = (name: unknown): boolean => names.has(String(name));
  return {
    fonts: fonts.filter(({ name, isFallback }) => isFallback || isUsed(name)),
    document: isRecord(animation.fonts)
      ? { ...animation, fonts: { ...animation.fonts, list: fontList(animation).filter(({ fName }) => isUsed(fName)) } }
      : animation,
  };
}
