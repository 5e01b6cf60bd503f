import { isRecord } from '../../kernel/json.ts';
import { withLayerLists } from '../../template/lottie/lottie-layers.ts';
import type { InputDocument } from '../../template/render-input.ts';
import { RecentValues } from './recent-values.ts';

/** Layers by their JSON, up to a number of characters. */
const recent = new RecentValues<unknown>(8 << 20);

/**
 * Replaces layers by the equal layers of earlier inputs, so that digests and other results that are cached by identity apply to all
 * rows of a template.
 */
export function withSharedLayers<Document extends InputDocument>(document: Document): Document {
  const share = (layer: unknown): unknown => {
    if (!isRecord(layer)) return layer;
    const json = JSON.stringify(layer);
    const shared = recent.get(json) ?? layer;
    recent.set(json, shared, json.length);
    return shared;
  };
  return { ...document, animation: withLayerLists(document.animation, (layers) => layers.map(share)) };
}
