import { isRecord } from '../../kernel/json.ts';
import { type Clock, clockOf } from '../../template/lottie/visibility/layer-spans.ts';
import type { LottieDocument } from '../../template/render-input.ts';

/** Frames of the animation, both ends included. */
type Span = readonly [from: number, to: number];

/** Tolerance in animation frames; exceeds the error of 32-bit times in the rasteriser. */
const MARGIN = 0.02;
/** Embedded pictures without animation. */
const STILL_PICTURE = /^data:image\/(?:png|jpeg|jpg);/i;
/** Maximum number of composition uses that are analysed; animations with more are drawn frame by frame. */
const MAX_SHOWINGS = 2_000;

/**
 * Finds the intervals in which an animation certainly does not change: without key frames, and without a layer that starts or ends.
 * Unknown features count as changes, so that a changed frame is never reported as static.
 *
 * @param animation as passed to the rasteriser
 * @returns whether nothing changes between two times, in frames from the start of the animation, `from` ≤ `to`
 */
export function findStaticFrames(animation: LottieDocument): (from: number, to: number) => boolean {
  const changes = changesOf(animation);
  if (changes === null) return () => false;
  const merged = merge(changes);
  return (from, to) => {
    const [start, end] = [from + animation.ip - MARGIN, to + animation.ip + MARGIN];
    return !merged.some(([changeStart, changeEnd]) => changeStart <= end && changeEnd >= start);
  };
}

/** Returns the intervals in which anything may change, in frames of the animation; null if they are unknown. */
function changesOf(animation: LottieDocument): Span[] | null {
  const assets = animation.assets ?? [];
  if (animation.mb !== undefined || hasKeyframes(animation.slots)) return null;
  if (assets.some(({ p: path }) => typeof path === 'string' && path !== '' && !STILL_PICTURE.test(path))) return null;
  const compositions = new Map(assets.flatMap(({ id, layers }) => (Array.isArray(layers) ? [[id, layers]] : [])));
  const seen = new Set<string>();
  const changes: Span[] = [];
  let showings = 0;
  const visit = (layers: readonly unknown[], clock: Clock): void => {
    showings += 1;
    for (const layer of layers) {
      if (showings > MAX_SHOWINGS || !isRecord(layer)) continue;
      const layerClock = clockOf(layer, clock);
      // Hidden layers count as well: they may move other layers or be their matte.
      for (const edge of [layer.ip, layer.op]) {
        if (typeof edge === 'number') changes.push(...spansIn([clock], edge, edge));
      }
      // Players differ in whether a layer's own start and stretch apply to its key frames.
      for (const [from, to] of keyframeSpans(layer)) changes.push(...spansIn([clock, layerClock], from, to));
      const inside = compositions.get(String(layer.refId));
      if (inside === undefined) continue;
      if (layer.tm === undefined) {
        seen.add(String(layer.refId));
        visit(inside, layerClock);
      }
      // With time remapping, a composition and those in it change only when that property does.
      else markSeen(String(layer.refId));
    }
  };
  const markSeen = (id: string): void => {
    const layers = compositions.get(id);
    if (layers === undefined || seen.has(id)) return;
    seen.add(id);
    for (const layer of layers) if (isRecord(layer)) markSeen(String(layer.refId));
  };
  visit(animation.layers, { start: 0, stretch: 1 });
  const isUnseen = [...compositions].some(([id, layers]) => !seen.has(id) && hasKeyframes(layers));
  return showings > MAX_SHOWINGS || isUnseen ? null : changes;
}

/** Converts a span of each clock to frames of the animation. */
function spansIn(clocks: readonly Clock[], from: number, to: number): Span[] {
  return clocks.map(({ start, stretch }) => {
    const ends = [start + from * stretch, start + to * stretch];
    return [Math.min(...ends), Math.max(...ends)];
  });
}

function hasKeyframes(value: unknown): boolean {
  return keyframeSpans(value).next().done !== true;
}

/** Yields the intervals in which properties below a value change, in the time of their key frames. */
function* keyframeSpans(value: unknown): Generator<Span> {
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object') yield* keyframeSpans(item);
    return;
  }
  if (!isRecord(value)) return;
  for (const child of Object.values(value)) {
    if (typeof child !== 'object') continue;
    if (Array.isArray(child) && child.some((item) => isRecord(item) && typeof item.t === 'number')) {
      yield* propertySpans(child.filter(isRecord));
    }
    yield* keyframeSpans(child);
  }
}

function* propertySpans(keyframes: readonly Record<string, unknown>[]): Generator<Span> {
  for (const [index, key] of keyframes.entries()) {
    const next = keyframes[index + 1];
    const [from, to] = [Number(key.t), Number(next?.t ?? key.t)];
    if (!(from <= to)) yield [-Infinity, Infinity];
    else if (next !== undefined && !isConstant(key, next)) yield [from, to];
  }
}

/** Returns whether a property stays constant between two key frames: equal values, and no curved path between them. */
function isConstant(key: Record<string, unknown>, next: Record<string, unknown>): boolean {
  const start = JSON.stringify(key.s);
  if (start === undefined || (key.e !== undefined && JSON.stringify(key.e) !== start)) return false;
  return JSON.stringify(next.s) === start && isStraight(key.to) && isStraight(key.ti);
}

function isStraight(tangent: unknown): boolean {
  return tangent === undefined || (Array.isArray(tangent) && tangent.every((part) => part === 0));
}

/** Sorts spans and merges those that overlap. */
function merge(spans: readonly Span[]): Span[] {
  const merged: [number, number][] = [];
  for (const [from, to] of [...spans].sort(([a], [b]) => a - b)) {
    const last = merged.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return merged;
}
