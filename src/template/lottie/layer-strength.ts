import { isRecord } from '../../is-record.ts';
import type { LayerSpan } from './layer-spans.ts';
import type { LottieNode } from './lottie-node.ts';

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
  const opacity = valueAt(o, time)?.[0] ?? 100;
  const scale = valueAt(s, time) ?? [100];
  const isDot = scale.slice(0, 2).some((one) => Math.abs(one) / 100 < LEAST_SCALE);
  return isDot ? 0 : Math.min(1, Math.max(0, opacity / 100));
}

function transformOf(layer: LottieNode): LottieNode {
  return isRecord(layer.ks) ? layer.ks : {};
}

function keyTimes(property: unknown): number[] {
  return keyframes(property).map(({ t }) => t);
}

/** A value at a time, straight from keyframe to keyframe: where it is nothing, and where it is something, is told right. */
function valueAt(property: unknown, time: number): number[] | null {
  if (!isRecord(property)) return null;
  const frames = keyframes(property);
  if (frames.length === 0) return numbers(property.k);
  const next = frames.findIndex(({ t }) => t > time);
  if (next === 0) return frames[0]!.value;
  const [before, after] = next === -1 ? [frames.at(-1)!, null] : [frames[next - 1]!, frames[next]!];
  if (after === null || before.value === null || before.isHeld) return before.value;
  const share = (time - before.t) / (after.t - before.t);
  const target = after.value ?? before.value;
  return before.value.map((one, index) => one + ((target[index] ?? one) - one) * share);
}

interface Keyframe {
  readonly t: number;
  readonly value: number[] | null;
  readonly isHeld: boolean;
}

/** Each property is asked at many times. */
const known = new WeakMap<object, Keyframe[]>();

/** In order of time. Old documents say a keyframe's end in the one before it. */
function keyframes(property: unknown): Keyframe[] {
  if (!isRecord(property) || !Array.isArray(property.k)) return [];
  const same = known.get(property);
  if (same !== undefined) return same;
  const found: Keyframe[] = [];
  let end: number[] | null = null;
  for (const frame of property.k as unknown[]) {
    if (!isRecord(frame) || typeof frame.t !== 'number') continue;
    found.push({ t: frame.t, value: numbers(frame.s) ?? end, isHeld: frame.h === 1 });
    end = numbers(frame.e);
  }
  known.set(property, found);
  return found;
}

function numbers(value: unknown): number[] | null {
  if (typeof value === 'number') return [value];
  return Array.isArray(value) && value.every((one) => typeof one === 'number') ? value : null;
}
