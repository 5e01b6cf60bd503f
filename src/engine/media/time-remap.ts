import { isRecord } from '../../is-record.ts';

interface Keyframe {
  readonly at: number;
  readonly value: number;
  readonly end: number | undefined;
  readonly isHeld: boolean;
  readonly out: readonly [x: number, y: number];
  readonly in: readonly [x: number, y: number];
}

/**
 * The value of a time remapping (`tm`) in seconds.
 *
 * @param frame of the composition that the layer lies in
 * @see Lottie specification 1.0.1: "Animated properties", "Easing handles"
 */
export function remappedSeconds(property: Record<string, unknown>, frame: number): number {
  if (!Array.isArray(property.k) || !isRecord(property.k[0])) return scalar(property.k);
  const keyframes = property.k.filter(isRecord).map(readKeyframe);
  const after = keyframes.findIndex(({ at }) => at > frame);
  if (after === 0) return keyframes[0]!.value;
  const from = keyframes[after === -1 ? keyframes.length - 1 : after - 1]!;
  if (after === -1) return Number.isFinite(from.value) ? from.value : (keyframes.at(-2)?.end ?? 0);
  const to = keyframes[after]!;
  const target = Number.isFinite(to.value) ? to.value : (from.end ?? from.value);
  if (from.isHeld) return from.value;
  return from.value + (target - from.value) * eased((frame - from.at) / (to.at - from.at), from);
}

function readKeyframe(node: Record<string, unknown>): Keyframe {
  return {
    at: Number(node.t),
    value: node.s === undefined ? Number.NaN : scalar(node.s),
    end: node.e === undefined ? undefined : scalar(node.e),
    isHeld: node.h === 1,
    out: handle(node.o, 0),
    in: handle(node.i, 1),
  };
}

function handle(node: unknown, otherwise: number): [number, number] {
  return isRecord(node) ? [scalar(node.x), scalar(node.y)] : [otherwise, otherwise];
}

function scalar(value: unknown): number {
  return Number(Array.isArray(value) ? value[0] : value);
}

/** The cubic Bézier curve's y where its x is `share`, found by halving. */
function eased(share: number, { out, in: into }: Pick<Keyframe, 'out' | 'in'>): number {
  const bezier = (a: number, b: number, t: number): number =>
    3 * (1 - t) * (1 - t) * t * a + 3 * (1 - t) * t * t * b + t * t * t;
  let [low, high] = [0, 1];
  for (let step = 0; step < 40; step++) {
    const middle = (low + high) / 2;
    if (bezier(out[0], into[0], middle) < share) low = middle;
    else high = middle;
  }
  return bezier(out[1], into[1], (low + high) / 2);
}
