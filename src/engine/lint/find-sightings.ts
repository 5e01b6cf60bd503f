import { type LayerSpan, layerSpans } from '../../template/lottie/layer-spans.ts';
import type { Scene } from '../../template/scene.ts';
import { filledTextLayers } from '../text/text-layers.ts';
import type { Sighting } from './lint-finding.ts';

/**
 * Where each editable that is a text, an image or a clip is best seen: on the still on which it has stood longest and still
 * stands longest, else in the middle of its longest time. One that no frame shows is not there.
 */
export function findSightings(scene: Scene): Map<string, Sighting> {
  const assets = new Map([...scene.images, ...scene.clips].map(({ assetId, name }) => [assetId, name]));
  const texts = new Map(filledTextLayers(scene.animation).map(({ layer, editable }) => [layer, editable]));
  const shown = new Map<string, LayerSpan[]>();
  for (const span of layerSpans(scene.animation)) {
    const editable = texts.get(span.layer) ?? assets.get(String(span.layer.refId));
    if (editable === undefined || editable === null) continue;
    const known = shown.get(editable);
    if (known === undefined) shown.set(editable, [span]);
    else known.push(span);
  }
  return new Map([...shown].map(([editable, spans]) => [editable, bestSighting(scene, spans)]));
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
