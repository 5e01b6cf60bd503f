import { isCaptionsKey } from '../../contract/fields/editable-kinds.ts';
import { isRecord } from '../../kernel/json.ts';
import { withLayerLists } from '../../template/lottie/lottie-layers.ts';
import { textStyles } from '../../template/lottie/slots/lottie-slots.ts';
import type { InputLayerCaptions, LottieDocument } from '../../template/render-input.ts';

/**
 * Returns a bound document whose texts of kind `captions` show a text. Other layers stay the same objects.
 *
 * @param text lines are separated by line feeds; undefined keeps the texts empty
 */
export function withLayerText(document: LottieDocument, text: string | undefined): LottieDocument {
  if (text === undefined) return document;
  // Lottie breaks lines at a carriage return.
  const words = text.replaceAll('\n', '\r');
  return withLayerLists(document, (layers) =>
    layers.map((layer) => (isCaptionsLayer(layer) ? filled(layer, words) : layer)),
  );
}

/** Returns the texts that layers of a scene show, each once, the longest first. */
export function layerTexts(captions: InputLayerCaptions | undefined, scene = 0): string[] {
  const texts = new Set(captions?.scenes[scene]?.map(({ text }) => text));
  return [...texts].sort((a, b) => b.length - a.length);
}

type TextLayer = { readonly t: { readonly d: Record<string, unknown> } };

function isCaptionsLayer(layer: unknown): layer is TextLayer {
  return isRecord(layer) && isRecord(layer.t) && isRecord(layer.t.d) && isCaptionsKey(layer.t.d.editable);
}

function filled(layer: TextLayer, words: string): TextLayer {
  const d = structuredClone(layer.t.d);
  for (const style of textStyles(d)) style.t = words;
  return { ...layer, t: { ...layer.t, d } };
}
