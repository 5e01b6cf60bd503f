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
  { target, truePeak }: LoudnessTarget,
  { codec, quality, signal }: EncodeOptions,
): Promise<AudioTrack> {
  const size = PACKET_SAMPLES[codec];
  const { integrated } = await measure(mix.blocks(size, 1));
  const firstGain = Number.isFinite(integrated) ? target - integrated : 0;
  let [gain, ceiling] = [firstGain, truePeak - MARGIN];
  let best: { readonly track: AudioTrack; readonly error: number } | undefined;
  for (let attempt = 1; ; attempt++) {
    const limiter = new PeakLimiter(fromDecibels(ceiling), 'between samples');
    const track = await encodeSound(limited(mix.blocks(size, fromDecibels(gain)), limiter, size), codec, quality);
    const loudness = await measure(decoded(track));
    signal?.throwIfAborted();
    const missing = target - loudness.integrated;
    const excess = Math.max(0, loudness.truePeak - truePeak);
    // A peak above the ceiling is worse than any difference in loudness.
    const error = Math.abs(missing) + excess * 1000;
    if (best === undefined || error < best.error) {
      best?.track.packets.close();
      best = { track: { ...track, loudness }, error };
    } else track.packets.close();
    gain = Math.min(firstGain + MAX_LIMITING, gain + missing);
    if (excess > 0) ceiling -= excess + MARGIN / 4;
    if (!Number.isFinite(error) || error <= CLOSE || attempt === MAX_ATTEMPTS) return best.track;
  }
}

async function measure(blocks: AsyncIterable<Stereo>): Promise<MeasuredLoudness> {
  const meter = new LoudnessMeter();
  const peaks = new TruePeakMeter();
  for await (const { left, right } of blocks) {
    meter.add([left, right]);
    peaks.add([left, right]);
  }
  return { ...meter.result(), truePeak: peaks.result() };
}

/** Yields the sound that players decode: without the delay of the encoder and the silence after the end. */
async function* decoded({ codec, sampleRate, channels, configuration, packets }: AudioTrack): AsyncGenerator<Stereo> {
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
