import { isRecord } from '../../json.ts';
import type { LayerSpan } from './layer-spans.ts';
import type { LottieNode } from './lottie-node.ts';
import { keyTimes, propertyValue } from './property-value.ts';

/** A layer that is shown less strongly is hardly seen. */
export const LEAST_STRENGTH = 0.05;

/** Below this share of its size a layer is a dot. */
const LEAST_SCALE = 0.02;

/**
 * How strongly a layer is shown on a frame, 0..1, as far as times, opacities and scales tell, its own and those of what it
 * lies in: not what lies above it, nor whether it is outside of the picture.
 *
 * @param frame of the animation, from its first one on
 */
export function strengthAt(span: LayerSpan, frame: number): number {
  if (frame < span.from || frame >= span.to) return 0;
  let strength = 1;
  for (let at: LayerSpan | null = span; at !== null; at = at.within) strength *= ownStrength(at, frame);
  return strength;
}

/** Frames at which a layer's strength may begin to change: its first and last, and the keyframes of opacity and scale. */
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

function ownStrength({ layer, around }: LayerSpan, frame: number): number {
  // Where time is bent nobody can tell without drawing.
  if (around === null) return 1;
  const time = (frame - around.start) / around.stretch;
  const { o, s } = transformOf(layer);
  const opacity = propertyValue(o, time)?.[0] ?? 100;
  const scale = propertyValue(s, time) ?? [100];
  const isDot = scale.slice(0, 2).some((one) => Math.abs(one) / 100 < LEAST_SCALE);
  return isDot ? 0 : Math.min(1, Math.max(0, opacity / 100));
}

function transformOf(layer: LottieNode): LottieNode {
  return isRecord(layer.ks) ? layer.ks : {};
}
