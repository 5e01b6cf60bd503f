/** A picture to compare: RGBA, row-major, opaque. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly rgba: Uint8Array | Uint8ClampedArray;
}

/** Distance in OKLab from which adjacent colours look different. */
const VISIBLE = 0.06;

/**
 * Returns how much of two pictures of the same size looks different: the share, 0..1, of pixels whose colours are more
 * than 0.06 apart in OKLab after a blur of 3 × 3 pixels. The blur tolerates differences between rasterisers at the same
 * edge, up to half a pixel of antialiasing, but no missing line and no displaced shape.
 *
 * @see https://bottosson.github.io/posts/oklab/
 */
export function pictureDifference(one: Picture, other: Picture): number {
  const { width, height } = one;
  if (width !== other.width || height !== other.height) throw new RangeError('the pictures have two sizes');
  const [a, b] = [blurred(one), blurred(other)];
  let differing = 0;
  for (let at = 0; at < a.length; at += 3) {
    const distance = Math.hypot(a[at]! - b[at]!, a[at + 1]! - b[at + 1]!, a[at + 2]! - b[at + 2]!);
    if (distance > VISIBLE) differing += 1;
  }
  return differing / (width * height);
}

/** Returns the picture in OKLab, with each pixel averaged with its neighbours. */
function blurred({ width, height, rgba }: Picture): Float32Array {
  const lab = oklab(rgba);
  const out = new Float32Array(lab.length);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      let [l, m, s, count] = [0, 0, 0, 0];
      for (let dy = Math.max(0, y - 1); dy <= Math.min(height - 1, y + 1); dy++) {
        for (let dx = Math.max(0, x - 1); dx <= Math.min(width - 1, x + 1); dx++) {
          const at = (dy * width + dx) * 3;
          l += lab[at]!;
          m += lab[at + 1]!;
          s += lab[at + 2]!;
          count += 1;
        }
      }
      out.set([l / count, m / count, s / count], (y * width + x) * 3);
    }
  }
  return out;
}

const LINEAR = Float32Array.from({ length: 256 }, (_, value) => {
  const share = value / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
});

function oklab(rgba: Uint8Array | Uint8ClampedArray): Float32Array {
  const lab = new Float32Array((rgba.length / 4) * 3);
  for (let at = 0, to = 0; at < rgba.length; at += 4, to += 3) {
    const [r, g, b] = [LINEAR[rgba[at]!]!, LINEAR[rgba[at + 1]!]!, LINEAR[rgba[at + 2]!]!];
    const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
    const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
    const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
    lab[to] = 0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s;
    lab[to + 1] = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s;
    lab[to + 2] = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s;
  }
  return lab;
}
