import type { VideoInput } from '../../template/render-input.ts';
import type { AudioCodec, MeasuredLoudness, SoundOptions } from '../codec/encoded-track.ts';
import { MIX_RATE, type Stereo, silence } from '../codec/resampler.ts';
import { toDecibels } from '../sound/decibels.ts';
import { LoudnessMeter } from '../sound/loudness-meter.ts';
import { TruePeakMeter } from '../sound/true-peak.ts';
import { CURVE_STEPS, columnOf, columnStart, WAVEFORM_COLUMNS } from '../sound/waveform-columns.ts';
import { decodedTrack } from './encode-at-loudness.ts';
import { makeSound } from './make-sound.ts';
import { mixSamples, openMix } from './mix-sounds.ts';
import type { SoundVoice } from './sound-voice.ts';

/** Steps of the loudness of a video, at most. Each is a multiple of 100 ms. */
export const MAX_LOUDNESS_STEPS = 3_000;
/** Columns after which progress is reported. */
const REPORTED_COLUMNS = 50;

/** A sound of a video, as it is heard in the mix. */
export interface SoundWaveform {
  /** As `InputSound.name`. */
  readonly name: string;
  /** Decibels of its volume or level, without fades and ducking; -Infinity for a volume of 0. */
  readonly gain: number;
  /** Loudness as it is heard, in LUFS; -Infinity for silence. */
  readonly loudness: number;
  /** Column in which it starts. */
  readonly firstColumn: number;
  /** Largest absolute value in each column; 255 is full scale. */
  readonly peaks: Uint8Array;
  /** Decibels by which fades and ducking lower it at the end of each column, times `CURVE_STEPS`. */
  readonly curve: Uint8Array;
}

/** The finished sound of a video, as players decode it. */
export interface MixWaveform {
  /** Largest absolute value in each column; 255 is full scale. */
  readonly peaks: Uint8Array;
  /** Seconds from one step to the next. */
  readonly stepSeconds: number;
  /** At the end of each step. */
  readonly steps: readonly LoudnessStep[];
  readonly whole: MeasuredLoudness;
}

/** Momentary and short-term loudness at a time; integrated loudness and true peak from the start to this time. */
export type LoudnessStep = Omit<MeasuredLoudness, 'range'>;

/**
 * Measures each sound of an input as the mixer plays it: with the same voices, gains and ducking as `makeSound`. Keeps no samples.
 *
 * @throws as `makeSound`
 */
export async function soundWaveforms(renderInput: VideoInput, options: SoundOptions = {}): Promise<SoundWaveform[]> {
  const mix = await openMix(renderInput);
  if (mix === null) return [];
  const { voices, total } = mix;
  try {
    const waveforms: SoundWaveform[] = [];
    for (const [{ name }, voice] of voices) waveforms.push({ name, ...(await soundWaveform(voice, total, options)) });
    return waveforms;
  } finally {
    await mix.close();
  }
}

async function soundWaveform(
  voice: SoundVoice,
  total: number,
  { signal, onProgress }: SoundOptions,
): Promise<Omit<SoundWaveform, 'name'>> {
  const { range, gain } = voice;
  const [first, end] = [columnOf(range.from, total), columnOf(range.to - 1, total) + 1];
  const count = range.from < range.to ? end - first : 0;
  const peaks = new Uint8Array(count);
  const curve = new Uint8Array(count);
  const meter = new LoudnessMeter();
  for (let index = 0; index < count; index++) {
    const from = columnStart(first + index, total);
    const to = columnStart(first + index + 1, total);
    const block = silence(to - from);
    await voice.addTo(block, from);
    meter.add([block.left, block.right]);
    peaks[index] = byteOf(peakOf(block));
    if (gain > 0) curve[index] = curveLevel(voice.gainAt(Math.min(to, range.to) - 1) / gain);
    signal?.throwIfAborted();
    if (index % REPORTED_COLUMNS === 0) onProgress?.(index, count);
  }
  return { gain: toDecibels(gain), loudness: meter.result().integrated, firstColumn: first, peaks, curve };
}

/**
 * Measures the sound that `makeSound` gives, after the encoder. Keeps no samples.
 *
 * @returns null for a silent input
 * @throws as `makeSound`
 */
export async function mixWaveform(
  renderInput: VideoInput,
  codec: AudioCodec,
  options: SoundOptions = {},
): Promise<MixWaveform | null> {
  const track = await makeSound(renderInput, codec, options);
  if (track === null) return null;
  try {
    return await measuredMix(decodedTrack(track), mixSamples(renderInput));
  } finally {
    track.packets.close();
  }
}

async function measuredMix(blocks: AsyncIterable<Stereo>, total: number): Promise<MixWaveform> {
  const largest = new Float64Array(WAVEFORM_COLUMNS);
  const hop = MIX_RATE / 10;
  const step = hop * Math.max(1, Math.ceil(total / hop / MAX_LOUDNESS_STEPS));
  const steps: LoudnessStep[] = [];
  const meter = new LoudnessMeter();
  const peaks = new TruePeakMeter();
  let position = 0;
  for await (const { left, right } of blocks) {
    for (let at = 0; at < left.length && position < total; ) {
      const end = Math.min(left.length, at + step - (position % step), at + total - position);
      const part = { left: left.subarray(at, end), right: right.subarray(at, end) };
      meter.add([part.left, part.right]);
      peaks.add([part.left, part.right]);
      raiseColumns(largest, part, position, total);
      position += end - at;
      at = end;
      if (position % step !== 0 && position !== total) continue;
      const { integrated } = meter.result();
      steps.push({ ...meter.present(), integrated, truePeak: peaks.present() });
    }
  }
  const whole = { ...meter.result(), truePeak: peaks.result() };
  return { peaks: Uint8Array.from(largest, byteOf), stepSeconds: step / MIX_RATE, steps, whole };
}

/** Raises the columns that samples of the mix belong to. @param position of the first sample */
function raiseColumns(columns: Float64Array, samples: Stereo, position: number, total: number): void {
  const end = position + samples.left.length;
  for (let from = position; from < end; ) {
    const column = columnOf(from, total);
    const to = Math.min(end, columnStart(column + 1, total));
    const [first, last] = [from - position, to - position];
    const peak = peakOf({ left: samples.left.subarray(first, last), right: samples.right.subarray(first, last) });
    if (peak > columns[column]!) columns[column] = peak;
    from = to;
  }
}

function peakOf({ left, right }: Stereo): number {
  let peak = 0;
  for (const channel of [left, right]) for (const sample of channel) peak = Math.max(peak, Math.abs(sample));
  return peak;
}

function byteOf(peak: number): number {
  return Math.min(255, Math.round(peak * 255));
}

/** @param factor of fades and ducking, 0..1 */
function curveLevel(factor: number): number {
  return Math.min(255, Math.round(-toDecibels(factor) * CURVE_STEPS));
}
