import Matrix from 'lottie-web/player/js/3rd_party/transformation-matrix.js';
import shapePool from 'lottie-web/player/js/utils/pooling/shape_pool.js';

// biome-ignore lint/suspicious/noExplicitAny: lottie-web has no types for its internals
export type Any = any;
type Point = readonly number[];
/** A number, several numbers, or a path of lottie-web. */
export type Value = Any;

/** Compositions whose time `atTime` moves. */
export const compositions = new Set<Any>();
/** Name of a composition → the object that expressions see. */
export const namedCompositions = new Map<string, Any>();
/** Evaluations at other times have separate frame ids, so that properties do not reuse their values at the current time. */
const OTHER_TIMES = 1e9;
let lastOtherTime = OTHER_TIMES;
let memory = new Map<Any, Map<number, Value>>();
const MAX_REMEMBERED = 20_000;
let remembered = 0;

/** Returns whether a frame id is that of an evaluation at another time. */
export function isOfOtherTime(frameId: number): boolean {
  return frameId > OTHER_TIMES;
}

/** Returns the time of a composition in seconds. */
export function timeOf(comp: Any): number {
  return comp.renderedFrame / comp.globalData.frameRate;
}

/** Calls a function while all compositions are at another time, given in seconds of `comp`. */
export function atTime<Result>(comp: Any, seconds: number, run: () => Result): Result {
  const { globalData } = comp;
  const delta = seconds * globalData.frameRate - comp.renderedFrame;
  if (Math.abs(delta) < 1e-9) return run();
  const frames = [...compositions].map((composition) => [composition, composition.renderedFrame]);
  const { frameId } = globalData;
  for (const [composition, frame] of frames) composition.renderedFrame = frame + delta;
  globalData.frameId = ++lastOtherTime;
  try {
    return run();
  } finally {
    for (const [composition, frame] of frames) composition.renderedFrame = frame;
    globalData.frameId = frameId;
  }
}

/** Returns the value of a property, with its expression, in the units of the document. */
export function currentValue(property: Any): Value {
  if (property.k) property.getValue();
  const { v, mult = 1 } = property;
  if (typeof v === 'number') return unscaled(v, mult);
  return isPath(v) ? v : v.map((number: number) => unscaled(number, mult));
}

/** Divides without the noise that a multiplication with 0.01 has left. */
function unscaled(value: number, mult: number): number {
  return mult === 1 ? value : Math.round((value / mult) * 1e9) / 1e9;
}

/** Returns whether a value is a path of lottie-web. */
export function isPath(value: Any): boolean {
  return value?.v !== undefined && value?.i !== undefined;
}

/** Returns the value of a property at a time, without its expression. */
export function keyframeValue(property: Any, seconds: number): Value {
  // lottie-web continues from the keyframe, and from the point of a motion path, of the time before.
  const cache = property._cachingAtTime;
  if (cache) cache[isPath(property.v) ? 'lastTime' : 'lastFrame'] = Number.POSITIVE_INFINITY;
  const value = property.getValueAtTime(seconds, 0);
  if (isPath(value)) return shapePool.clone(value);
  return typeof value === 'number' ? value : Array.from(value as ArrayLike<number>);
}

/** Returns the value of a property at a time, with its expression unless that is being evaluated. */
function valueAt(property: Any, seconds = timeOf(property.comp)): Value {
  if (!property.x || property.lock) return keyframeValue(property, seconds);
  const known = memory.get(property)?.get(seconds);
  if (known !== undefined) return known;
  const value = atTime(property.comp, seconds, () => {
    const current = currentValue(property);
    return isPath(current) ? shapePool.clone(current) : current;
  });
  if (++remembered > MAX_REMEMBERED) [memory, remembered] = [new Map(), 0];
  const times = memory.get(property) ?? new Map();
  memory.set(property, times.set(seconds, value));
  return value;
}

