import { describe, expect, it } from 'vitest';
import type { MeasuredLoudness } from '../../../src/engine/codec/encoded-track.ts';
import { MIX_RATE } from '../../../src/engine/codec/resampler.ts';
import { LoudnessMeter } from '../../../src/engine/sound/loudness-meter.ts';
import { TruePeakMeter } from '../../../src/engine/sound/true-peak.ts';

/** A part of a test signal: seconds of a sine with a level in dBFS for each channel. */
interface Part {
  readonly seconds: number;
  readonly levels: readonly number[];
}

interface Tone {
  readonly hertz?: number;
  /** Radians at the first sample. */
  readonly phase?: number;
}

const stereo = (seconds: number, level: number): Part => ({ seconds, levels: [level, level] });
const silent = (seconds: number): Part => stereo(seconds, -Infinity);
const repeated = (count: number, ...parts: readonly Part[]): Part[] =>
  Array.from({ length: count }, () => parts).flat();

/** Returns the channels of a test signal; the sine does not jump from one part to the next. */
function signal(parts: readonly Part[], { hertz = 1000, phase = 0 }: Tone = {}): Float32Array[] {
  const counts = parts.map(({ seconds }) => Math.round(seconds * MIX_RATE));
  const total = counts.reduce((sum, count) => sum + count, 0);
  return parts[0]!.levels.map((_, channel) => {
    const samples = new Float32Array(total);
    let at = 0;
    for (const [index, { levels }] of parts.entries()) {
      const amplitude = 10 ** (levels[channel]! / 20);
      for (const end = at + counts[index]!; at < end; at++) {
        samples[at] = amplitude * Math.sin(2 * Math.PI * hertz * (at / MIX_RATE) + phase);
      }
    }
    return samples;
  });
}

/** Fades a signal in and out, because a sine that starts at once has higher peaks between its first samples. */
function faded(channels: readonly Float32Array[]): Float32Array[] {
  const length = MIX_RATE / 100;
  return channels.map((samples) =>
    samples.map((sample, at) => sample * Math.min(1, at / length, (samples.length - 1 - at) / length)),
  );
}

type Loudness = Omit<MeasuredLoudness, 'truePeak'>;

/** Measures a signal in blocks of the size of a packet. */
function measure(channels: readonly Float32Array[], weights?: readonly number[]): Loudness {
  const meter = new LoudnessMeter(weights);
  for (let at = 0; at < channels[0]!.length; at += 1024) {
    meter.add(channels.map((samples) => samples.subarray(at, at + 1024)));
  }
  return meter.result();
}

function measurePeak(channels: readonly Float32Array[]): number {
  const meter = new TruePeakMeter(channels.length);
  for (let at = 0; at < channels[0]!.length; at += 1024) {
    meter.add(channels.map((samples) => samples.subarray(at, at + 1024)));
  }
  return meter.result();
}

const loudness = (...parts: readonly Part[]): Loudness => measure(signal(parts));

describe('EBU Tech 3341', () => {
  it.each([
    [1, -23],
    [2, -33],
  ])('case %i: 20 s at %i dBFS', (_, level) => {
    const { integrated, momentary, shortTerm } = loudness(stereo(20, level));
    for (const value of [integrated, momentary, shortTerm]) expect(Math.abs(value - level)).toBeLessThanOrEqual(0.1);
  });

  it.each<[number, readonly Part[]]>([
    [3, [stereo(10, -36), stereo(60, -23), stereo(10, -36)]],
    [4, [stereo(10, -72), stereo(10, -36), stereo(60, -23), stereo(10, -36), stereo(10, -72)]],
    [5, [stereo(20, -26), stereo(20.1, -20), stereo(20, -26)]],
  ])('case %i: levels that the gates leave out', (_, parts) => {
    expect(Math.abs(loudness(...parts).integrated + 23)).toBeLessThanOrEqual(0.1);
  });

  it('case 6: five channels', () => {
    const channels = signal([{ seconds: 20, levels: [-28, -28, -24, -30, -30] }]);
    expect(Math.abs(measure(channels, [1, 1, 1, 1.41, 1.41]).integrated + 23)).toBeLessThanOrEqual(0.1);
  });

  it('case 9: short-term loudness is constant after 3 s', () => {
    const channels = signal(repeated(5, stereo(1.34, -20), stereo(1.66, -30)));
    for (let end = 3; end <= 15; end += 1) {
      const window = channels.map((samples) => samples.subarray((end - 3) * MIX_RATE, end * MIX_RATE));
      expect(Math.abs(measure(window).shortTerm + 23)).toBeLessThanOrEqual(0.1);
    }
  });

  it.each(Array.from({ length: 20 }, (_, index) => index))('case 10: largest short-term loudness, file %i', (index) => {
    const { shortTerm } = loudness(silent(0.15 * index), stereo(3, -23), silent(1));
    expect(Math.abs(shortTerm + 23)).toBeLessThanOrEqual(0.1);
  });

  it('case 11: largest short-term loudness of rising levels', () => {
    for (let index = 0; index < 20; index++) {
      const level = -38 + index;
      const { shortTerm } = loudness(silent(0.15 * index), stereo(3, level), silent(3 - 0.15 * index));
      expect(Math.abs(shortTerm - level)).toBeLessThanOrEqual(0.1);
    }
  });

  it('case 12: momentary loudness is constant after 1 s', () => {
    const channels = signal(repeated(25, stereo(0.18, -20), stereo(0.22, -30)));
    for (let end = 1; end <= 10; end += 0.3) {
      const [from, to] = [Math.round((end - 0.4) * MIX_RATE), Math.round(end * MIX_RATE)];
      const window = channels.map((samples) => samples.subarray(from, to));
      expect(Math.abs(measure(window).momentary + 23)).toBeLessThanOrEqual(0.1);
    }
  });

  it.each(Array.from({ length: 20 }, (_, index) => index))('case 13: largest momentary loudness, file %i', (index) => {
    const { momentary } = loudness(silent(0.02 * index), stereo(0.4, -23), silent(1));
    expect(Math.abs(momentary + 23)).toBeLessThanOrEqual(0.1);
  });

  it('case 14: largest momentary loudness of rising levels', () => {
    for (let index = 0; index < 20; index++) {
      const level = -38 + index;
      const { momentary } = loudness(silent(0.02 * index), stereo(0.4, level), silent(0.4 - 0.02 * index));
      expect(Math.abs(momentary - level)).toBeLessThanOrEqual(0.1);
    }
  });

  it.each([
    [15, 4, 0, 0.5, -6],
    [16, 4, 45, 0.5, -6],
    [17, 6, 60, 0.5, -6],
    [18, 8, 67.5, 0.5, -6],
    [19, 4, 45, 1.41, 3],
  ])('case %i: true peak of a sine of fs/%i at %f°', (_, divisor, degrees, amplitude, peak) => {
    const tone = { hertz: MIX_RATE / divisor, phase: (degrees * Math.PI) / 180 };
    const truePeak = measurePeak(faded(signal([stereo(1, 20 * Math.log10(amplitude))], tone)));
    expect(truePeak).toBeLessThanOrEqual(peak + 0.2);
    expect(truePeak).toBeGreaterThanOrEqual(peak - 0.4);
  });
});

