import { describe, expect, test } from 'vitest';
import { MIX_RATE, Resampler, toStereo } from '../../../src/engine/codec/resampler.ts';
import { PeakLimiter } from '../../../src/engine/sound/peak-limiter.ts';

/** Resamples a second of a sine to 48 kHz in blocks of uneven length. */
function resampled(rate: number, hertz: number, offset = 0): Float32Array {
  const source = Float32Array.from({ length: rate }, (_, at) => Math.sin((2 * Math.PI * hertz * at) / rate));
  const resampler = new Resampler(rate, offset);
  const out: number[] = [];
  for (let at = 0, size = 1; at < rate; at += size, size = (size * 7 + 3) % 997) {
    const block = source.subarray(at, at + size);
    out.push(...resampler.push({ left: block, right: block }).left);
  }
  out.push(...resampler.end().left);
  return Float32Array.from(out);
}

/** The largest difference from the exact sine, away from the edges. */
function error(samples: Float32Array, hertz: number, from = 0): number {
  let worst = 0;
  for (let at = 1000; at < samples.length - 1000; at++) {
    worst = Math.max(worst, Math.abs(samples[at]! - Math.sin(2 * Math.PI * hertz * (at / MIX_RATE + from))));
  }
  return worst;
}

describe('Resampler', () => {
  test.each([
    [44_100, 1000, 0.0001],
    [44_100, 10_000, 0.0001],
    [44_100, 20_000, 0.012],
    [8000, 1000, 0.0001],
    [96_000, 10_000, 0.0001],
    [37_800, 5000, 0.0001],
  ])('resamples %i Hz to 48 kHz: a tone of %i Hz is accurate to %f', (rate, hertz, most) => {
    const samples = resampled(rate, hertz);
    expect(samples).toHaveLength(MIX_RATE);
    expect(error(samples, hertz)).toBeLessThan(most);
  });

  test('removes frequencies above the range of 48 kHz', () => {
    const samples = resampled(96_000, 30_000);
    expect(samples.subarray(1000, -1000).every((sample) => Math.abs(sample) < 0.0001)).toBe(true);
  });

  test('starts between two samples', () => {
    expect(error(resampled(44_100, 1000, 100.25), 1000, 100.25 / 44_100)).toBeLessThan(0.0002);
  });

  test('leaves 48 kHz unchanged', () => {
    const source = Float32Array.from({ length: 100 }, () => Math.random());
    expect(new Resampler(MIX_RATE, 3).push({ left: source, right: source }).left).toEqual(source.slice(3));
  });
});

describe('toStereo()', () => {
  const ROOT = Math.SQRT1_2;
  const layouts: [name: string, speakers: number | undefined, gains: [number, number][]][] = [
    ['mono', undefined, [[1, 1]]],
    [
      'stereo',
      undefined,
      [
        [1, 0],
        [0, 1],
      ],
    ],
    [
      '3.0',
      undefined,
      [
        [1, 0],
        [0, 1],
        [ROOT, ROOT],
      ],
    ],
    [
      'quad',
      undefined,
      [
        [1, 0],
        [0, 1],
        [ROOT, 0],
        [0, ROOT],
      ],
    ],
    [
      '4.0, as AAC declares it',
      0x107,
      [
        [1, 0],
        [0, 1],
        [ROOT, ROOT],
        [0.5, 0.5],
      ],
    ],
    [
      '5.1',
      undefined,
      [
        [1, 0],
        [0, 1],
        [ROOT, ROOT],
        [0, 0],
        [ROOT, 0],
        [0, ROOT],
      ],
    ],
    [
      '5.1 with side speakers',
      0x60f,
      [
        [1, 0],
        [0, 1],
        [ROOT, ROOT],
        [0, 0],
        [ROOT, 0],
        [0, ROOT],
      ],
    ],
    [
      '6.1',
      undefined,
      [
        [1, 0],
        [0, 1],
        [ROOT, ROOT],
        [0, 0],
        [0.5, 0.5],
        [ROOT, 0],
        [0, ROOT],
      ],
    ],
    [
      '7.1',
      undefined,
      [
        [1, 0],
        [0, 1],
        [ROOT, ROOT],
        [0, 0],
        [ROOT, 0],
        [0, ROOT],
        [ROOT, 0],
        [0, ROOT],
      ],
    ],
    [
      'nine channels',
      undefined,
      [
        [1, 0],
        [0, 1],
        ...Array.from({ length: 7 }, (_, at): [number, number] => (at % 2 === 0 ? [ROOT, 0] : [0, ROOT])),
      ],
    ],
  ];
  test.each(layouts)('mixes %s with the gains of ITU-R BS.775', (_, speakers, gains) => {
    for (const [loud, [left, right]] of gains.entries()) {
      const channels = gains.map((_gains, channel) => Float32Array.of(channel === loud ? 0.8 : 0));
      const mixed = toStereo(channels, speakers);
      expect(mixed.left[0]).toBeCloseTo(0.8 * left, 6);
      expect(mixed.right[0]).toBeCloseTo(0.8 * right, 6);
    }
  });
});

describe('PeakLimiter', () => {
  test('leaves samples within full scale unchanged', () => {
    const source = Float32Array.from({ length: 2000 }, (_, at) => Math.sin(at / 5));
    const [left, right] = [source.slice(), source.slice()];
    const limiter = new PeakLimiter();
    limiter.process(left, right);
    expect(left.subarray(limiter.delay)).toEqual(source.subarray(0, 2000 - limiter.delay));
  });

  test('keeps all samples within full scale and replaces NaN', () => {
    const left = Float32Array.from({ length: 9000 }, (_, at) =>
      at === 50 ? Number.NaN : 4 * Math.sin(at / 5) * (at > 3000 ? 1 : 0.1),
    );
    const right = left.map((sample) => -sample);
    new PeakLimiter().process(left, right);
    const peak = left.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
    expect(peak).toBeLessThanOrEqual(1);
    expect(peak).toBeGreaterThan(0.95);
  });
});
