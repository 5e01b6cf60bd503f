// AssemblyScript, not TypeScript: compiled by compile.mjs into i420-to-bgra.wasm.ts, and excluded from tsc and biome.
//
// I420 → opaque BGRA. Chroma samples are repeated for all of their pixels. Fixed point with 16 fractional bits. The caller chooses
// matrix and range: see yuv-to-bgra.ts.

const HALF: i32 = 1 << 15;

/** Narrows two times four values of a channel to eight, rounded down; the second narrowing limits them to 0..255. */
@inline
function channel(low: v128, high: v128): v128 {
  return i16x8.narrow_i32x4_s(i32x4.shr_s(low, 16), i32x4.shr_s(high, 16));
}

@inline
function centred(chroma: usize): v128 {
  const four = i32x4.extend_low_i16x8_u(i16x8.extend_low_i8x16_u(v128.load32_zero(chroma)));
  return i32x4.sub(four, i32x4.splat(128));
}

/** Repeats each of the first two lanes. */
@inline
function firstTwice(four: v128): v128 {
  return v128.shuffle<i32>(four, four, 0, 0, 1, 1);
}

@inline
function lastTwice(four: v128): v128 {
  return v128.shuffle<i32>(four, four, 2, 2, 3, 3);
}

@inline
function limited(value: i32): u8 {
  return <u8>max(0, min(255, value >> 16));
}

/**
 * Converts rows of planes without gaps between rows.
 *
 * @param width any; a row of chroma has half as many samples, rounded up
 * @param rows any
 * @param ky factor of luma above `yOffset`; the others are factors of V and U, `gu` for instance of U in green
 */
export function convert(
  yPlane: usize, uPlane: usize, vPlane: usize, width: i32, rows: i32, bgra: usize,
  yOffset: i32, ky: i32, rv: i32, gu: i32, gv: i32, bu: i32,
): void {
  const half: i32 = (width + 1) >> 1;
  const wide: i32 = width & ~7;
  const lightOffset: i32 = HALF - yOffset * ky;
  const opaque = i16x8.splat(255);

  for (let row = 0; row < rows; row++) {
    const yRow = yPlane + <usize>row * width;
    const uRow = uPlane + <usize>(row >> 1) * half;
    const vRow = vPlane + <usize>(row >> 1) * half;
    const to = bgra + ((<usize>row * width) << 2);

    for (let x = 0; x < wide; x += 8) {
      const luma = i16x8.extend_low_i8x16_u(v128.load64_zero(yRow + x));
      const offset = i32x4.splat(lightOffset);
      const factor = i32x4.splat(ky);
      const low = i32x4.add(i32x4.mul(i32x4.extend_low_i16x8_u(luma), factor), offset);
      const high = i32x4.add(i32x4.mul(i32x4.extend_high_i16x8_u(luma), factor), offset);
      const u = centred(uRow + (x >> 1));
      const v = centred(vRow + (x >> 1));
      const b = i32x4.mul(u, i32x4.splat(bu));
      const g = i32x4.add(i32x4.mul(u, i32x4.splat(gu)), i32x4.mul(v, i32x4.splat(gv)));
      const r = i32x4.mul(v, i32x4.splat(rv));
      const blue = channel(i32x4.add(low, firstTwice(b)), i32x4.add(high, lastTwice(b)));
      const green = channel(i32x4.add(low, firstTwice(g)), i32x4.add(high, lastTwice(g)));
      const red = channel(i32x4.add(low, firstTwice(r)), i32x4.add(high, lastTwice(r)));
      const br = i8x16.narrow_i16x8_u(blue, red);
      const ga = i8x16.narrow_i16x8_u(green, opaque);
      const bg = v128.shuffle<i8>(br, ga, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
      const ra = v128.shuffle<i8>(br, ga, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
      v128.store(to + (<usize>x << 2), v128.shuffle<i16>(bg, ra, 0, 8, 1, 9, 2, 10, 3, 11));
      v128.store(to + (<usize>x << 2), v128.shuffle<i16>(bg, ra, 4, 12, 5, 13, 6, 14, 7, 15), 16);
    }

    for (let x = wide; x < width; x++) {
      const light = <i32>load<u8>(yRow + x) * ky + lightOffset;
      const u = <i32>load<u8>(uRow + (x >> 1)) - 128;
      const v = <i32>load<u8>(vRow + (x >> 1)) - 128;
      const pixel = to + (<usize>x << 2);
      store<u8>(pixel, limited(light + bu * u));
      store<u8>(pixel, limited(light + gu * u + gv * v), 1);
      store<u8>(pixel, limited(light + rv * v), 2);
      store<u8>(pixel, 255, 3);
    }
  }
}
