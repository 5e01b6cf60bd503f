import type { InputFile, InputLayerCaptions, LayerText } from '../../template/render-input.ts';
import { captionStep, fileFrameOf } from '../captions/captions-of-range.ts';
import { withLayerText } from '../captions/layer-text.ts';
import { type DrawnInput, isComposed, type ShownScene } from '../scenes/drawn-input.ts';
import type { DrawnSpan } from './scene-cutters.ts';

type LayeredVideo = Pick<InputFile, 'fps' | 'timeline'> & { readonly captionLayers: InputLayerCaptions };

/**
 * Divides a span where the captions change that texts of its templates show. Cues follow the frames of the video, not those of the
 * template, so that they go on while the template stands still. In a transition, a scene that stands still keeps the cue of the
 * frame that it shows.
 */
export function captionSpans(span: DrawnSpan, { captionLayers, fps, timeline }: LayeredVideo): DrawnSpan[] {
  const step = captionStep(captionLayers, fps);
  const scene = span.scene ?? 0;
  const textsOf = (index: number): readonly LayerText[] => captionLayers.scenes[index] ?? [];
  const shown = textsOf(scene).map(({ from, to, text }) => {
    return { text, first: span.offset + fileFrameOf(from, step), end: span.offset + fileFrameOf(to, step) };
  });
  const inside = shown.flatMap(({ first, end }) => [first, end]).filter((at) => at > span.first && at < span.end);
  const edges = [...new Set([span.first, ...inside, span.end])].sort((a, b) => a - b);
  const before = textAt(textsOf(scene - 1), (timeline?.scenes[scene - 1]?.length ?? 0) - 1);
  const after = textAt(textsOf(scene + 1), 0);
  return edges.slice(1).map((end, index): DrawnSpan => {
    const first = edges[index]!;
    const now = shown.find((text) => text.first <= first && first < text.end)?.text;
    const textOf = (neighbour: ShownScene['neighbour']) => (neighbour === 0 ? now : neighbour < 0 ? before : after);
    return { ...span, first, end, cut: (ranges) => filled(span.cut(ranges), textOf) };
  });
}

function textAt(texts: readonly LayerText[], frame: number): string | undefined {
  return texts.find(({ from, to }) => from <= frame && frame < to)?.text;
}

function filled(input: DrawnInput, textOf: (neighbour: ShownScene['neighbour']) => string | undefined): DrawnInput {
  if (isComposed(input)) {
    const scenes = input.scenes.map((scene): ShownScene => {
      return { ...scene, animation: withLayerText(scene.animation, textOf(scene.neighbour)) };
    });
    return { ...input, scenes };
  }
  const { captionLayers: _, ...rest } = input;
  return { ...rest, animation: withLayerText(input.animation, textOf(0)) };
}
