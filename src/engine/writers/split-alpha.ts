/** A block of pixels that a codec transforms together, with its chroma. */
const BLOCK = 16;

/** Whether every pixel is opaque. @param pixels RGBA as four bytes each, little-endian */
export function isOpaque(pixels: Uint32Array): boolean {
  for (let index = 0; index < pixels.length; index++) if (pixels[index]! < 0xff000000) return false;
  return true;
}

/** Alpha as the luma of a picture without colour: a plane of 0..255, then both chroma planes at 128. I420. */
export function alphaPlane(pixels: Uint32Array, target: Uint8Array): void {
  for (let index = 0; index < pixels.length; index++) target[index] = pixels[index]! >>> 24;
  target.fill(128, pixels.length);
}

/**
 * The same picture with a colour where nothing is seen: each block of 16×16 gets the mean of what it shows, so that edges
 * carry no dark rim once chroma is averaged and coded. What is seen stays.
 */
export function fillUnseen(pixels: Uint32Array, target: Uint32Array, width: number): void {
  target.set(pixels);
  const height = pixels.length / width;
  for (let top = 0; top < height; top += BLOCK) {
    for (let left = 0; left < width; left += BLOCK) {
      fillBlock(target, width, {
        left,
        top,
        right: Math.min(width, left + BLOCK),
        bottom: Math.min(height, top + BLOCK),
      });
    }
  }
}

function fillBlock(
  pixels: Uint32Array,
  width: number,
  { left, top, right, bottom }: { left: number; top: number; right: number; bottom: number },
): void {
  let [red, green, blue, weight, unseen] = [0, 0, 0, 0, 0];
  for (let row = top; row < bottom; row++) {
    for (let index = row * width + left; index < row * width + right; index++) {
      const pixel = pixels[index]!;
      const alpha = pixel >>> 24;
      if (alpha === 0) {
        unseen += 1;
        continue;
      }
      red += alpha * (pixel & 255);
      green += alpha * ((pixel >> 8) & 255);
      blue += alpha * ((pixel >> 16) & 255);
      weight += alpha;
    }
  }
  if (unseen === 0 || weight === 0) return;
  const mean = Math.round(red / weight) | (Math.round(green / weight) << 8) | (Math.round(blue / weight) << 16);
  for (let row = top; row < bottom; row++) {
    for (let index = row * width + left; index < row * width + right; index++) {
      if (pixels[index]! >>> 24 === 0) pixels[index] = mean;
    }
  }
}
