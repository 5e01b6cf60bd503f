import type { OutputQuality } from '../../contract/wire/output.ts';
import type { LoudnessTarget } from '../../template/render-input.ts';
import type { AudioCodec, AudioTrack, MeasuredLoudness } from '../codec/encoded-track.ts';
import { readSound } from '../codec/packet-file.ts';
import type { Stereo } from '../codec/resampler.ts';
import { encodeSound, PACKET_SAMPLES } from '../codec/sound-encoder.ts';
import { fromDecibels } from '../sound/decibels.ts';
import { limited } from '../sound/limited-sound.ts';
import { LoudnessMeter } from '../sound/loudness-meter.ts';
import { PeakLimiter } from '../sound/peak-limiter.ts';
import type { SoundFile } from '../sound/sound-file.ts';
import { TruePeakMeter } from '../sound/true-peak.ts';
import { decodePackets } from './decode-sound.ts';
import type { SoundPacket } from './sound-track.ts';

/** A sound this close to the target, in LU, is not encoded again. */
const CLOSE = 0.2;
/** Encoding raises peaks, so that the limiter starts below the ceiling by so many decibels. */
const MARGIN = 0.2;
/** A sound is limited by at most about so many decibels for its loudness: more would be heard as distortion. */
const MAX_LIMITING = 12;
const MAX_ATTEMPTS = 8;
/** Samples that are measured at once where nothing is encoded. */
const PREDICTED_BLOCK = 4096;

interface EncodeOptions {
  readonly codec: AudioCodec;
  readonly quality: OutputQuality;
  readonly signal: AbortSignal | undefined;
}

/**
 * Encodes a mix so that the delivered sound has a loudness, and no peak above a ceiling: measures what players decode, and corrects
 * gain and limiter until it is right. A silent mix is encoded unchanged.
 *
 * @returns a track with the measured loudness, which differs from the target if the mix cannot reach it
 * @throws RenderError encode_failed; the signal's reason
 */
export async function encodeAtLoudness(
  mix: SoundFile,
  target: LoudnessTarget,
  { codec, quality, signal }: EncodeOptions,
): Promise<AudioTrack> {
  let best: AudioTrack | undefined;
  await reachLoudness(mix, target, PACKET_SAMPLES[codec], {
    async measure(sound) {
      const track = await encodeSound(sound, codec, quality);
      const loudness = await measureLoudness(decodedTrack(track));
      signal?.throwIfAborted();
      return { ...track, loudness };
    },
    keep(track) {
      best?.packets.close();
      best = track;
    },
    discard: (track) => track.packets.close(),
  });
  return best!;
}

/**
 * Predicts the loudness with which `encodeAtLoudness` delivers a mix, without encoding it.
 *
 * @returns as of an encoded track
 */
export async function predictLoudness(mix: SoundFile, target: LoudnessTarget): Promise<MeasuredLoudness> {
  let best: MeasuredLoudness | undefined;
  await reachLoudness(mix, target, PREDICTED_BLOCK, {
    measure: async (sound) => ({ loudness: await measureLoudness(sound) }),
    keep({ loudness }) {
      best = loudness;
    },
    discard: () => undefined,
  });
  return best!;
}

/** What is made of a sound and measured. */
interface Attempts<Made> {
  measure(sound: AsyncIterable<Stereo>): Promise<Made>;
  /** Receives each result that is better than the last one kept. */
  keep(made: Made): void;
  discard(made: Made): void;
}

/** Changes gain and limiter until the result has the loudness, or no better one is found. @param size samples of a block */
async function reachLoudness<Made extends { readonly loudness: MeasuredLoudness }>(
  mix: SoundFile,
  { target, truePeak }: LoudnessTarget,
  size: number,
  attempts: Attempts<Made>,
): Promise<void> {
  const { integrated } = mix;
  const firstGain = Number.isFinite(integrated) ? target - integrated : 0;
  let [gain, ceiling] = [firstGain, truePeak - MARGIN];
  let leastError: number | undefined;
  for (let attempt = 1; ; attempt++) {
    const limiter = new PeakLimiter(fromDecibels(ceiling), 'between samples');
    const made = await attempts.measure(limited(mix.blocks(fromDecibels(gain)), limiter, size));
    const missing = target - made.loudness.integrated;
    const excess = Math.max(0, made.loudness.truePeak - truePeak);
    // A peak above the ceiling is worse than any difference in loudness.
    const error = Math.abs(missing) + excess * 1000;
    if (leastError === undefined || error < leastError) {
      attempts.keep(made);
      leastError = error;
    } else attempts.discard(made);
    gain = Math.min(firstGain + MAX_LIMITING, gain + missing);
    if (excess > 0) ceiling -= excess + MARGIN / 4;
    if (!Number.isFinite(error) || error <= CLOSE || attempt === MAX_ATTEMPTS) return;
  }
}

/** Measures a sound in blocks of any size. */
export async function measureLoudness(blocks: AsyncIterable<Stereo>): Promise<MeasuredLoudness> {
  const meter = new LoudnessMeter();
  const peaks = new TruePeakMeter();
  for await (const { left, right } of blocks) {
    meter.add([left, right]);
    peaks.add([left, right]);
  }
  return { ...meter.result(), truePeak: peaks.result() };
}

/** Yields the sound that players decode: without the delay of the encoder and the silence after the end. */
export async function* decodedTrack({
  codec,
  sampleRate,
  channels,
  configuration,
  packets,
}: AudioTrack): AsyncGenerator<Stereo> {
  let delay: number | undefined;
  let end = 0;
  async function* encoded(): AsyncGenerator<SoundPacket> {
    for await (const { bytes, time, duration } of readSound(packets)) {
      delay ??= Math.round(-time * sampleRate);
      end = Math.round((time + duration) * sampleRate);
      yield { data: bytes, timestamp: time, duration };
    }
  }
  const track = { codec: codec === 'pcm' ? 'pcm-s24' : codec, description: configuration, sampleRate, channels };
  let position: number | undefined;
  for await (const { channels: pair } of decodePackets(track, encoded(), 'the encoded sound')) {
    position ??= -(delay ?? 0);
    const [left, right] = pair as [Float32Array, Float32Array];
    const skipped = Math.max(0, -position);
    position += left.length;
    const kept = left.length - Math.max(0, position - end);
    yield { left: left.subarray(skipped, kept), right: right.subarray(skipped, kept) };
  }
}
