import type { VideoInput } from '../../template/render-input.ts';
import type { AudioCodec, AudioTrack, SoundOptions } from '../codec/encoded-track.ts';
import { encodeSound, PACKET_SAMPLES } from '../codec/sound-encoder.ts';
import { limited } from '../sound/limited-sound.ts';
import { PeakLimiter } from '../sound/peak-limiter.ts';
import { SoundFile } from '../sound/sound-file.ts';
import { encodeAtLoudness } from './encode-at-loudness.ts';
import { type Mix, openMix } from './mix-sounds.ts';

/**
 * Mixes and compresses an input's sounds, exactly as long as its video; null for a silent input. A limiter attenuates peaks above
 * full scale, or above the ceiling of the input's loudness.
 *
 * @param options the signal aborts the mix after the current block
 * @throws RenderError as `openMix`
 * @throws ReelformError encoder_missing
 * @throws the signal's reason
 */
export async function makeSound(
  renderInput: VideoInput,
  codec: AudioCodec,
  options: SoundOptions = {},
): Promise<AudioTrack | null> {
  const mix = await openMix(renderInput);
  if (mix === null) return null;
  try {
    const { tooQuiet } = mix;
    const track = await encodeMix(mix, renderInput, codec, options);
    return tooQuiet.length === 0 ? track : { ...track, tooQuiet };
  } finally {
    await mix.close();
  }
}

async function encodeMix(
  mix: Mix,
  { loudness, output: { quality } }: VideoInput,
  codec: AudioCodec,
  options: SoundOptions,
): Promise<AudioTrack> {
  const size = PACKET_SAMPLES[codec];
  const blocks = mix.blocks(options);
  if (loudness === undefined) return encodeSound(limited(blocks, new PeakLimiter(), size), codec, quality);
  const file = new SoundFile();
  try {
    for await (const block of blocks) await file.append(block);
    return await encodeAtLoudness(file, loudness, { codec, quality, signal: options.signal });
  } finally {
    file.close();
  }
}
