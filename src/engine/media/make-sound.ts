import { frameRateOf } from '../../contract/timeline/frame-rate.ts';
import { TRANSFORM_DEFAULTS } from '../../contract/wire/defaults.ts';
import type { InputSound, VideoInput } from '../../template/render-input.ts';
import type { AudioCodec, AudioTrack, SoundOptions } from '../codec/encoded-track.ts';
import { MIX_RATE, type Stereo, silence } from '../codec/resampler.ts';
import { encodeSound, PACKET_SAMPLES } from '../codec/sound-encoder.ts';
import { frameTimeSeconds } from '../frame-rate.ts';
import { DuckingCurve, type SpeechSpan } from '../sound/ducking.ts';
import { limited } from '../sound/limited-sound.ts';
import { PeakLimiter } from '../sound/peak-limiter.ts';
import { SoundFile } from '../sound/sound-file.ts';
import { checkSound, MAX_CLIP_BYTES } from './check-media.ts';
import { encodeAtLoudness } from './encode-at-loudness.ts';
import { mediaTypeOf } from './media-type.ts';
import { openSound } from './open-sound.ts';
import { SoundVoice, speakingSounds } from './sound-voice.ts';

/**
 * Mixes and compresses an input's sounds, exactly as long as its video; null for a silent input. A limiter attenuates peaks above
 * full scale, or above the ceiling of the input's loudness. Sounds are decoded while mixing, so that memory use does not depend on
 * their length.
 *
 * @param options the signal aborts the mix after the current block
 * @throws RenderError asset_type_unsupported, asset_decode_failed, asset_too_large with the sound's name
 * @throws ReelformError encoder_missing
 * @throws the signal's reason
 */
export async function makeSound(
  renderInput: VideoInput,
  codec: AudioCodec,
  options: SoundOptions = {},
): Promise<AudioTrack | null> {
  const { sounds, loudness, output, fps, frameCount } = renderInput;
  const total = Math.round(frameTimeSeconds(frameRateOf(fps), frameCount) * MIX_RATE);
  const voices = new Map<InputSound, SoundVoice>();
  try {
    await openVoices(sounds, total, voices);
    if (voices.size === 0) return null;
    await prepareVoices(sounds, voices);
    const size = PACKET_SAMPLES[codec];
    const mix = observed(mixed([...voices.values()], total, size), total, options);
    if (loudness === undefined) return await encodeSound(limited(mix, new PeakLimiter(), size), codec, output.quality);
    const file = new SoundFile();
    try {
      for await (const block of mix) await file.append(block);
      return await encodeAtLoudness(file, loudness, { codec, quality: output.quality, signal: options.signal });
    } finally {
      file.close();
    }
  } finally {
    for (const voice of voices.values()) await voice.close();
  }
}

/** @param voices receives the sounds that are heard, and those under which others are lowered */
async function openVoices(
  sounds: readonly InputSound[],
  total: number,
  voices: Map<InputSound, SoundVoice>,
): Promise<void> {
  const speaking = speakingSounds(sounds);
  for (const sound of sounds) {
    const { bytes, name, optional, transform } = sound;
    if (transform.volume === 0 && !speaking.has(sound)) continue;
    if (optional && mediaTypeOf(bytes) === 'gif') continue;
    if (!optional) await checkSound(bytes, name);
    const source = await openSound(bytes, name);
    if (source === undefined) continue;
    try {
      if (optional) await checkSound(bytes, name, MAX_CLIP_BYTES);
    } catch (error) {
      source.close();
      throw error;
    }
    voices.set(sound, new SoundVoice(source, sound, total));
  }
}

/** Sets the levels of the voices, and lowers those that give way to speech. */
async function prepareVoices(
  sounds: readonly InputSound[],
  voices: ReadonlyMap<InputSound, SoundVoice>,
): Promise<void> {
  const speaking = speakingSounds(sounds);
  const speech = new Map<InputSound, SpeechSpan[]>();
  for (const [sound, voice] of voices) {
    if (sound.transform.level !== undefined || speaking.has(sound)) speech.set(sound, await voice.measure());
  }
  for (const [{ duckedBy, transform }, voice] of voices) {
    if (duckedBy === undefined) continue;
    const spans = duckedBy.flatMap((index) => speech.get(sounds[index]!) ?? []);
    voice.duck(new DuckingCurve(spans, { ...TRANSFORM_DEFAULTS.audio, ...transform }));
  }
}

/** Yields the sum of all voices in blocks of `size` samples; the last block may be shorter. */
async function* mixed(voices: readonly SoundVoice[], total: number, size: number): AsyncGenerator<Stereo> {
  for (let at = 0; at < total; at += size) {
    const block = silence(Math.min(size, total - at));
    for (const voice of voices) await voice.addTo(block, at);
    yield block;
  }
}

/** Passes the blocks on, reports each second, and stops when the signal aborts. */
async function* observed(
  blocks: AsyncIterable<Stereo>,
  total: number,
  { signal, onProgress }: SoundOptions,
): AsyncGenerator<Stereo> {
  const seconds = Math.ceil(total / MIX_RATE);
  let samples = 0;
  for await (const block of blocks) {
    yield block;
    signal?.throwIfAborted();
    const secondsBefore = Math.floor(samples / MIX_RATE);
    samples += block.left.length;
    if (Math.floor(samples / MIX_RATE) > secondsBefore) onProgress?.(Math.floor(samples / MIX_RATE), seconds);
  }
}