/** Seconds over which velocities are measured, before the time. */
const STEP = 0.001;

/** Returns the change of a property per second. */
function velocityAt(property: Any, seconds = timeOf(property.comp)): Value {
  return combine((now, before) => (now - before) / STEP, valueAt(property, seconds), valueAt(property, seconds - STEP));
}

function speedAt(property: Any, seconds?: number): number {
  const velocity = velocityAt(property, seconds);
  return typeof velocity === 'number' ? Math.abs(velocity) : Math.hypot(...velocity);
}

/** Calls a function with each number of values of the same kind. */
export function combine(join: (...numbers: number[]) => number, ...values: Value[]): Value {
  const [first] = values;
  if (typeof first === 'number') return join(...values);
  if (!isPath(first)) {
    return Array.from(first, (_, index) => join(...values.map((value) => value[index] ?? 0)));
  }
  const path = shapePool.clone(first);
  for (const list of ['v', 'i', 'o']) {
    for (let index = 0; index < path._length; index++) {
      path[list][index] = combine(join, ...values.map((value) => value[list][index] ?? [0, 0]));
    }
  }
  return path;
}

interface Key {
  readonly index: number;
  readonly time: number;
  readonly value: Value;
}

function keysOf({ keyframes, data }: Any): Any[] {
  return keyframes ?? (data?.d?.k?.length > 1 ? data.d.k : []);
}

/**
 * Returns a keyframe.
 *
 * @param index from 1
 */
function key(property: Any, index: number): Key {
  const keys = keysOf(property);
  const found = keys[index - 1];
  if (found === undefined) throw new Error(`the property has no keyframe ${index}; it has ${keys.length}`);
  const time = found.t / property.elem.globalData.frameRate;
  const start = found.s ?? keys[index - 2]?.e ?? keys[index - 2]?.s;
  if (!Array.isArray(start)) return { index, time, value: start.t };
  if (isPath(start[0])) return { index, time, value: keyframeValue(property, time) };
  // Expressions for lottie-web read the number as the first of a list.
  const value = property.propType === 'unidimensional' ? Object.assign(new Number(start[0]), { 0: start[0] }) : [...start]; // biome-ignore format: a value
  return { ...start, index, time, value };
}

/** Returns the keyframe that is nearest to a time. */
function nearestKey(property: Any, seconds: number): Key {
  const keys = keysOf(property);
  const frame = seconds * property.elem.globalData.frameRate;
  const distances = keys.map(({ t }) => Math.abs(t - frame));
  return key(property, distances.indexOf(Math.min(...distances)) + 1);
}

type LoopType = 'cycle' | 'pingpong' | 'offset' | 'continue';

/**
 * Repeats the keyframes of a property after the last, or before the first.
 *
 * @param length number of keyframe intervals, or seconds with `isDuration`; 0 for all
 */
function loop(
  property: Any,
  end: 'in' | 'out',
  {
    type = 'cycle',
    length = 0,
    isDuration = false,
  }: { type?: unknown; length?: number | undefined; isDuration?: boolean },
): Value {
  const count = keysOf(property).length;
  const now = timeOf(property.comp);
  const at = (seconds: number): Value => keyframeValue(property, seconds);
  if (count < 2) return at(now);
  const timeOfKey = (index: number): number => key(property, index).time;
  const [first, last] = [timeOfKey(1), timeOfKey(count)];
  if (end === 'out' ? now <= last : now >= first) return at(now);
  const { ip, op } = property.elem.data;
  const { frameRate } = property.elem.globalData;
  const intervals = isDuration || !(length > 0) ? count - 1 : Math.min(Math.floor(length), count - 1);
  let [from, to] = end === 'out' ? [timeOfKey(count - intervals), last] : [first, timeOfKey(1 + intervals)];
  if (isDuration && end === 'out') from = length > 0 ? last - length : Math.min(last, ip / frameRate);
  if (isDuration && end === 'in') to = length > 0 ? first + length : Math.max(first, op / frameRate);
  const span = to - from;
  const kind = String(type).toLowerCase() as LoopType;
  if (kind === 'continue') {
    const edge = end === 'out' ? last : first;
    const [a, b] = end === 'out' ? [at(edge - STEP), at(edge)] : [at(edge), at(edge + STEP)];
    return combine((value, earlier, later) => value + ((later - earlier) / STEP) * (now - edge), at(edge), a, b);
  }
  if (!(span > 0)) return at(now);
  const round = Math.floor((now - from) / span);
  const inside = now - from - round * span;
  if (kind === 'pingpong' && Math.abs(round) % 2 === 1) return at(to - inside);
  if (kind !== 'offset') return at(from + inside);
  return combine((value, start, stop) => value + (stop - start) * round, at(from + inside), at(from), at(to));
}

