import { isRecord } from '../../../kernel/json.ts';
import type { LottieDocument } from '../../render-input.ts';
import { LAYER_TYPE, type LottieNode, numberOr, precompositions, transformOf } from '../lottie-layers.ts';
import { keyTimes, propertyValue } from '../property-value.ts';

/** A span of time in which a layer is shown. A layer of a precomposition has a span for each layer that shows it. */
export interface LayerSpan {
  readonly layer: LottieNode;
  /** Frames of the animation, counted from its first; `to` is exclusive. */
  readonly from: number;
  readonly to: number;
  /** The layer's own time (`st`). Null within a time-remapped layer, whose `from` and `to` apply. */
  readonly clock: Clock | null;
  /**
   * The same for the composition around the layer, in whose time keyframes, `ip`, `op` and `st` are given. Null within
   * a time-remapped layer.
   */
  readonly around: Clock | null;
  /** The span of the precomposition around the layer; null for a layer of the animation itself. */
  readonly within: LayerSpan | null;
}

/** The frame of the animation at which a time begins, and the frames of the animation per frame of that time. */
export interface Clock {
  readonly start: number;
  readonly stretch: number;
}

/**
 * Returns when each layer is shown, in frames from the animation's start. Omits layers that are hidden or never shown.
 *
 * @param animation accepted by `checkAnimation`
 * @see Lottie specification 1.0.1: `ip`, `op` and `st` are times of the composition that a layer lies in
 */
export function layerSpans(animation: LottieDocument): LayerSpan[] {
  const compositions = precompositions(animation);
  const spansOf = (layers: readonly LottieNode[], showing: Showing): LayerSpan[] =>
    layers.flatMap((layer) => {
      const span = spanOf(layer, showing);
      if (span === null) return [];
      // Only precomposition layers show compositions. `checkAnimation` counts them the same way.
      const inside = layer.ty === LAYER_TYPE.precomposition ? compositions.get(String(layer.refId)) : undefined;
      const { from, to, clock } = span;
      return [span, ...spansOf(inside ?? [], { from, to, clock: layer.tm === undefined ? clock : null, within: span })];
    });
  const { ip, op } = animation;
  const whole = { from: 0, to: op - ip, clock: { start: -ip, stretch: 1 }, within: null };
  return spansOf((animation.layers as unknown[]).filter(isRecord), whole);
}

/** A composition on screen: when it is shown, and its time. */
type Showing = Pick<LayerSpan, 'from' | 'to' | 'clock' | 'within'>;

/** Returns when a layer of a composition is shown; null if it is hidden or never shown. */
function spanOf(layer: LottieNode, { from, to, clock, within }: Showing): LayerSpan | null {
  if (layer.hd === true) return null;
  if (clock === null) return to <= from ? null : { layer, from, to, clock, around: clock, within };
  const span = {
    from: Math.max(from, clock.start + numberOr(layer.ip, 0) * clock.stretch),
    to: Math.min(to, clock.start + numberOr(layer.op, Infinity) * clock.stretch),
  };
  return span.to <= span.from ? null : { layer, ...span, clock: clockOf(layer, clock), around: clock, within };
}

/** Returns the clock of a layer. @param around clock of the composition that the layer lies in */
export function clockOf(layer: LottieNode, around: Clock): Clock {
  const stretch = numberOr(layer.sr, 1) || 1;
  return { start: around.start + numberOr(layer.st, 0) * around.stretch, stretch: around.stretch * stretch };
}

/** Converts a time of a layer's composition to the layer's own time, in frames. */
export function timeWithin(layer: LottieNode, time: number, framesPerSecond: number): number {
  if (isRecord(layer.tm)) return (propertyValue(layer.tm, time)?.[0] ?? 0) * framesPerSecond;
  return (time - numberOr(layer.st, 0)) / (numberOr(layer.sr, 1) || 1);
}

/** Strength below which a layer is hardly visible. */
export const MIN_VISIBLE_STRENGTH = 0.05;

/** Share of its size below which a layer is only a dot. */
const MIN_SCALE = 0.02;

/**
 * Estimates the visibility of a layer on a frame, 0..1, from times, opacities and scales of the layer and its
 * precompositions. Ignores occlusion and the edges of the picture.
 *
 * @param frame of the animation, counted from its first
 */
export function strengthAt(span: LayerSpan, frame: number): number {
  if (frame < span.from || frame >= span.to) return 0;
  let strength = 1;
  for (let at: LayerSpan | null = span; at !== null; at = at.within) strength *= strengthOfLayer(at, frame);
  return strength;
}

/**
 * Returns the frames at which a layer's visibility may begin to change: its ends, and keyframes of opacity and scale.
 */
export function changesOf(span: LayerSpan): number[] {
  const frames = [span.from, span.to];
  for (let at: LayerSpan | null = span; at !== null; at = at.within) {
    const { around, layer } = at;
    if (around === null) continue;
    const { o, s } = transformOf(layer);
    for (const time of [...keyTimes(o), ...keyTimes(s)]) frames.push(around.start + time * around.stretch);
  }
  return frames.filter((frame) => frame >= span.from && frame <= span.to);
}

function strengthOfLayer({ layer, around }: LayerSpan, frame: number): number {
  // With time remapping, visibility is unknown without drawing.
  if (around === null) return 1;
  const time = (frame - around.start) / around.stretch;
  const { o, s } = transformOf(layer);
  const opacity = propertyValue(o, time)?.[0] ?? 100;
  const scale = propertyValue(s, time) ?? [100];
  const isDot = scale.slice(0, 2).some((percent) => Math.abs(percent) / 100 < MIN_SCALE);
  return isDot ? 0 : Math.min(1, Math.max(0, opacity / 100));
}
