import { groupBy } from '../../kernel/group-by.ts';
import { isRecord } from '../../kernel/json.ts';
import type { LottieNode } from '../../template/lottie/lottie-layers.ts';
import {
  changesOf,
  type LayerSpan,
  layerSpans,
  MIN_VISIBLE_STRENGTH,
  strengthAt,
} from '../../template/lottie/visibility/layer-spans.ts';
import type { RenderInput } from '../../template/render-input.ts';

/** A point in time at which a change is shown. */
export interface Moment {
  /** From the start of the video, aligned to a frame. */
  readonly timeSeconds: number;
  /** Requested editables that are visible at this time. */
  readonly editables: readonly string[];
}

interface ChooseOptions {
  /** Changed editables; empty if the template changed or the video is new. */
  readonly editables: readonly string[];
  /** Maximum number of moments, at least 1. */
  readonly most: number;
}

/**
 * Chooses the fewest moments that show all changed editables. Prefers stills of the template; otherwise takes the middle of
 * the interval in which an editable is most visible. Falls back to the template's stills, then to the middle of the video,
 * for editables that no layer shows and for changes without an editable.
 *
 * @returns at least one moment, in order of time
 */
export function chooseMoments(renderInput: RenderInput, { editables, most }: ChooseOptions): Moment[] {
  const spans = editableSpans(renderInput);
  const wanted = new Map(editables.flatMap((key) => (spans.has(key) ? [[key, spans.get(key)!] as const] : [])));
  const perFrame = renderInput.animation.fr / renderInput.fps;
  const stills = new Set(renderInput.stills.map(({ frame }) => frame));
  const frames = new Set([...stills, ...[...wanted.values()].flat().flatMap((span) => middles(span, renderInput))]);
  const candidates = [...frames].map((frame) => {
    const strengths = [...wanted].map(([key, shown]) => {
      return [key, Math.max(...shown.map((span) => strengthAt(span, frame * perFrame)))] as const;
    });
    const seen = new Map(strengths.filter(([, strength]) => strength >= MIN_VISIBLE_STRENGTH));
    return { frame, seen, isStill: stills.has(frame) };
  });
  const chosen = new Map<number, readonly string[]>();
  const left = new Set(wanted.keys());
  while (left.size > 0 && chosen.size < most) {
    const [best] = candidates
      .map((candidate) => ({ ...candidate, worth: worthOf(candidate, left) }))
      .sort((a, b) => b.worth - a.worth || a.frame - b.frame);
    if (best === undefined || best.worth === 0) break;
    chosen.set(best.frame, [...best.seen.keys()]);
    for (const key of best.seen.keys()) left.delete(key);
  }
  if (chosen.size === 0) for (const frame of spread([...stills], most)) chosen.set(frame, []);
  if (chosen.size === 0) chosen.set(Math.floor(renderInput.frameCount / 2), []);
  return [...chosen]
    .sort(([a], [b]) => a - b)
    .map(([frame, keys]) => ({ timeSeconds: frame / renderInput.fps, editables: keys }));
}

/**
 * Scores a frame by the visibility of the editables not covered yet. A still of the template gets a bonus, because its
 * author chose it.
 */
function worthOf(
  { seen, isStill }: { readonly seen: ReadonlyMap<string, number>; readonly isStill: boolean },
  left: ReadonlySet<string>,
): number {
  const strength = [...left].reduce((sum, key) => sum + (seen.get(key) ?? 0), 0);
  return strength === 0 ? 0 : strength + (isStill ? 0.5 : 0);
}

/** Returns video frames midway between the times at which a layer's visibility may change. */
function middles(span: LayerSpan, { animation, fps, frameCount }: RenderInput): number[] {
  const changes = [...new Set(changesOf(span))].sort((a, b) => a - b);
  const between = changes.slice(1).map((to, index) => (changes[index]! + to) / 2);
  return between
    .map((frame) => Math.floor((frame * fps) / animation.fr))
    .filter((frame) => frame >= 0 && frame < frameCount);
}

/** Picks evenly distributed elements of a list, including the first and the last. */
function spread(frames: readonly number[], most: number): number[] {
  const sorted = [...frames].sort((a, b) => a - b);
  if (sorted.length <= most) return sorted;
  if (most === 1) return [sorted[Math.floor(sorted.length / 2)]!];
  return Array.from({ length: most }, (_, index) => sorted[Math.round((index * (sorted.length - 1)) / (most - 1))]!);
}

/** Maps each editable of a bound input to the spans of the layers that contain a value filled by it. */
function editableSpans({ animation }: Pick<RenderInput, 'animation'>): Map<string, LayerSpan[]> {
  const assets = new Map((animation.assets ?? []).map((asset) => [asset.id, asset]));
  const known = new Map<LottieNode, readonly string[]>();
  const editablesOf = (layer: LottieNode): readonly string[] => {
    const found = known.get(layer) ?? filledWithin(layer, assets.get(String(layer.refId)));
    known.set(layer, found);
    return found;
  };
  const shown = layerSpans(animation).flatMap((span) =>
    editablesOf(span.layer).map((editable) => ({ editable, span })),
  );
  const groups = groupBy(shown, ({ editable }) => editable);
  return new Map([...groups].map(([editable, alike]) => [editable, alike.map(({ span }) => span)]));
}

/** Ignores the content of precompositions, because their layers have separate spans. */
function filledWithin(layer: LottieNode, asset: LottieNode | undefined): string[] {
  const found = new Set<string>();
  // `checkAnimation` bounds the depth of recursion.
  const visit = (value: object): void => {
    if (isRecord(value) && typeof value.editable === 'string') found.add(value.editable);
    for (const child of Array.isArray(value) ? value : Object.values(value)) {
      if (typeof child === 'object' && child !== null) visit(child);
    }
  };
  visit(layer);
  if (asset !== undefined && !Array.isArray(asset.layers)) visit(asset);
  return [...found];
}
