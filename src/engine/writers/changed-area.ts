/** A rectangle of pixels; `right` and `bottom` lie outside. */
export interface Area {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/**
 * Returns the smallest rectangle with all pixels that differ between two pictures of the same size; null for equal pictures.
 *
 * @param differs whether two pixels, each as its four bytes, show different things; whether they are unequal when absent
 */
export function changedArea(
  before: Uint32Array,
  after: Uint32Array,
  width: number,
  differs: (before: number, after: number) => boolean = (one, other) => one !== other,
): Area | null {
  const height = before.length / width;
  const isChanged = (index: number): boolean =>
    before[index] !== after[index] && differs(before[index]!, after[index]!);
  let top = 0;
  while (top < height && !rowChanges(isChanged, top * width, width)) top += 1;
  if (top === height) return null;
  let bottom = height;
  while (!rowChanges(isChanged, (bottom - 1) * width, width)) bottom -= 1;
  let left = width;
  let right = 0;
  for (let row = top; row < bottom; row++) {
    const start = row * width;
    for (let x = 0; x < left; x++) if (isChanged(start + x)) left = x;
    for (let x = width - 1; x >= right; x--) if (isChanged(start + x)) right = x + 1;
  }
  return { left, top, right, bottom };
}

/** Returns the smallest rectangle that contains both. */
export function unionArea(one: Area | null, other: Area | null): Area | null {
  if (one === null || other === null) return one ?? other;
  return {
    left: Math.min(one.left, other.left),
    top: Math.min(one.top, other.top),
    right: Math.max(one.right, other.right),
    bottom: Math.max(one.bottom, other.bottom),
  };
}

function rowChanges(isChanged: (index: number) => boolean, start: number, width: number): boolean {
  for (let index = start; index < start + width; index++) if (isChanged(index)) return true;
  return false;
}
