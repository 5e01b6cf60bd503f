import { describe, expect, test } from 'vitest';
import { windowedSinc } from '../../../src/engine/codec/resampler.ts';
import { PeakLimiter } from '../../../src/engine/sound/peak-limiter.ts';
import { PEAK_REACH, TruePeakDetector, TruePeakMeter } from '../../../src/engine/sound/true-peak.ts';
import { seededRandom } from '../../support/seeded-random.ts';

const KERNELS = [0.25, 0.5, 0.75].map((position) => {
  const taps = Float32Array.from({ length: 2 * PEAK_REACH }, (_, tap) =>
    windowedSinc(tap - (PEAK_REACH - 1) - position, PEAK_REACH, 6),
  );
  const sum = taps.reduce((total, tap) => total + tap, 0);
  return taps.map((tap) => tap / sum);
});

/** Computes every peak in double precision, and skips nothing. */
function allPeaks(samples: Float32Array): Float32Array {
  const padded = new Float32Array(samples.length + 2 * PEAK_REACH - 1);
  padded.set(samples, 2 * PEAK_REACH - 1);
  return samples.map((_, at) => {
    const sums = KERNELS.map((taps) => {
      let sum = 0;
      for (let tap = 0; tap < taps.length; tap++) sum += taps[tap]! * padded[at + tap]!;
      return Math.abs(sum);
    });
    return Math.max(Math.abs(padded[at + PEAK_REACH - 1]!), ...sums);
  });
}

/** Returns noise that grows, with loud places. */
function noise(seed: number, length: number): Float32Array {
  const random = seededRandom(seed);
  return Float32Array.from({ length }, (_, at) => {
    const loud = random.below(400) === 0 ? 3 : 0.3;
    return (random.below(2001) / 1000 - 1) * loud * (at / length);
  });
}

describe('peaks between samples', () => {
  test.each([1, 2, 3])(
    'above a floor are those of every sample in double precision, in blocks of any size (%i)',
    (seed) => {
      const samples = noise(seed, 20_000);
      const expected = allPeaks(samples);
      const random = seededRandom(seed);
      const floor = 0.6;
      const detector = new TruePeakDetector();
      for (let at = 0; at < samples.length; ) {
        const block = samples.subarray(at, at + 1 + random.below(9000));
        const peaks = new Float32Array(block.length);
        detector.detect(block, peaks, floor);
        for (const [index, peak] of peaks.entries()) {
          const exact = expected[at + index]!;
          if (exact > floor || peak > floor) expect(peak, `sample ${at + index}`).toBe(exact);
        }
        at += block.length;
      }
    },
  );

  test('the largest is exact, and damaged samples hide no other peak', () => {
    const samples = noise(4, 30_000);
    const largest = Math.max(...allPeaks(samples));
    const meter = new TruePeakMeter(1);
    const damaged = new TruePeakMeter(1);
    for (let at = 0; at < samples.length; at += 1000) {
      const block = samples.subarray(at, at + 1000);
      meter.add([block]);
      damaged.add([at === 0 ? block.map((sample, index) => (index === 500 ? Number.NaN : sample)) : block]);
    }
    expect(meter.result()).toBe(20 * Math.log10(largest));
    expect(damaged.result()).toBe(meter.result());
  });
});

test('a limiter gives the same samples in blocks of any size', () => {
  const [left, right] = [noise(5, 40_000), noise(6, 40_000)];
  const limit = (size: () => number): [Float32Array, Float32Array] => {
    const limiter = new PeakLimiter(0.9, 'between samples');
    const both: [Float32Array, Float32Array] = [left.slice(), right.slice()];
    for (let at = 0; at < left.length; ) {
      const end = Math.min(left.length, at + size());
      limiter.process(both[0].subarray(at, end), both[1].subarray(at, end));
      at = end;
    }
    return both;
  };
  const random = seededRandom(7);
  const whole = limit(() => left.length);
  expect(limit(() => 1 + random.below(3000))).toEqual(whole);
  expect(Math.max(...whole[0].map(Math.abs))).toBeLessThanOrEqual(0.9);
});