/** Returns the mean of samples around the current time. */
function smooth(property: Any, width = 0.2, samples = 5, seconds = timeOf(property.comp)): Value {
  const times = Array.from({ length: samples }, (_, index) =>
    samples === 1 ? seconds : seconds - width / 2 + (index * width) / (samples - 1),
  );
  const values = times.map((time) => keyframeValue(property, time));
  return combine((...numbers) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length, ...values);
}

/** Moves the value of a property; its random numbers belong to the scope of an expression. */
export type Wiggle = (property: Any, parameters: readonly number[]) => Value;

/**
 * Returns the members that every property has.
 *
 * @param read returns the value that `value` has
 */
export function membersOf(
  property: Any,
  wiggle: Wiggle,
  read: () => Value = () => currentValue(property),
): Record<string, PropertyDescriptor> {
  const now = (): number => timeOf(property.comp);
  const getter = (get: () => unknown): PropertyDescriptor => ({ get, configurable: true });
  const method = (value: unknown): PropertyDescriptor => ({ value, configurable: true, writable: true });
  return {
    value: getter(read),
    velocity: getter(() => velocityAt(property)),
    speed: getter(() => speedAt(property)),
    numKeys: getter(() => keysOf(property).length),
    name: getter(() => property.expressionName ?? ''),
    propertyIndex: getter(() => property.propertyIndex),
    propertyGroup: method((count = 1) => property.propertyGroup?.(count)),
    valueAtTime: method((seconds: number) => valueAt(property, seconds)),
    velocityAtTime: method((seconds: number) => velocityAt(property, seconds)),
    speedAtTime: method((seconds: number) => speedAt(property, seconds)),
    key: method((index: number) => key(property, index)),
    nearestKey: method((seconds: number) => nearestKey(property, seconds)),
    loopIn: method((type?: unknown, length?: number) => loop(property, 'in', { type, length })),
    loopOut: method((type?: unknown, length?: number) => loop(property, 'out', { type, length })),
    loopInDuration: method((type?: unknown, length?: number) =>
      loop(property, 'in', { type, length, isDuration: true }),
    ),
    loopOutDuration: method((type?: unknown, length?: number) =>
      loop(property, 'out', { type, length, isDuration: true }),
    ),
    smooth: method((width?: number, samples?: number, seconds = now()) => smooth(property, width, samples, seconds)),
    wiggle: method((...parameters: number[]) => wiggle(property, parameters)),
  };
}

const prototypes = new WeakMap<Any, object>();

/** Returns the value of a property as an expression sees it: a number or an array that has the members of a property. */
export function propertyObject(property: Any, wiggle: Wiggle): Any {
  if (property === undefined) throw new Error('the property does not exist');
  const value = currentValue(property);
  if (isPath(value)) return withPathMembers(property, membersOf(property, wiggle));
  const object = typeof value === 'number' ? new Number(value) : value;
  let prototype = prototypes.get(property);
  if (prototype === undefined) {
    prototype = Object.create(Object.getPrototypeOf(object), membersOf(property, wiggle) as PropertyDescriptorMap);
    prototypes.set(property, prototype!);
  }
  Object.setPrototypeOf(object, prototype!);
  if (typeof value === 'number') Object.defineProperty(object, 0, { value });
  return object;
}

