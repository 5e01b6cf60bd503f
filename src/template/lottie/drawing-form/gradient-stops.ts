import { isNumberList, isRecord } from '../../../kernel/json.ts';
import { type LottieNode, mapped } from '../lottie-layers.ts';

/** Distance at which the renderer draws both of two neighbouring stops. Less than a pixel of any gradient on a canvas. */
const APART = 1e-4;
/** Numbers of a stop: offset, red, green and blue; offset and opacity. */
const [COLOR, OPACITY] = [4, 2];

/**
 * Returns a gradient fill or stroke whose stops are apart, because the renderer leaves out the second of two stops at the same offset,
 * which make a sharp edge. Other shapes and gradients are returned as they are.
 */
export function withStopsApart(shape: LottieNode): LottieNode {
  const { g } = shape;
  if ((shape.ty !== 'gf' && shape.ty !== 'gs') || !isRecord(g) || !isRecord(g.k)) return shape;
  const count = Number(g.p);
  const { k } = g.k;
  if (!Array.isArray(k) || !Number.isInteger(count)) return shape;
  const list: readonly unknown[] = k;
  const moved = isStopList(list) ? stopsApart(list, count) : mapped(list, (frame) => keyframeApart(frame, count));
  return moved === list ? shape : { ...shape, g: { ...g, k: { ...g.k, k: moved } } };
}

function keyframeApart(frame: LottieNode, count: number): LottieNode {
  const changes: LottieNode = {};
  for (const key of ['s', 'e']) {
    const stops = frame[key];
    const moved = isStopList(stops) ? stopsApart(stops, count) : stops;
    if (moved !== stops) changes[key] = moved;
  }
  return Object.keys(changes).length === 0 ? frame : { ...frame, ...changes };
}

function isStopList(value: unknown): value is readonly number[] {
  return isNumberList(value) && value.length > 0;
}

function stopsApart(stops: readonly number[], count: number): readonly number[] {
  const colors = offsetsApart(stops.slice(0, count * COLOR), COLOR);
  const opacities = offsetsApart(stops.slice(count * COLOR), OPACITY);
  return colors === null && opacities === null
    ? stops
    : [...(colors ?? stops.slice(0, count * COLOR)), ...(opacities ?? stops.slice(count * COLOR))];
}

/** Returns null if all stops are apart already. */
function offsetsApart(stops: readonly number[], size: number): number[] | null {
  const offsets = stops.filter((_, index) => index % size === 0);
  if (offsets.every((offset, index) => index === 0 || offset !== offsets[index - 1])) return null;
  for (const [index, offset] of offsets.entries()) {
    const before = offsets[index - 1];
    if (before !== undefined && offset >= before - APART && offset < before + APART) offsets[index] = before + APART;
  }
  // The last stops end at 1.
  let limit = 1;
  for (let index = offsets.length - 1; index >= 0 && offsets[index]! > limit; index--) {
    offsets[index] = limit;
    limit -= APART;
  }
  return stops.map((value, index) => (index % size === 0 ? offsets[index / size]! : value));
}
