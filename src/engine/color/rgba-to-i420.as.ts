// AssemblyScript, not TypeScript: compiled by compile.mjs into rgba-to-i420.wasm.ts, and excluded from tsc and biome.
//
// RGBA → I420 in BT.709, limited range: Y' in 16..235, Cb and Cr in 16..240, chroma the average of 2×2 pixels.
// Fixed point with 15 fractional bits; the coefficients of each row are rounded so that white gives exactly 235 and every
// grey exactly 128. See ITU-R BT.709-6, items 3.2 to 3.4 and 4.6.

const Y_R: i16 = 5983; //  0.2126 · 219/255 · 2^15
const Y_G: i16 = 20127; // 0.7152 · 219/255 · 2^15
const Y_B: i16 = 2032; //  0.0722 · 219/255 · 2^15
const U_R: i16 = -3298; // −0.2126/1.8556 · 224/255 · 2^15
const U_G: i16 = -11094; // −0.7152/1.8556 · 224/255 · 2^15
const U_B: i16 = 14392; //  0.5 · 224/255 · 2^15
const V_R: i16 = 14392;
const V_G: i16 = -13073; // −0.7152/1.5748 · 224/255 · 2^15
const V_B: i16 = -1319; // −0.0722/1.5748 · 224/255 · 2^15

const Y_SHIFT: i32 = 15;
const Y_OFFSET: i32 = (16 << 15) + (1 << 14);
/** Two bits more: chroma is computed from the sum of four pixels. */
const C_SHIFT: i32 = 17;
const C_OFFSET: i32 = (128 << 17) + (1 << 16);

// A pixel is an i32 lane R | G << 8 | B << 16 | A << 24. As two i16 lanes, its low bytes are (R, B) and its high bytes are (G, A).
// Two dot products of pairs give a weighted sum in the pixel's own lane, without shuffling.

@inline
function redBlue(pixels: v128): v128 {
  return v128.and(pixels, i16x8.splat(0xff));
}

@inline
function greenAlpha(pixels: v128): v128 {
  return i16x8.shr_u(pixels, 8);
}

/** Returns red·R + green·G + blue·B in each lane. */
@inline
function weigh(rb: v128, ga: v128, red: i16, green: i16, blue: i16): v128 {
  return i32x4.add(
    i32x4.dot_i16x8_s(rb, i16x8(red, blue, red, blue, red, blue, red, blue)),
    i32x4.dot_i16x8_s(ga, i16x8(green, 0, green, 0, green, 0, green, 0)),
  );
}

/** Returns the luma of four pixels, as four i32. */
@inline
function luma4(rb: v128, ga: v128): v128 {
  return i32x4.shr_s(i32x4.add(weigh(rb, ga, Y_R, Y_G, Y_B), i32x4.splat(Y_OFFSET)), Y_SHIFT);
}

/** Adds neighbouring lanes: eight lanes become four. */
@inline
function addNeighbours(a: v128, b: v128): v128 {
  return i16x8.add(v128.shuffle<i32>(a, b, 0, 2, 4, 6), v128.shuffle<i32>(a, b, 1, 3, 5, 7));
}

/** Computes a chroma plane's samples of four 2×2 blocks from the sums of the blocks, as four i32. */
@inline
function chroma4(rb: v128, ga: v128, red: i16, green: i16, blue: i16): v128 {
  return i32x4.shr_s(i32x4.add(weigh(rb, ga, red, green, blue), i32x4.splat(C_OFFSET)), C_SHIFT);
}

@inline
function luma1(p: usize): u8 {
  return <u8>((<i32>load<u8>(p) * Y_R + <i32>load<u8>(p, 1) * Y_G + <i32>load<u8>(p, 2) * Y_B + Y_OFFSET) >> Y_SHIFT);
}

/**
 * Converts rows of pixels to rows of three planes. The caller passes few rows at a time, so that they stay in the cache between
 * the copy into this memory and the conversion.
 *
 * @param rgba width·rows·4 bytes, row-major; alpha is ignored
 * @param width even
 * @param rows even
 * @param yPlane offset of the first row, as are `uPlane` and `vPlane`
 */
