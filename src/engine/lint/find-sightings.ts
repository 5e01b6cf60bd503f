import { isRecord } from '../../is-record.ts';
import { type LayerSpan, layerSpans } from '../../template/layer-spans.ts';
import type { LottieNode } from '../../template/lottie-slots.ts';
import type { Scene } from '../../template/scene.ts';
import type { Sighting } from './lint-finding.ts';

/** A layer of a text that an editable fills. */
export interface TextLayer {
  readonly layer: LottieNode;
  readonly editable: string;
}

/**
 * Where each editable that is a text, an image or a clip is best seen: on the still on which it has stood longest and still
 * stands longest, else in the middle of its longest time. One that no frame shows is not there.
 */
export function findSightings(scene: Scene): Map<string, Sighting> {
  const assets = new Map([...scene.images, ...scene.clips].map(({ assetId, name }) => [assetId, name]));
  const shown = new Map<string, LayerSpan[]>();
  for (const span of layerSpans(scene.animation)) {
    const editable = editableOf(span.layer) ?? assets.get(String(span.layer.refId));
    if (editable === undefined || editable === null) continue;
    const known = shown.get(editable);
    if (known === undefined) shown.set(editable, [span]);
    else known.push(span);
  }
  return new Map([...shown].map(([editable, spans]) => [editable, bestSighting(scene, spans)]));
}

/** The editable that fills a layer's text; null for any other layer. */
export function editableOf(layer: LottieNode): string | null {
  const document = layer.ty === 5 && isRecord(layer.t) && isRecord(layer.t.d) ? layer.t.d : null;
  return typeof document?.editable === 'string' ? document.editable : null;
}

/** The text layers of an animation and of its precompositions that editables fill. */
export function textLayers({ animation }: Pick<Scene, 'animation'>): TextLayer[] {
  const lists = [animation.layers, ...(animation.assets ?? []).map(({ layers }) => layers)];
  return lists.flatMap((layers) =>
    (Array.isArray(layers) ? layers : []).flatMap((layer: unknown) => {
      const editable = isRecord(layer) ? editableOf(layer) : null;
      return editable === null ? [] : [{ layer: layer as LottieNode, editable }];
    }),
  );
}

function bestSighting({ stills, animation, fps, frameCount }: Scene, spans: readonly LayerSpan[]): Sighting {
  const perFrame = animation.fr / fps;
  const margin = (frame: number): number =>
    Math.max(...spans.map(({ from, to }) => Math.min(frame * perFrame - from, to - 1 - frame * perFrame)));
  const [still] = stills.filter(({ frame }) => margin(frame) >= 0).sort((a, b) => margin(b.frame) - margin(a.frame));
  if (still !== undefined) return { frame: still.frame, seconds: still.frame / fps, still: still.name };
  const [longest] = [...spans].sort((a, b) => b.to - b.from - (a.to - a.from));
  const frame = Math.min(frameCount - 1, Math.floor((longest!.from + longest!.to) / 2 / perFrame));
  return { frame, seconds: frame / fps, still: null };
}
