import { isRecord } from '../../../kernel/json.ts';
import { type LottieNode, mapped } from '../lottie-layers.ts';
import { keyTimes, propertyValue } from '../property-value.ts';
import { withChangedValues } from './limited-values.ts';

/** Longest time in frames in which an animated number of copies is counted. */
const MAX_COUNTED = 3600;
/** Maximum number of nested repeaters that are split. Each doubles the shapes of the repeaters within it. */
const MAX_SPLIT_DEPTH = 3;
/** `m` of a repeater that paints each copy over the previous copy. */
const ABOVE = 1;

/**
 * Returns shapes whose repeaters have whole copies that fade as in After Effects: the first copy has the start opacity, the last copy
 * the end opacity. The renderer draws the last of n copies at (n - 1) / n of the way between the two and limits both to 0..100 %.
 * So an end opacity is moved further away. Where that would exceed the limits, or where an opacity is animated, the last copy
 * becomes a separate repeater. Unchanged shapes are not copied.
 */
export function withRepeaters(shapes: unknown): unknown {
  if (!Array.isArray(shapes)) return shapes;
  let list = mapped(shapes, (shape) => {
    if (shape.ty === 'rp') return withWholeCopies(shape);
    const it = shape.ty === 'gr' ? withRepeaters(shape.it) : shape.it;
    return it === shape.it ? shape : { ...shape, it };
  }) as readonly unknown[];
  for (let at = 0; at < list.length; at++) {
    const repeater = list[at];
    if (!isRecord(repeater) || repeater.ty !== 'rp' || repeater.hd === true) continue;
    const original = shapes.length - (list.length - at);
    if (!isSplit(repeater) || isMisfaded(shapes, original)) {
      list = list.with(at, withMovedEnd(repeater));
      continue;
    }
    const groups = splitGroups(list.slice(0, at), repeater);
    list = [...groups, ...list.slice(at + 1)];
    at = groups.length - 1;
  }
  return list.every((shape, index) => shape === shapes[index]) && list.length === shapes.length ? shapes : list;
}

/** Returns whether the copies of a repeater are drawn with wrong opacities, because its shapes cannot be drawn twice. */
export function isMisfaded(shapes: readonly unknown[], index: number): boolean {
  const repeater = shapes[index];
  if (!isRecord(repeater) || !isSplit(repeater)) return false;
  // Later shapes would apply to both groups: a fill would be painted twice, or paths joined with themselves.
  const isLast = shapes
    .slice(index + 1)
    .every((shape) => isRecord(shape) && (shape.hd === true || FOLLOWING.has(shape.ty)));
  return !isLast || splitDepth(shapes.slice(0, index + 1)) > MAX_SPLIT_DEPTH;
}

const FOLLOWING = new Set<unknown>(['tr', 'rp']);

/** Counts nested repeaters that are split, along the deepest branch. */
function splitDepth(shapes: readonly unknown[]): number {
  let [splitCount, inner] = [0, 0];
  for (const shape of shapes) {
    if (!isRecord(shape) || shape.hd === true) continue;
    if (shape.ty === 'rp' && isSplit(shape)) splitCount += 1;
    if (shape.ty === 'gr' && Array.isArray(shape.it)) inner = Math.max(inner, splitDepth(shape.it));
  }
  return splitCount + inner;
}

/** Returns a repeater with whole copies, because the renderer leaves out a partial copy, which lottie-web draws. */
function withWholeCopies(repeater: LottieNode): LottieNode {
  const { c } = repeater;
  const times = keyTimes(c);
  const countAt = (time: number): number => Math.ceil(propertyValue(c, time)?.[0] ?? 0);
  if (!isRecord(c) || (typeof c.k === 'number' && Number.isInteger(c.k))) return repeater;
  if (times.length === 0) return typeof c.k === 'number' ? { ...repeater, c: { ...c, k: Math.ceil(c.k) } } : repeater;
  const [first, last] = [Math.floor(Math.min(...times)), Math.ceil(Math.max(...times))];
  if (last - first > MAX_COUNTED) return repeater;
  const k = Array.from({ length: last - first + 1 }, (_, at) => ({ t: first + at, s: [countAt(first + at)], h: 1 }));
  return { ...repeater, c: { a: 1, k } };
}

interface Fade {
  readonly start: number;
  readonly end: number;
  readonly count: number;
}

