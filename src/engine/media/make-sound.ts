import { frameRateOf } from '../../contract/timeline/frame-rate.ts';
import { TRANSFORM_DEFAULTS } from '../../contract/wire/defaults.ts';
import type { InputSound, VideoInput } from '../../template/render-input.ts';
import type { AudioCodec, AudioTrack, SoundOptions } from '../codec/encoded-track.ts';
import { joined, MIX_RATE, type Stereo, silence } from '../codec/resampler.ts';
import { openSoundEncoder, PACKET_SAMPLES } from '../codec/sound-encoder.ts';
import { frameTimeSeconds } from '../frame-rate.ts';
import { checkSound, MAX_CLIP_BYTES } from './check-media.ts';
import { mediaTypeOf } from './media-type.ts';
import { type OpenSound, openSound } from './open-sound.ts';

/**
 * Mixes and compresses an input's sounds, exactly as long as its video; null for a silent input. A limiter attenuates peaks above
 * full scale. Sounds are decoded while mixing, so that memory use does not depend on their length.
 *
 * @param options the signal aborts the mix after the current block
 * @throws RenderError asset_type_unsupported, asset_decode_failed, asset_too_large with the sound's name
 * @throws ReelformError encoder_missing
 * @throws the signal's reason
 */
export async function makeSound(
  renderInput: VideoInput,
  codec: AudioCodec,
  { signal, onProgress }: SoundOptions = {},
): Promise<AudioTrack | null> {
  const total = Math.round(frameTimeSeconds(frameRateOf(renderInput.fps), renderInput.frameCount) * MIX_RATE);
  const voices: SoundVoice[] = [];
  try {
    voices.push(...(await openVoices(renderInput, total)));
    if (voices.length === 0) return null;
    const encoder = await openSoundEncoder(codec, renderInput.output.quality);
    const seconds = Math.ceil(total / MIX_RATE);
    let samples = 0;
    try {
      for await (const block of mix(voices, total, PACKET_SAMPLES[codec])) {
        await encoder.encode(block);
        signal?.throwIfAborted();
        const secondsBefore = Math.floor(samples / MIX_RATE);
        samples += block.left.length;
        if (Math.floor(samples / MIX_RATE) > secondsBefore) onProgress?.(Math.floor(samples / MIX_RATE), seconds);
      }
      return await encoder.finish();
    } finally {
      encoder.close();
    }
  } finally {
    for (const voice of voices) await voice.close();
  }
}

async function openVoices({ sounds }: VideoInput, total: number): Promise<SoundVoice[]> {
  const voices: SoundVoice[] = [];
  for (const sound of sounds) {
    const { bytes, name, optional, transform } = sound;
    if (transform.volume === 0 || (optional && mediaTypeOf(bytes) === 'gif')) continue;
    if (!optional) await checkSound(bytes, name);
    const source = await openSound(bytes, name);
    if (source === undefined) continue;
    try {
      if (optional) await checkSound(bytes, name, MAX_CLIP_BYTES);
    } catch (error) {
      source.close();
      throw error;
    }
    voices.push(new SoundVoice(source, sound, total));
  }
  return voices;
}

/** Yields the sum of all voices in blocks of `size` samples; the last block may be shorter. */
async function* mix(voices: readonly SoundVoice[], total: number, size: number): AsyncGenerator<Stereo> {
  const limiter = new PeakLimiter();
  let pending = silence(0);
  let remaining = total;
  // The limiter delays its output, so its first samples are dropped.
  let toDrop = PeakLimiter.delay;
  for (let at = 0; remaining > 0; at += size) {
    const block = silence(size);
    for (const voice of voices) await voice.addTo(block, at);
    limiter.process(block.left, block.right);
    const dropped = Math.min(toDrop, size);
    toDrop -= dropped;
    pending = joined(pending, block, dropped);
    const count = Math.min(size, remaining);
    if (pending.left.length < count) continue;
    yield { left: pending.left.slice(0, count), right: pending.right.slice(0, count) };
    pending = { left: pending.left.slice(count), right: pending.right.slice(count) };
    remaining -= count;
  }
}

/** Samples between detecting a peak and reaching it: 5 ms at 48 kHz. */
const LOOK_AHEAD = 240;
/** Share of the remaining way to full gain that is recovered per sample: nine tenths in about 100 ms. */
const RELEASE = 0.00048;

/**
 * Limits sound to -1..1: attenuates smoothly from 5 ms before a peak and recovers within a tenth of a second. Sound within the
 * range is unchanged. The output is delayed by 240 samples.
 */
export class PeakLimiter {
  static readonly delay = LOOK_AHEAD;
  /** Ring of the last samples of each channel. */
  readonly #left = new Float32Array(LOOK_AHEAD);
  readonly #right = new Float32Array(LOOK_AHEAD);
  #slot = 0;
  #gain = 1;
  /** Gain to reach, and its decrease per sample until then. */
  #target = 1;
  #fall = 0;
  /** Samples until the gain may rise again. */
  #hold = 0;

