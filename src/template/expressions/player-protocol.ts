import type { KeyframePath } from '../lottie/path-points.ts';

/** Field of a property that carries the number of its expression into the sandbox. */
export const EXPRESSION_ID = '__expression';

/** Field of a text layer that carries the measures of its words into the sandbox. */
export const TEXT_RECTS = '__rects';

/** The ink of a text from a frame of its composition on, in pixels of its layer. */
export interface TextRect {
  readonly t: number;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** A value of an expression. */
export type ExpressionValue = number | readonly number[] | KeyframePath | { readonly text: string };

/** The value of an expression at a frame of its composition. */
export interface Sample {
  readonly time: number;
  readonly value: ExpressionValue;
}

/** A property in one use of its composition. */
export interface Instance {
  /** Number of its expression. */
  readonly id: number;
  readonly samples: Sample[];
}

/** Result of the sandbox. */
export interface Evaluation {
  readonly instances: readonly Instance[];
  /** Number of an expression → why it has no value. */
  readonly failures: Readonly<Record<string, string>>;
}

/**
 * Precedes each expression, in the scope of lottie-web's functions. Replaces those that differ from After Effects:
 * lottie-web ignores the frequency of `wiggle` and the time in `seedRandom`, repeats `loopIn` from a wrong time, and
 * lacks noise and durations.
 */
export const PRELUDE = [
  'var degrees_to_radians = degreesToRadians;',
  'var wiggle = function (frequency, amplitude, octaves, multiplier, t) {',
  '  return $wiggle(t === undefined ? value : valueAtTime(t), index, t === undefined ? time : t, arguments);',
  '};',
  'var temporalWiggle = function (frequency, amplitude, octaves, multiplier, t) {',
  '  return valueAtTime($wiggle(t === undefined ? time : t, index, t === undefined ? time : t, arguments));',
  '};',
  'if (thisComp.duration === undefined) {',
  '  thisComp.duration = (elem.comp.data.op - elem.comp.data.ip) / globalData.frameRate;',
  '}',
  'var loopIn = function (type, count) {',
  '  if ((type && String(type).toLowerCase() !== "cycle") || numKeys < 2) return thisProperty.loopIn(type, count);',
  '  var start = key(1).time;',
  '  var length = key(count && count < numKeys ? count + 1 : numKeys).time - start;',
  '  return time >= start ? value : valueAtTime(start + length - ((start - time) % length));',
  '};',
  'var noise = $noise;',
  'var gaussRandom = function (low, high) { return (random(low, high) + random(low, high) + random(low, high)) / 3; };',
  'var seedRandom = function (offset, isTimeless) {',
  '  Math.seedrandom(index * 7919 + offset + (isTimeless ? 0 : time));',
  '};',
  '',
].join(' ');

/** The page that lottie-web expects: everything exists, and does nothing. */
export const PAGE = `
var nothing = new Proxy(function () {}, {
  get: function (target, key) {
    if (key === Symbol.toPrimitive) return function () { return 0; };
    if (key === 'length' || key === 'width' || key === 'height') return 0;
    return nothing;
  },
  set: function () { return true; },
  apply: function () { return nothing; },
});
var context = new Proxy({ canvas: { width: 100, height: 100 } }, {
  get: function (target, key) {
    if (key === 'canvas') return target.canvas;
    if (key === 'measureText') return function (text) { return { width: 50 * String(text).length }; };
    return nothing;
  },
  set: function () { return true; },
});
var element = function () {
  return new Proxy({}, {
    get: function (target, key) {
      if (key === 'getContext') return function () { return context; };
      if (key === 'getComputedTextLength') return function () { return 50; };
      if (key === 'offsetWidth') return 50;
      return nothing;
    },
    set: function () { return true; },
  });
};
var document = { createElement: element, createElementNS: element, body: element(), querySelectorAll: function () { return []; } };
var navigator = { userAgent: '' };
var console = { log: nothing, warn: nothing, error: nothing };
var window = globalThis;
var setTimeout = function () { return 0; };
var clearTimeout = setTimeout;
var requestAnimationFrame = setTimeout;
var $hash = function (value) {
  var bits = Math.imul(value ^ 2654435769, 2246822519);
  bits = Math.imul(bits ^ (bits >>> 13), 3266489917);
  return ((bits ^ (bits >>> 16)) >>> 0) / 2147483648 - 1;
};
var $smoothNoise = function (seed, at) {
  var first = Math.floor(at);
  var share = at - first;
  var eased = share * share * (3 - 2 * share);
  var start = $hash(seed * 65537 + first);
  return start + ($hash(seed * 65537 + first + 1) - start) * eased;
};
var $noise = function (at) {
  if (typeof at === 'number') return $smoothNoise(1, at);
  var sum = 0;
  for (var axis = 0; axis < at.length; axis += 1) sum += $smoothNoise(axis + 1, at[axis]);
  return sum / at.length;
};
var $wiggle = function (value, index, time, parameters) {
  var octaves = parameters[2] === undefined ? 1 : parameters[2];
  var multiplier = parameters[3] === undefined ? 0.5 : parameters[3];
  var moved = function (start, axis) {
    var sum = 0;
    var size = parameters[1];
    var frequency = parameters[0];
    for (var octave = 0; octave < octaves; octave += 1) {
      sum += size * $smoothNoise((index || 0) * 31 + axis * 7 + octave, time * frequency);
      size *= multiplier;
      frequency *= 2;
    }
    return start + sum;
  };
  return typeof value === 'number' ? moved(value, 0) : Array.prototype.map.call(value, moved);
};
(function (state) {
  Math.random = function () {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
})(1);
`;