describe('EBU Tech 3341, peaks between samples', () => {
  /** Four times the sample rate. */
  const OVERSAMPLED = 4;
  /** A sine of fs/6 with amplitude 0.5 that contains a single period of fs/4 with amplitude 1, in samples of 4 fs. */
  const burst = (): Float64Array => {
    const [around, within] = [6 * OVERSAMPLED, 4 * OVERSAMPLED];
    const start = around * 400;
    return Float64Array.from({ length: start * 2 + within }, (_, at) => {
      if (at >= start && at < start + within) return Math.sin((2 * Math.PI * (at - start)) / within);
      return 0.5 * Math.sin((2 * Math.PI * (at < start ? at : at - start - within)) / around);
    });
  };

  /** Keeps each fourth sample, from an offset on, of what is left below fs/2. */
  function downsampled(samples: Float64Array, offset: number): Float32Array {
    const reach = 1024;
    const taps = Array.from({ length: 2 * reach + 1 }, (_, tap) => {
      const x = (tap - reach) / OVERSAMPLED;
      const window =
        0.42 +
        0.5 * Math.cos((Math.PI * (tap - reach)) / reach) +
        0.08 * Math.cos((2 * Math.PI * (tap - reach)) / reach);
      return (window * (x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x))) / OVERSAMPLED;
    });
    const length = Math.floor((samples.length - offset) / OVERSAMPLED);
    return Float32Array.from({ length }, (_, index) => {
      const middle = index * OVERSAMPLED + offset;
      return taps.reduce((sum, tap, at) => sum + tap * (samples[middle + at - reach] ?? 0), 0);
    });
  }

  it.each([
    [20, 0],
    [21, 1],
    [22, 2],
    [23, 3],
  ])('case %i: a single period, with an offset of %i samples at 4 fs', (_, offset) => {
    const samples = downsampled(burst(), offset);
    const truePeak = measurePeak(faded([samples, samples]));
    expect(truePeak).toBeLessThanOrEqual(0.2);
    expect(truePeak).toBeGreaterThanOrEqual(-0.4);
  });
});

describe('EBU Tech 3342', () => {
  it.each<[number, readonly number[], number]>([
    [1, [-20, -30], 10],
    [2, [-20, -15], 5],
    [3, [-40, -20], 20],
    [4, [-50, -35, -20, -35, -50], 15],
  ])('case %i: range of %j', (_, levels, range) => {
    const measured = loudness(...levels.map((level) => stereo(20, level))).range;
    expect(Math.abs(measured - range)).toBeLessThanOrEqual(1);
  });
});

it('measures the same in blocks of any size', () => {
  const channels = signal([stereo(1, -20), stereo(2.5, -12)], { hertz: 777 });
  const meter = new LoudnessMeter();
  const peaks = new TruePeakMeter();
  for (let at = 0, size = 1; at < channels[0]!.length; at += size, size = (size * 7) % 3001) {
    const block = channels.map((samples) => samples.subarray(at, at + size));
    meter.add(block);
    peaks.add(block);
  }
  expect(meter.result().integrated).toBeCloseTo(measure(channels).integrated, 9);
  expect(peaks.result()).toBe(measurePeak(channels));
});

it('has no loudness for silence', () => {
  expect(loudness(silent(5))).toEqual({
    integrated: -Infinity,
    momentary: -Infinity,
    shortTerm: -Infinity,
    range: 0,
  });
});