export function convert(rgba: usize, width: i32, rows: i32, yPlane: usize, uPlane: usize, vPlane: usize): void {
  const stride: usize = <usize>width * 4;
  const half: i32 = width >> 1;
  const wide: i32 = width & ~15;

  for (let row = 0; row < rows; row += 2) {
    const upper = rgba + <usize>row * stride;
    const lower = upper + stride;
    const yUpper = yPlane + <usize>row * width;
    const yLower = yUpper + width;
    const uRow = uPlane + <usize>(row >> 1) * half;
    const vRow = vPlane + <usize>(row >> 1) * half;

    for (let x = 0; x < wide; x += 16) {
      const a = upper + (<usize>x << 2);
      const b = lower + (<usize>x << 2);
      const a0 = v128.load(a);
      const a1 = v128.load(a, 16);
      const a2 = v128.load(a, 32);
      const a3 = v128.load(a, 48);
      const b0 = v128.load(b);
      const b1 = v128.load(b, 16);
      const b2 = v128.load(b, 32);
      const b3 = v128.load(b, 48);
      const a0rb = redBlue(a0);
      const a0ga = greenAlpha(a0);
      const a1rb = redBlue(a1);
      const a1ga = greenAlpha(a1);
      const a2rb = redBlue(a2);
      const a2ga = greenAlpha(a2);
      const a3rb = redBlue(a3);
      const a3ga = greenAlpha(a3);
      const b0rb = redBlue(b0);
      const b0ga = greenAlpha(b0);
      const b1rb = redBlue(b1);
      const b1ga = greenAlpha(b1);
      const b2rb = redBlue(b2);
      const b2ga = greenAlpha(b2);
      const b3rb = redBlue(b3);
      const b3ga = greenAlpha(b3);

      v128.store(
        yUpper + x,
        i8x16.narrow_i16x8_u(
          i16x8.narrow_i32x4_s(luma4(a0rb, a0ga), luma4(a1rb, a1ga)),
          i16x8.narrow_i32x4_s(luma4(a2rb, a2ga), luma4(a3rb, a3ga)),
        ),
      );
      v128.store(
        yLower + x,
        i8x16.narrow_i16x8_u(
          i16x8.narrow_i32x4_s(luma4(b0rb, b0ga), luma4(b1rb, b1ga)),
          i16x8.narrow_i32x4_s(luma4(b2rb, b2ga), luma4(b3rb, b3ga)),
        ),
      );

      const leftRb = addNeighbours(i16x8.add(a0rb, b0rb), i16x8.add(a1rb, b1rb));
      const leftGa = addNeighbours(i16x8.add(a0ga, b0ga), i16x8.add(a1ga, b1ga));
      const rightRb = addNeighbours(i16x8.add(a2rb, b2rb), i16x8.add(a3rb, b3rb));
      const rightGa = addNeighbours(i16x8.add(a2ga, b2ga), i16x8.add(a3ga, b3ga));
      const u = i16x8.narrow_i32x4_s(
        chroma4(leftRb, leftGa, U_R, U_G, U_B),
        chroma4(rightRb, rightGa, U_R, U_G, U_B),
      );
      const v = i16x8.narrow_i32x4_s(
        chroma4(leftRb, leftGa, V_R, V_G, V_B),
        chroma4(rightRb, rightGa, V_R, V_G, V_B),
      );
      const uv = i8x16.narrow_i16x8_u(u, v);
      v128.store64_lane(uRow + (x >> 1), uv, 0);
      v128.store64_lane(vRow + (x >> 1), uv, 1);
    }

    for (let x = wide; x < width; x += 2) {
      const a = upper + (<usize>x << 2);
      const b = lower + (<usize>x << 2);
      store<u8>(yUpper + x, luma1(a));
      store<u8>(yUpper + x, luma1(a + 4), 1);
      store<u8>(yLower + x, luma1(b));
      store<u8>(yLower + x, luma1(b + 4), 1);
      const red = <i32>load<u8>(a) + <i32>load<u8>(a, 4) + <i32>load<u8>(b) + <i32>load<u8>(b, 4);
      const green = <i32>load<u8>(a, 1) + <i32>load<u8>(a, 5) + <i32>load<u8>(b, 1) + <i32>load<u8>(b, 5);
      const blue = <i32>load<u8>(a, 2) + <i32>load<u8>(a, 6) + <i32>load<u8>(b, 2) + <i32>load<u8>(b, 6);
      store<u8>(uRow + (x >> 1), <u8>((red * U_R + green * U_G + blue * U_B + C_OFFSET) >> C_SHIFT));
      store<u8>(vRow + (x >> 1), <u8>((red * V_R + green * V_G + blue * V_B + C_OFFSET) >> C_SHIFT));
    }
  }
}
