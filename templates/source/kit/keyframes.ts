/** A value of a property: a scalar, a point, a colour or a path. */
export type Value = number | readonly number[] | PathValue;

/** A Bézier path; tangents are relative to their vertex, as Lottie has them. */
export interface PathValue {
  readonly c: boolean;
  readonly v: readonly (readonly number[])[];
  readonly i: readonly (readonly number[])[];
  readonly o: readonly (readonly number[])[];
}

/** An animatable property in Lottie's own form. */
export interface Property {
  readonly a: 0 | 1;
  readonly k: unknown;
  readonly sid?: string;
}

/** A timing curve as CSS `cubic-bezier(x1, y1, x2, y2)` has it. */
export type Ease = readonly [x1: number, y1: number, x2: number, y2: number];

/** A value at a frame, and how the property leaves for the next value (`ease.inOut` when silent). */
export type Keyframe<V extends Value = Value> = readonly [frame: number, value: V, leaving?: Ease];

/** The few curves that everything moves on. */
export const ease = {
  linear: [0.33, 0.33, 0.67, 0.67],
  /** Arrives long and softly: entrances. */
  out: [0.16, 1, 0.3, 1],
  /** Gathers speed: exits. */
  in: [0.7, 0, 0.84, 0],
  /** From rest to rest: transitions. */
  inOut: [0.76, 0, 0.24, 1],
  /** From rest to rest, mild: drifts and slow pushes. */
  calm: [0.45, 0, 0.35, 1],
} as const satisfies Record<string, Ease>;

/** Three decimals: enough for a 4K canvas, and the file stays short. */
export function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}

function plain(value: Value): unknown {
  if (typeof value === 'number') return rounded(value);
  if ('v' in value) {
    const points = (list: readonly (readonly number[])[]) => list.map((point) => point.map(rounded));
    return { c: value.c, v: points(value.v), i: points(value.i), o: points(value.o) };
  }
  return value.map(rounded);
}

/** A property that never changes. */
export function still(value: Value): Property {
  return { a: 0, k: plain(value) };
}

/** A property that goes through keyframes, sorted by frame, and rests before the first and after the last. */
export function keyed<V extends Value>(...keyframes: readonly Keyframe<V>[]): Property {
  const written = keyframes.map(([frame, value, leaving = ease.inOut], index) => {
    const plainValue = plain(value);
    const list = Array.isArray(plainValue) ? plainValue : [plainValue];
    if (index === keyframes.length - 1) return { t: frame, s: list };
    const [x1, y1, x2, y2] = leaving;
    return { t: frame, s: list, o: { x: [x1], y: [y1] }, i: { x: [x2], y: [y2] } };
  });
  return { a: 1, k: written };
}

/** A property written out frame by frame over [from, to], for motion that no single curve describes. */
export function sampled(from: number, to: number, valueAt: (frame: number) => Value): Property {
  const keyframes: Keyframe[] = [];
  for (let frame = from; frame <= to; frame++) keyframes.push([frame, valueAt(frame), ease.linear]);
  return keyed(...keyframes);
}

/** The number on an eased way from `start` to `end` between two frames, for `sampled`. */
export function between(frame: number, from: number, to: number, start: number, end: number, curve: Ease): number {
  return start + (end - start) * eased(Math.min(1, Math.max(0, (frame - from) / (to - from))), curve);
}

/**
 * The curve's progress at a time in 0..1.
 * @see https://www.w3.org/TR/css-easing-1/#cubic-bezier-algo
 */
function eased(time: number, [x1, y1, x2, y2]: Ease): number {
  const along = (a: number, b: number, t: number) => 3 * a * t * (1 - t) ** 2 + 3 * b * t * t * (1 - t) + t ** 3;
  let low = 0;
  let high = 1;
  for (let step = 0; step < 40; step++) {
    const middle = (low + high) / 2;
    if (along(x1, x2, middle) < time) low = middle;
    else high = middle;
  }
  return along(y1, y2, (low + high) / 2);
}
