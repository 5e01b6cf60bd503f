export const WIDTH = 64;
export const HEIGHT = 36;
export const RATE_30 = { numerator: 30, denominator: 1 };

export type Pixel = readonly [red: number, green: number, blue: number, alpha: number];

export const NOTHING: Pixel = [0, 0, 0, 0];
export const GREEN: Pixel = [0, 160, 80, 255];
export const WHITE: Pixel = [255, 255, 255, 255];

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly color: Pixel;
}

/** A picture of a single colour with boxes on it, RGBA with straight alpha. */
export function drawn(ground: Pixel, ...boxes: Box[]): Uint8Array {
  const pixels = new Uint8Array(WIDTH * HEIGHT * 4);
  for (let at = 0; at < pixels.length; at += 4) pixels.set(ground, at);
  for (const { x, y, width, height, color } of boxes) {
    for (let row = y; row < y + height; row++) {
      for (let column = x; column < x + width; column++) pixels.set(color, (row * WIDTH + column) * 4);
    }
  }
  return pixels;
}

export function box(x: number, color: Pixel, y = 8, side = 16): Box {
  return { x, y, width: side, height: side, color };
}

/** A box that moves over transparency, stays and disappears; then an opaque background, then transparency again. */
export const ALPHA_FRAMES: readonly Uint8Array[] = [
  drawn(NOTHING, box(0, GREEN)),
  drawn(NOTHING, box(16, GREEN)),
  drawn(NOTHING, box(16, GREEN)),
  drawn(NOTHING),
  drawn(WHITE, box(32, GREEN)),
  drawn(NOTHING, box(40, GREEN)),
];

/** The largest difference in alpha, or in colour where both are visible. */
export function farthest(first: Uint8Array, second: Uint8Array): number {
  let most = 0;
  for (let at = 0; at < first.length; at += 4) {
    most = Math.max(most, Math.abs(first[at + 3]! - second[at + 3]!));
    if (first[at + 3] === 0 || second[at + 3] === 0) continue;
    for (let channel = 0; channel < 3; channel++) {
      most = Math.max(most, Math.abs(first[at + channel]! - second[at + channel]!));
    }
  }
  return most;
}

/** The mean difference of a channel with both pictures over black. */
export function meanDifference(first: Uint8Array, second: Uint8Array): number {
  let sum = 0;
  for (let at = 0; at < first.length; at += 4) {
    const [firstAlpha, secondAlpha] = [first[at + 3]! / 255, second[at + 3]! / 255];
    sum += Math.abs(first[at + 3]! - second[at + 3]!);
    for (let channel = 0; channel < 3; channel++) {
      sum += Math.abs(first[at + channel]! * firstAlpha - second[at + channel]! * secondAlpha);
    }
  }
  return sum / first.length;
}