  /** Replaces the samples with the limited samples from 240 earlier. */
  process(left: Float32Array, right: Float32Array): void {
    for (let at = 0; at < left.length; at++) {
      const [leftSample, rightSample] = [clean(left[at]!), clean(right[at]!)];
      const peak = Math.max(Math.abs(leftSample), Math.abs(rightSample));
      if (peak > 1) this.#lowerTo(1 / peak);
      if (this.#gain > this.#target) this.#gain = Math.max(this.#target, this.#gain - this.#fall);
      if (this.#hold > 0) this.#hold -= 1;
      else {
        this.#target = 1;
        this.#fall = 0;
        this.#gain += (1 - this.#gain) * RELEASE;
      }
      if (this.#gain > 0.99999 && this.#target === 1) this.#gain = 1;
      left[at] = clamp(this.#left[this.#slot]! * this.#gain);
      right[at] = clamp(this.#right[this.#slot]! * this.#gain);
      this.#left[this.#slot] = leftSample;
      this.#right[this.#slot] = rightSample;
      this.#slot = (this.#slot + 1) % LOOK_AHEAD;
    }
  }

  #lowerTo(gain: number): void {
    this.#hold = LOOK_AHEAD + 1;
    this.#target = Math.min(this.#target, gain);
    this.#fall = Math.max(this.#fall, (this.#gain - gain) / LOOK_AHEAD);
  }
}

/** Replaces NaN and infinity, which damaged files may contain, with silence. */
function clean(value: number): number {
  return Number.isFinite(value) ? value : 0;
}

function clamp(value: number): number {
  return Math.max(-1, Math.min(1, value));
}

/** Loops of up to this many samples (30 s) are kept in memory instead of being decoded again. */
const MAX_KEPT_SAMPLES = 30 * MIX_RATE;

/** A sound of the mix, trimmed and repeated, with its volume and fades. Times are in samples at 48 kHz. */
class SoundVoice {
  readonly #source: OpenSound;
  readonly #trimSeconds: number;
  readonly #isLooped: boolean;
  readonly #volume: number;
  readonly #fadeIn: number;
  readonly #fadeOut: number;
  /** End and length of the fade before `endSeconds`. */
  readonly #endFade: { readonly to: number; readonly length: number };
  /** Audible range in samples of the video. */
  readonly #from: number;
  readonly #to: number;
  #samples: AsyncGenerator<Stereo>;
  #block: Stereo | undefined;
  #blockAt = 0;
  /** Decoded blocks of the loop so far; empty if the loop is too long. */
  #kept: Stereo[] = [];
  #keptSamples = 0;
  #isOver = false;

  /** @param total samples of the video */
  constructor(
    source: OpenSound,
    { transform, startSeconds, endSeconds, endFadeSeconds = 0 }: InputSound,
    total: number,
  ) {
    const { trim_start_time, volume, fade_in, fade_out, loop } = { ...TRANSFORM_DEFAULTS.audio, ...transform };
    this.#source = source;
    this.#trimSeconds = trim_start_time;
    this.#isLooped = loop;
    this.#volume = volume;
    this.#fadeIn = fade_in * MIX_RATE;
    this.#fadeOut = fade_out * MIX_RATE;
    this.#from = Math.max(0, Math.round(startSeconds * MIX_RATE));
    this.#endFade = { to: Math.round(endSeconds * MIX_RATE), length: endFadeSeconds * MIX_RATE };
    const requestedEnd = Math.min(total, Math.round(endSeconds * MIX_RATE));
    const length = Math.round((source.durationSeconds - trim_start_time) * MIX_RATE);
    this.#to = loop ? requestedEnd : Math.min(requestedEnd, this.#from + Math.max(0, length));
    this.#samples = source.samples(trim_start_time);
  }

  /** Adds the sound to a block that starts at sample `at` of the video. Call it in order, without gaps. */
  async addTo(mix: Stereo, at: number): Promise<void> {
    const end = Math.min(this.#to, at + mix.left.length);
    for (let position = Math.max(this.#from, at); position < end && !this.#isOver; ) {
      const block = await this.#next();
      if (block === undefined) {
        this.#isOver = true;
        break;
      }
      const count = Math.min(end - position, block.left.length - this.#blockAt);
      for (let index = 0; index < count; index++) {
        const gain = this.#gainAt(position + index);
        mix.left[position - at + index]! += block.left[this.#blockAt + index]! * gain;
        mix.right[position - at + index]! += block.right[this.#blockAt + index]! * gain;
      }
      position += count;
      this.#blockAt += count;
    }
  }

  async close(): Promise<void> {
    await this.#samples.return(undefined);
    this.#source.close();
  }

  #gainAt(position: number): number {
    const rise = this.#fadeIn > 0 ? Math.min(1, (position - this.#from) / this.#fadeIn) : 1;
    const fall = this.#fadeOut > 0 ? Math.min(1, (this.#to - position) / this.#fadeOut) : 1;
    const { to, length } = this.#endFade;
    const end = length > 0 ? Math.min(1, (to - position) / length) : 1;
    return this.#volume * rise * fall * end;
  }

  /** Returns the block with the next samples; undefined at the end. */
  async #next(): Promise<Stereo | undefined> {
    while (this.#block === undefined || this.#blockAt >= this.#block.left.length) {
      const { value, done } = await this.#samples.next();
      if (done === true) {
        if (!this.#isLooped || this.#keptSamples === 0) return undefined;
        this.#samples = this.#restart();
        continue;
      }
      this.#block = value;
      this.#blockAt = 0;
      if (this.#isLooped) this.#keep(value);
    }
    return this.#block;
  }

  #keep(block: Stereo): void {
    this.#keptSamples += block.left.length;
    if (this.#keptSamples <= MAX_KEPT_SAMPLES) this.#kept.push(block);
    else this.#kept = [];
  }

  #restart(): AsyncGenerator<Stereo> {
    const kept = this.#kept;
    if (this.#keptSamples > MAX_KEPT_SAMPLES) return this.#source.samples(this.#trimSeconds);
    [this.#kept, this.#keptSamples] = [[], 0];
    return (async function* () {
      yield* kept;
    })();
  }
}
