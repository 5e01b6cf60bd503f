import { isRecord } from '../../../kernel/json.ts';
import type { LottieDocument } from '../../render-input.ts';
import { type LottieNode, mapped, withLayerLists } from '../lottie-layers.ts';
import { fontList } from '../slots/lottie-slots.ts';

/**
 * Returns an animation with names of its own for assets and fonts, so that several animations fit into one document.
 *
 * @param animation not modified
 * @param prefix of all names
 */
export function withPrefix(animation: LottieDocument, prefix: string): LottieDocument {
  const ids = new Set<unknown>((animation.assets ?? []).map(({ id }) => id));
  const rename = (node: LottieNode, field: string): LottieNode => ({ ...node, [field]: prefix + String(node[field]) });
  const referring = (node: LottieNode): LottieNode => (ids.has(node.refId) ? rename(node, 'refId') : node);
  const renamed = withLayerLists(animation, (layers) =>
    layers.map((layer) => (isRecord(layer) ? withFonts(referring(layer), (text) => rename(text, 'f')) : layer)),
  );
  const chars = mapped(animation.chars, (char) => {
    const named = rename(char, 'fFamily');
    return isRecord(named.data) ? { ...named, data: referring(named.data) } : named;
  });
  const list = fontList(animation).map((font) => rename(rename(font, 'fName'), 'fFamily'));
  const assets = (renamed.assets ?? []).map((asset) => ({ ...asset, id: prefix + asset.id }));
  return {
    ...renamed,
    assets,
    ...(chars !== undefined && { chars }),
    ...(isRecord(animation.fonts) && { fonts: { ...animation.fonts, list } }),
  };
}

/** Changes the documents of a text layer that name a font. */
function withFonts(layer: LottieNode, rename: (text: LottieNode) => LottieNode): LottieNode {
  if (!isRecord(layer.t) || !isRecord(layer.t.d)) return layer;
  const k = mapped(layer.t.d.k, (keyframe) =>
    isRecord(keyframe.s) && typeof keyframe.s.f === 'string' ? { ...keyframe, s: rename(keyframe.s) } : keyframe,
  );
  return { ...layer, t: { ...layer.t, d: { ...layer.t.d, k } } };
}