/** Share of a path whose direction is that of a point. lottie-web knows points at 150 places of each curve. */
const CHORD = 0.01;

/** Adds members to a path, which is the property itself. */
export function withPathMembers(property: Any, { value: _, ...members }: Record<string, PropertyDescriptor>): Any {
  Object.defineProperties(property, members);
  const { pointOnPath } = Object.getPrototypeOf(property);
  if (pointOnPath === undefined) return property;
  const point = (share: number, seconds?: number): Point => {
    // lottie-web measures the lengths of the first frame only.
    property._segmentsLength = undefined;
    return pointOnPath.call(property, share, seconds);
  };
  const direction = (share: number, seconds?: number): [number, number] => {
    const from = Math.min(Math.max(share, 0), 1 - CHORD);
    const [[ax = 0, ay = 0], [bx = 0, by = 0]] = [point(from, seconds), point(from + CHORD, seconds)];
    const length = Math.hypot(bx - ax, by - ay) || 1;
    return [(bx - ax) / length, (by - ay) / length];
  };
  return Object.assign(property, {
    pointOnPath: (share = 0.5, seconds?: number) => point(share, seconds),
    tangentOnPath: (share = 0.5, seconds?: number) => direction(share, seconds),
    normalOnPath: (share = 0.5, seconds?: number) => {
      const [x, y] = direction(share, seconds);
      return [-y, x];
    },
  });
}

/** Returns the matrix of a transform at the current time. */
export function matrixOf(transform: Any): Any {
  const matrix = new Matrix();
  const [a, s, p] = [transform.a, transform.s, transform.p].map((property) =>
    property ? currentValue(property) : null,
  );
  const angle = (property: Any): number => (property ? (currentValue(property) * Math.PI) / 180 : 0);
  if (a !== null) matrix.translate(-a[0], -a[1], a[2] ?? 0);
  if (s !== null) matrix.scale(s[0] / 100, s[1] / 100, (s[2] ?? 100) / 100);
  if (transform.sk) matrix.skewFromAxis(-angle(transform.sk), angle(transform.sa));
  if (transform.r) matrix.rotate(-angle(transform.r));
  else if (transform.rz) {
    const [x, y, z] = currentValue(transform.or).map((degrees: number) => (degrees * Math.PI) / 180);
    matrix.rotateZ(-angle(transform.rz)).rotateY(angle(transform.ry)).rotateX(angle(transform.rx));
    matrix.rotateZ(-z).rotateY(y).rotateX(x);
  }
  if (p !== null) matrix.translate(p[0], p[1], -(p[2] ?? 0));
  else if (transform.px) {
    const z = transform.pz ? currentValue(transform.pz) : 0;
    matrix.translate(currentValue(transform.px), currentValue(transform.py), -z);
  }
  return matrix;
}

/** Returns a point of a layer in its composition. */
export function toComp(element: Any, [x = 0, y = 0, z = 0]: Point): number[] {
  return layerMatrix(element).applyToPointArray(x, y, z);
}

/** Returns a point of a composition in a layer. Perspective is not considered. */
export function fromComp(element: Any, [x = 0, y = 0, z = 0]: Point): number[] {
  const { props: m } = layerMatrix(element);
  const size = m[0] * m[5] - m[1] * m[4];
  const [dx, dy] = [x - m[12], y - m[13]];
  return [(dx * m[5] - dy * m[4]) / size, (dy * m[0] - dx * m[1]) / size, z];
}

function layerMatrix(element: Any): Any {
  const matrix = matrixOf(element.finalTransform.mProp);
  for (const parent of element.hierarchy ?? []) matrix.multiply(matrixOf(parent.finalTransform.mProp));
  return matrix;
}
