import {
  type Any,
  combine,
  isPath,
  keyframeValue,
  membersOf,
  namedCompositions,
  timeOf,
  type Value,
  withPathMembers,
} from './properties.ts';

type Vector = readonly number[];

/** The expression of a use of a property. */
interface Scope {
  /** Value of the property without its expression. */
  value: Value;
  /** Moves the time of the expression to the start of its step, and returns it. */
  posterize(stepsPerSecond: number): number;
  enter(value: Value): void;
  readonly names: object;
}

/** Random numbers of an expression, which depend only on the place of its property and on the time. */
class RandomNumbers {
  #state = 0;
  offset = 0;
  readonly #place: number;

  /** @param index of the layer */
  constructor(index: unknown, { ix }: Any) {
    this.#place = hash(hash(Number(index) || 0) ^ (Number(ix) || 0));
  }

  seed(offset: number, seconds: number): void {
    this.offset = offset;
    this.#state = hash(this.#place ^ hash(Math.round(offset * 1000)) ^ hash(Math.round(seconds * 100_000)));
  }

  /** @see https://en.wikipedia.org/wiki/Linear_congruential_generator, with the increment of a Weyl sequence */
  next(): number {
    this.#state = (this.#state + 0x9e3779b9) >>> 0;
    return hash(this.#state) / 2 ** 32;
  }

  /** Returns smooth noise, -1..1. */
  smoothNoise(stream: number, at: number): number {
    return smoothNoise(hash(this.#place ^ hash(Math.round(this.offset * 1000) + stream)), at);
  }
}

/** Mixes the bits of a whole number. @returns 0..2³² - 1 */
function hash(value: number): number {
  let bits = Math.imul(value ^ 2654435769, 2246822519);
  bits = Math.imul(bits ^ (bits >>> 13), 3266489917);
  return (bits ^ (bits >>> 16)) >>> 0;
}

function smoothNoise(seed: number, at: number): number {
  const first = Math.floor(at);
  const share = at - first;
  const corner = (index: number): number => hash(seed ^ hash(index)) / 2 ** 31 - 1;
  return corner(first) + (corner(first + 1) - corner(first)) * share * share * (3 - 2 * share);
}

function noise(at: number | Vector): number {
  if (!Array.isArray(at)) return smoothNoise(1, Number(at));
  return at.reduce((sum: number, coordinate: number, axis) => sum + smoothNoise(axis + 1, coordinate), 0) / at.length;
}

function clamp(value: Value, a: Value, b: Value): Value {
  if (!Array.isArray(value)) return Math.min(Math.max(value, Math.min(a, b)), Math.max(a, b));
  return value.map((each, index) => clamp(each, a[index] ?? a, b[index] ?? b));
}

/** Calls a function with the elements of two vectors; the shorter vector is filled with zeros. */
function pairs(left: Vector, right: Vector, join: (a: number, b: number) => number): number[] {
  return Array.from({ length: Math.max(left.length, right.length) }, (_, at) => join(left[at] ?? 0, right[at] ?? 0));
}

function sub(left: Any, right: Any): Any {
  if (!Array.isArray(left)) return Array.isArray(right) ? [left - right[0], ...right.slice(1)] : left - right;
  return Array.isArray(right) ? pairs(left, right, (a, b) => a - b) : [left[0] - right, ...left.slice(1)];
}

function dot(left: Vector, right: Vector): number {
  return pairs(left, right, (a, b) => a * b).reduce((sum, product) => sum + product, 0);
}

function cross([a = 0, b = 0, c = 0]: Vector, [d = 0, e = 0, f = 0]: Vector): number[] {
  return [b * f - c * e, c * d - a * f, a * e - b * d];
}

function length(left: Any, right: Any = 0): number {
  if (!Array.isArray(left)) return Math.abs(left - right);
  return Math.hypot(...pairs(left, Array.isArray(right) ? right : [], (a, b) => a - b));
}

/** Returns red, green, blue and alpha, 0..1. */
function hexToRgb(text: string): number[] {
  const digits = String(text).replace(/^(?:#|0x)/i, '');
  if (!/^[\da-f]{6}(?:[\da-f]{2})?$/i.test(digits)) throw new Error(`${JSON.stringify(text)} is no hexadecimal colour`);
  return [0, 2, 4, 6].map((at) => Number.parseInt(digits.slice(at, at + 2) || 'ff', 16) / 255);
}

/** Rounds to whole frames as After Effects does: a time down, a duration away from zero. */
function wholeFrames(seconds: number, rate: number, isDuration: boolean): number {
  const frames = Math.round(seconds * rate * 1e6) / 1e6;
  return isDuration ? Math.sign(frames) * Math.ceil(Math.abs(frames)) : Math.floor(frames);
}

/** @param hours number of digits */
function timecode(frames: number, base: number, hours: number, isDrop = false): string {
  const total = Math.abs(frames);
  // Drop-frame timecode leaves out two numbers a minute, except every tenth. @see SMPTE ST 12-1
  const tens = Math.floor(total / 17_982);
  const rest = total % 17_982;
  const number = isDrop ? total + 18 * tens + (rest < 2 ? 0 : 2 * Math.floor((rest - 2) / 1798)) : total;
  const padded = (value: number, digits = 2): string => String(Math.floor(value)).padStart(digits, '0');
  const seconds = Math.floor(number / base);
  const parts = [padded(seconds / 3600, hours), padded((seconds / 60) % 60), padded(seconds % 60)];
  return `${frames < 0 ? '-' : ''}${parts.join(':')}${isDrop ? ';' : ':'}${padded(number % base)}`;
}

const functions = { sub, noise, clamp, dot, cross, length, hexToRgb };

/**
 * Creates the scope of an expression: the names that lottie-web lacks, or whose values differ from After Effects.
 *
 * @param data the property in the document
 * @param property the property of lottie-web, or the words of a text layer
 */
export function createScope(element: Any, data: Any, property: Any): Scope {
  const random = new RandomNumbers(element.data.ind, data);
  const isText = property.getValueAtTime === undefined && !isPath(property.v);
  const rate = element.comp.globalData.frameRate;
  const keyframes = (seconds: number): Value =>
    isText ? textAt(property, seconds * rate) : keyframeValue(property, seconds);
  let time = 0;
  const between = (low: Any, high: Any, next: () => number): Value => {
    if (high === undefined) return between(0, low ?? 1, next);
    if (!Array.isArray(low) && !Array.isArray(high)) return Number(low) + next() * (high - low);
    const list = (value: Any): Vector => (Array.isArray(value) ? value : []);
    return pairs(list(low), list(high), (from, to) => from + next() * (to - from));
  };
  const { sqrt, log, cos, PI } = Math;
  // 90 % of the values lie between the limits, which are 1.645 standard deviations away from the mean.
  const gaussian = (): number => 0.5 + (sqrt(-2 * log(1 - random.next())) * cos(2 * PI * random.next())) / (2 * 1.6449);
  const wiggled = (start: Value, [frequency = 0, amplitude = 0, octaves = 1, multiplier = 0.5]: Vector, at: number) => {
    const move = (axis: number): number => {
      let sum = 0;
      for (let octave = 0; octave < octaves; octave++) {
        sum += amplitude * multiplier ** octave * random.smoothNoise(axis * 16 + octave, at * frequency * 2 ** octave);
      }
      return sum;
    };
    let axis = 0;
    return combine((value) => value + move(axis++), start);
  };
  const layer = (): Any => element.layerInterface;
  const frames = (seconds = time, fps = rate, isDuration = false) => wholeFrames(seconds, fps, isDuration);
  const scope: Scope = {
    value: 0,
    posterize(stepsPerSecond) {
      time = stepsPerSecond === 0 ? 0 : Math.floor(time * stepsPerSecond + 1e-9) / stepsPerSecond;
      scope.value = keyframes(time);
      random.seed(0, time);
      return time;
    },
    enter(value) {
      time = timeOf(element.comp);
      scope.value = value;
      random.seed(0, time);
    },
    names: {},
  };
  const wiggle = (_: Any, parameters: Vector): Value => {
    const at = parameters[4];
    return wiggled(at === undefined ? scope.value : keyframes(at), parameters, at ?? time);
  };
  const members = isText
    ? { valueAtTime: { value: keyframes }, numKeys: { value: property.data.d.k.length } }
    : membersOf(property, wiggle, () => scope.value);
  const propertyMembers = Object.defineProperties({}, members as PropertyDescriptorMap) as Any;
  const names = {
    ...functions,
    $bm_sub: sub,
    degrees_to_radians: (degrees: number) => (degrees * PI) / 180,
    random: (low?: Any, high?: Any) => between(low, high, () => random.next()),
    gaussRandom: (low?: Any, high?: Any) => between(low, high, gaussian),
    seedRandom: (offset: number, isTimeless = false) => random.seed(offset, isTimeless ? 0 : time),
    wiggle: (...parameters: number[]) => wiggle(property, parameters),
    temporalWiggle: (...parameters: number[]) =>
      keyframes(wiggled(parameters[4] ?? time, parameters, parameters[4] ?? time)),
    timeToFrames: frames,
    timeToTimecode: (seconds = time, base = 30, isDuration = false) =>
      timecode(frames(seconds, base, isDuration), base, 2),
    timeToNTSCTimecode: (seconds = time, isDrop = false, isDuration = false) =>
      timecode(frames(seconds, 30_000 / 1001, isDuration), 30, 2, isDrop),
    timeToFeetAndFrames: (seconds = time, fps = rate, framesPerFoot = 16, isDuration = false) => {
      const count = frames(seconds, fps, isDuration);
      const pad = (value: number, digits: number) => String(Math.floor(value)).padStart(digits, '0');
      return `${pad(count / framesPerFoot, 4)}+${pad(count % framesPerFoot, 2)}`;
    },
    timeToCurrentFormat: (seconds = time, fps = rate, isDuration = false, isDrop = false) =>
      timecode(frames(seconds, fps, isDuration), Math.round(fps), 1, isDrop),
    colorDepth: 8,
    comp: (name: string) => projectComposition(name),
    footage: () => {
      throw new Error('footage() is not supported: Lottie has no data of footage');
    },
  };
  Object.defineProperties(names, members as PropertyDescriptorMap);
  Object.defineProperties(names, {
    thisProperty: { get: () => thisProperty() },
    name: { get: () => layer().name },
    loop_in: { get: () => propertyMembers.loopIn },
    loop_out: { get: () => propertyMembers.loopOut },
  });
  for (const name of LAYER_NAMES) {
    if (!(name in names)) Object.defineProperty(names, name, { get: () => layer()[name] });
  }
  const thisProperty = (): Any => {
    if (isText) return Object.defineProperties(new String(scope.value), members as PropertyDescriptorMap);
    if (isPath(property.v)) return withPathMembers(property, membersOf(property, wiggle));
    const value = typeof scope.value === 'number' ? new Number(scope.value) : [...scope.value];
    return Object.defineProperties(value, members as PropertyDescriptorMap);
  };
  return Object.assign(scope, { names });
}

/** Members of the layer that an expression can use without naming the layer. */
const LAYER_NAMES = [
  ...['position', 'rotation', 'scale', 'opacity', 'anchorPoint', 'orientation', 'rotationX', 'rotationY', 'rotationZ'],
  ...['width', 'height', 'startTime', 'source', 'parent', 'hasParent', 'enabled', 'hasVideo', 'hasAudio', 'marker'],
  ...['toComp', 'fromComp', 'toWorld', 'fromWorld', 'toCompVec', 'fromCompVec', 'toWorldVec', 'fromWorldVec'],
  ...['fromCompToSurface', 'sourceRectAtTime', 'sampleImage', 'mask', 'effect', 'content', 'transform'],
];

function textAt(property: Any, frame: number): string {
  const { k } = property.data.d;
  return (k.findLast(({ t }: Any) => t <= frame) ?? k[0]).s.t;
}

function projectComposition(name: string): Any {
  const found = namedCompositions.get(name);
  if (found === undefined) throw new Error(`there is no composition ${JSON.stringify(name)}`);
  return found;
}

const scopes: Scope[] = [];
Object.defineProperty(globalThis, '$scope', { value: (id: number) => scopes[id]!.names });

const POSTERIZE = (id: number): string =>
  `var posterizeTime = function (steps) { time = $posterize(${id}, steps); value = $value(${id}); };`;
Object.defineProperty(globalThis, '$posterize', { value: (id: number, steps: number) => scopes[id]!.posterize(steps) });
Object.defineProperty(globalThis, '$value', { value: (id: number) => scopes[id]!.value });

/**
 * Returns the code of an expression, preceded by the names of its scope that it uses.
 *
 * An expression without `$bm_rt`, which exporters add, has the value of its last statement.
 */
export function withScope(code: string, scope: Scope): string {
  const id = scopes.push(scope) - 1;
  const isUsed = (name: string): boolean => new RegExp(`(?<![\\w$.])${name}(?![\\w$])`).test(code);
  const used = Object.getOwnPropertyNames(scope.names).filter((name) => isUsed(name.replaceAll('$', '\\$')));
  const names = used.map((name) => `${name} = $names.${name}`);
  const head = [`var $names = $scope(${id})`, ...names].join(', ');
  const body = /\$bm_rt\b/.test(code) ? `{ ${code}\n}` : `var $bm_rt = eval(${JSON.stringify(code)});`;
  return `${head}; ${isUsed('posterizeTime') ? POSTERIZE(id) : ''} ${body}`;
}
