// AssemblyScript, not TypeScript: compiled by ../color/compile.mjs into sound-kernels.wasm.ts, and excluded from tsc and biome.
//
// The inner loops of loudness-meter.ts and true-peak.ts, in the same order and precision as written there, so that every machine gets
// the same values.

/** Samples that a value between two samples depends on, and the middle of them. */
const TAPS: i32 = 32;
const MIDDLE: i32 = 15;

@inline
function pair(first: f32, second: f32): v128 {
  return f64x2.replace_lane(f64x2.splat(<f64>first), 1, <f64>second);
}

/**
 * Filters samples of two channels. A vector holds a value of each channel.
 *
 * @param state shelf 1, shelf 2, high-pass 1, high-pass 2: transposed direct form II
 * @param coefficients b0, b1, b2, a1, a2 of the shelf, then a1, a2 of the high-pass, whose b are 1, -2, 1
 * @param sums receives the sums of the squares
 */
export function weigh(
  left: usize, right: usize, count: i32, state: usize, coefficients: usize, sums: usize,
): void {
  const b0 = f64x2.splat(load<f64>(coefficients));
  const b1 = f64x2.splat(load<f64>(coefficients, 8));
  const b2 = f64x2.splat(load<f64>(coefficients, 16));
  const a1 = f64x2.splat(load<f64>(coefficients, 24));
  const a2 = f64x2.splat(load<f64>(coefficients, 32));
  const high1 = f64x2.splat(load<f64>(coefficients, 40));
  const high2 = f64x2.splat(load<f64>(coefficients, 48));
  const minusTwo = f64x2.splat(-2);
  let shelf1 = v128.load(state);
  let shelf2 = v128.load(state, 16);
  let pass1 = v128.load(state, 32);
  let pass2 = v128.load(state, 48);
  let sum = f64x2.splat(0);
  for (let at = 0; at < count; at++) {
    const input = pair(load<f32>(left + (<usize>at << 2)), load<f32>(right + (<usize>at << 2)));
    const shelved = f64x2.add(f64x2.mul(b0, input), shelf1);
    shelf1 = f64x2.add(f64x2.sub(f64x2.mul(b1, input), f64x2.mul(a1, shelved)), shelf2);
    shelf2 = f64x2.sub(f64x2.mul(b2, input), f64x2.mul(a2, shelved));
    const passed = f64x2.add(shelved, pass1);
    pass1 = f64x2.add(f64x2.sub(f64x2.mul(minusTwo, shelved), f64x2.mul(high1, passed)), pass2);
    pass2 = f64x2.sub(shelved, f64x2.mul(high2, passed));
    sum = f64x2.add(sum, f64x2.mul(passed, passed));
  }
  v128.store(state, shelf1);
  v128.store(state, shelf2, 16);
  v128.store(state, pass1, 32);
  v128.store(state, pass2, 48);
  v128.store(sums, sum);
}

/** Returns whether one of the peaks of four samples may exceed a floor, by single precision. */
@inline
function mayExceed(samples: usize, kernels: usize, floor: v128): bool {
  let first = f32x4.splat(0);
  let second = f32x4.splat(0);
  let third = f32x4.splat(0);
  for (let tap = 0; tap < TAPS; tap++) {
    const four = v128.load(samples + (<usize>tap << 2));
    const weights = kernels + (<usize>tap << 2);
    first = f32x4.add(first, f32x4.mul(v128.load32_splat(weights), four));
    second = f32x4.add(second, f32x4.mul(v128.load32_splat(weights, TAPS * 4), four));
    third = f32x4.add(third, f32x4.mul(v128.load32_splat(weights, TAPS * 8), four));
  }
  const middle = f32x4.abs(v128.load(samples + MIDDLE * 4));
  const between = f32x4.max(f32x4.abs(first), f32x4.max(f32x4.abs(second), f32x4.abs(third)));
  return v128.any_true(f32x4.gt(f32x4.max(middle, between), floor));
}

/** Returns the largest value from the middle sample of a range to the next, in double precision. */
function peakIn(samples: usize, kernels: usize): f64 {
  let first: f64 = 0;
  let second: f64 = 0;
  let third: f64 = 0;
  for (let tap = 0; tap < TAPS; tap++) {
    const sample = <f64>load<f32>(samples + (<usize>tap << 2));
    const weights = kernels + (<usize>tap << 2);
    first += <f64>load<f32>(weights) * sample;
    second += <f64>load<f32>(weights, TAPS * 4) * sample;
    third += <f64>load<f32>(weights, TAPS * 8) * sample;
  }
  const middle = <f64>load<f32>(samples + MIDDLE * 4);
  return max(abs(middle), max(abs(first), max(abs(second), abs(third))));
}

/**
 * Raises each of `peaks` to the peak from a sample to the next, if that exceeds the floor.
 *
 * @param samples `TAPS` - 1 before the block, then the block, then three of any value
 * @param count of peaks, rounded up to a multiple of four
 * @param largestGain values between samples exceed the samples around them by up to this factor
 * @param isRising the floor is raised to each peak, for a caller that needs only the largest
 */
export function peaksAbove(
  samples: usize, peaks: usize, count: i32, kernels: usize, floor: f64, largestGain: f64, isRising: i32,
): void {
  let largest: f32 = 0;
  // Not with `max`, which would return NaN for a damaged sample.
  for (let at = 0; at < count + TAPS - 1; at++) {
    const size = abs(load<f32>(samples + (<usize>at << 2)));
    if (size > largest) largest = size;
  }
  if (<f64>largest * largestGain <= floor) return;
  // Of a sum of 32 products, single precision loses at most 33 times half its last place. Twice as much is allowed for.
  const tolerance = <f64>largest * largestGain * 4e-6;
  let limit = f32x4.splat(<f32>(floor - tolerance));
  for (let at = 0; at < count; at += 4) {
    const from = samples + (<usize>at << 2);
    if (!mayExceed(from, kernels, limit)) continue;
    for (let lane = 0; lane < min(4, count - at); lane++) {
      const peak = <f32>peakIn(from + (<usize>lane << 2), kernels);
      const to = peaks + (<usize>(at + lane) << 2);
      if (peak > load<f32>(to)) store<f32>(to, peak);
      if (isRising != 0 && <f64>peak > floor) {
        floor = <f64>peak;
        limit = f32x4.splat(<f32>(floor - tolerance));
      }
    }
  }
}
