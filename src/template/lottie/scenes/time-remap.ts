import { toNumber } from '../../../contract/timeline/rational.ts';
import type { TimeMap, TimeSegment } from '../../../contract/timeline/time-map.ts';
import type { LottieNode } from '../lottie-layers.ts';

/**
 * Added to every remapped time, in frames. The rasteriser computes with 32-bit numbers, and a time just below a whole frame would
 * show a layer that has ended there and hide a layer that begins.
 */
const NUDGE = 1 / 256;

/**
 * How long before a jump the time stops, and how long before it the next time begins, in frames. A player shows the value before a
 * jump on the frame of the jump itself.
 */
const JUMP = { stop: 1 / 32, next: 1 / 64 } as const;

/** Times equal within a thousandth of a frame are the same. */
const TOLERANCE = 1e-3;

/**
 * Returns the time remapping (`tm`) of a layer that shows a template. Before the scene the template's time stands still at the first
 * time, and after it at that of the scene's last frame.
 *
 * @param start added to all times, in frames: `ip` of the template
 * @param rate frames per second of the document that contains the layer
 * @see Lottie specification 1.0.1, "Precomposition Layer": `tm` is in seconds, multiplied by the document's rate
 */
export function timeRemap(map: TimeMap, start: number, rate: number): LottieNode {
  const seconds = (time: number): number[] => [(start + time + NUDGE) / rate];
  const keys: LottieNode[] = [];
  let before: Piece | null = null;
  for (const piece of map.map(pieceOf)) {
    const { from, at, speed } = piece;
    if (before !== null && Math.abs(timeAt(before, from) - at) > TOLERANCE) {
      keys.push({ t: from - JUMP.stop, s: seconds(timeAt(before, from - JUMP.stop)), h: 1 });
      keys.push({ t: from - JUMP.next, s: seconds(at - speed * JUMP.next), ...LINEAR });
    } else keys.push({ t: from, s: seconds(at), ...LINEAR });
    before = piece;
  }
  const last = Math.ceil(before!.to - TOLERANCE) - 1;
  const lastTime = Number(keys.at(-1)!.t);
  if (last > lastTime) keys.push({ t: last, s: seconds(timeAt(before!, last)) });
  return { a: 1, k: keys };
}

/**
 * Returns the time remapping of a layer that shows exactly these times of a template.
 *
 * @param times frames of the document and of the template, in ascending order of the former; not empty
 * @param start as `timeRemap`, as is `rate`
 */
export function steppedRemap(
  times: readonly (readonly [frame: number, time: number])[],
  start: number,
  rate: number,
): LottieNode {
  const keys = times.map(([frame, time]) => ({ t: frame - 0.5, s: [(start + time + NUDGE) / rate], h: 1 }));
  return keys.length === 1 ? { a: 0, k: keys[0]!.s } : { a: 1, k: keys };
}

const LINEAR = { i: { x: [1], y: [1] }, o: { x: [0], y: [0] } };

/** A segment of a time map in floating-point numbers. */
type Piece = Readonly<Record<keyof TimeSegment, number>>;

function pieceOf({ from, to, at, speed }: TimeSegment): Piece {
  return { from: toNumber(from), to: toNumber(to), at: toNumber(at), speed: toNumber(speed) };
}

function timeAt({ from, at, speed }: Piece, frame: number): number {
  return at + (frame - from) * speed;
}