/** Returns the opacities of a repeater; null if they or the number of copies are animated. */
function constantFade({ c, tr }: LottieNode): Fade | null {
  const [count, start, end] = [c, isRecord(tr) ? tr.so : undefined, isRecord(tr) ? tr.eo : undefined].map(constant);
  return count === null || start === null || end === null
    ? null
    : { count: count ?? 0, start: start ?? 100, end: end ?? 100 };
}

/** Returns the value of a property; undefined if it is absent, null if it is animated. */
function constant(property: unknown): number | undefined | null {
  return keyTimes(property).length > 0 ? null : propertyValue(property, 0)?.[0];
}

/** Returns the end opacity with which the renderer draws the last copy correctly. */
function movedEnd({ start, end, count }: Fade): number {
  return count < 2 ? end : start + ((end - start) * count) / (count - 1);
}

/** Returns whether the last copy of a repeater is drawn by a separate repeater. */
export function isSplit(original: LottieNode): boolean {
  const repeater = withWholeCopies(original);
  const { tr } = repeater;
  if (!isRecord(tr) || !isRecord(tr.so) || !isRecord(tr.eo)) return false;
  const fade = constantFade(repeater);
  if (fade === null) {
    const [start, end] = [constant(tr.so), constant(tr.eo)];
    return constant(repeater.c) !== 1 && (start === null || end === null || start !== end);
  }
  const end = movedEnd(fade);
  return fade.count >= 2 && fade.start !== fade.end && (end < 0 || end > 100);
}

function withMovedEnd(repeater: LottieNode): LottieNode {
  const { tr } = repeater;
  const fade = constantFade(repeater);
  if (fade === null || fade.start === fade.end || !Number.isInteger(fade.count) || fade.count < 2) return repeater;
  if (!isRecord(tr) || !isRecord(tr.so) || !isRecord(tr.eo)) return repeater;
  return { ...repeater, tr: { ...tr, eo: { ...tr.eo, k: movedEnd(fade) } } };
}

/**
 * Returns groups that together draw what a repeater draws, in the order of the list: a group of all copies but the last, and a group
 * of the last copy unless it is transparent. The renderer draws the last of n copies at (n - 1) / n of the way to the end.
 */
function splitGroups(shapes: readonly unknown[], repeater: LottieNode): LottieNode[] {
  const { c, o, tr, m } = repeater as LottieNode & { c: LottieNode; tr: LottieNode };
  const group = (changes: LottieNode): LottieNode => ({
    ty: 'gr',
    it: [...shapes, { ...repeater, ...changes }, { ty: 'tr', ...STILL }],
  });
  const allButLast = group({ c: withChangedValues(c, ([count = 0]) => [count < 2 ? count : count - 1], always) });
  if (constant(tr.eo) === 0) return [allButLast];
  const lastTime = (time: number): number => Math.max(0, (propertyValue(c, time)?.[0] ?? 0) - 1);
  const last = group({
    c: withChangedValues(c, ([count = 0]) => [count < 2 ? 0 : 1], always),
    o: offsetBy(o, c, lastTime),
    tr: { ...tr, so: tr.eo },
  });
  return m === ABOVE ? [last, allButLast] : [allButLast, last];
}

const always = (): boolean => true;

/** Returns an offset of a repeater moved by a number of copies that may change with the number of copies. */
function offsetBy(offset: unknown, count: LottieNode, by: (time: number) => number): LottieNode {
  const property = isRecord(offset) ? offset : { a: 0, k: 0 };
  const times = [...keyTimes(property), ...keyTimes(count)];
  const withAllTimes =
    times.length === 0 || keyTimes(count).length === 0
      ? property
      : {
          a: 1,
          k: [...new Set(times)].sort((a, b) => a - b).map((t) => ({ t, s: propertyValue(property, t) ?? [0] })),
        };
  const at = (time: number): number => propertyValue(property, time)?.[0] ?? 0;
  return withChangedValues(
    withAllTimes,
    (_, time) => [at(time) + by(time)],
    (__, ___, time) => by(time) !== by(time + 1),
  );
}

const STILL = {
  p: { a: 0, k: [0, 0] },
  a: { a: 0, k: [0, 0] },
  s: { a: 0, k: [100, 100] },
  r: { a: 0, k: 0 },
  o: { a: 0, k: 100 },
} as const;
