import type { PixelBox } from '../raster/rasterizer.ts';

/** A part of a picture, RGBA. */
export interface Part {
  readonly box: PixelBox;
  readonly pixels: Uint8Array;
}

export function contains(outer: PixelBox, { left, top, width, height }: PixelBox): boolean {
  const isWithin = left >= outer.left && top >= outer.top;
  return isWithin && left + width <= outer.left + outer.width && top + height <= outer.top + outer.height;
}

/** Returns the box around boxes; null if there are none. */
export function around(boxes: readonly PixelBox[]): PixelBox | null {
  if (boxes.length === 0) return null;
  const [left, top] = [Math.min(...boxes.map((box) => box.left)), Math.min(...boxes.map((box) => box.top))];
  const right = Math.max(...boxes.map((box) => box.left + box.width));
  const bottom = Math.max(...boxes.map((box) => box.top + box.height));
  return { left, top, width: right - left, height: bottom - top };
}

/** Returns the box that two boxes share; null if there is none. */
export function overlap(first: PixelBox, second: PixelBox): PixelBox | null {
  const [left, top] = [Math.max(first.left, second.left), Math.max(first.top, second.top)];
  const right = Math.min(first.left + first.width, second.left + second.width);
  const bottom = Math.min(first.top + first.height, second.top + second.height);
  return right <= left || bottom <= top ? null : { left, top, width: right - left, height: bottom - top };
}

/** Enlarges a box in every direction. */
export function enlarged({ left, top, width, height }: PixelBox, by: number): PixelBox {
  return { left: left - by, top: top - by, width: width + 2 * by, height: height + 2 * by };
}

export function cropped({ box, pixels }: Part, { left, top, width, height }: PixelBox): Uint8Array {
  const part = new Uint8Array(4 * width * height);
  for (let row = 0; row < height; row++) {
    const at = 4 * ((top - box.top + row) * box.width + left - box.left);
    part.set(pixels.subarray(at, at + 4 * width), 4 * row * width);
  }
  return part;
}

/** Crops a part of a picture to its painted pixels; null if there are none. @param part over nothing, not reused */
export function trimmed(part: Part): Part | null {
  const { box, pixels } = part;
  const colors = new Uint32Array(pixels.buffer, pixels.byteOffset, pixels.length / 4);
  let [left, top, right, bottom] = [box.width, box.height, -1, -1];
  for (let y = 0; y < box.height; y++) {
    const [start, end] = [y * box.width, (y + 1) * box.width];
    let first = start;
    while (first < end && colors[first] === 0) first++;
    if (first === end) continue;
    let last = end - 1;
    while (colors[last] === 0) last--;
    [left, right] = [Math.min(left, first - start), Math.max(right, last - start)];
    if (bottom === -1) top = y;
    bottom = y;
  }
  if (bottom === -1) return null;
  const painted = { left: box.left + left, top: box.top + top, width: right + 1 - left, height: bottom + 1 - top };
  return { box: painted, pixels: cropped(part, painted) };
}
