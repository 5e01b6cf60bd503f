import { frameRateOf } from '../../contract/timeline/frame-rate.ts';
import { TRANSFORM_DEFAULTS } from '../../contract/wire/defaults.ts';
import type { InputSound, VideoInput } from '../../template/render-input.ts';
import type { QuietSound, SoundOptions } from '../codec/encoded-track.ts';
import { MIX_RATE, type Stereo, silence } from '../codec/resampler.ts';
import { frameTimeSeconds } from '../frame-rate.ts';
import { DuckingCurve, type SpeechSpan } from '../sound/ducking.ts';
import { checkSound, MAX_CLIP_BYTES } from './check-media.ts';
import { mediaTypeOf } from './media-type.ts';
import { type OpenSound, openSound } from './open-sound.ts';
import { SoundVoice, speakingSounds } from './sound-voice.ts';

/** The sounds of a video, which a consumer mixes once and then closes. */
export interface Mix {
  /** Yields the sum of all sounds in blocks, each overwritten when the next is requested. Its peaks may exceed full scale. */
  blocks(options?: SoundOptions): AsyncGenerator<Stereo>;
  readonly tooQuiet: readonly QuietSound[];
  /** The sounds that are heard or that others are lowered under. A consumer reads either them or the blocks. */
  readonly voices: ReadonlyMap<InputSound, SoundVoice>;
  /** Samples of the video. */
  readonly total: number;
  close(): Promise<void>;
}

type MixedInput = Pick<VideoInput, 'sounds' | 'fps' | 'frameCount'>;

/**
 * Opens an input's sounds for a mix that is exactly as long as its video; null for a silent input. Sounds are decoded while mixing, so
 * that memory use does not depend on their length.
 *
 * @throws RenderError asset_type_unsupported, asset_decode_failed, asset_too_large with the sound's name
 */
export async function openMix({ sounds, fps, frameCount }: MixedInput): Promise<Mix | null> {
  const total = mixSamples({ fps, frameCount });
  const voices = new Map<InputSound, SoundVoice>();
  const close = async (): Promise<void> => {
    for (const voice of voices.values()) await voice.close();
  };
  try {
    await openVoices(sounds, total, voices);
    if (voices.size === 0) return null;
    await prepareVoices(sounds, voices);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    blocks: (options = {}) => observed(mixed([...voices.values()], total), total, options),
    tooQuiet: [...sounds.entries()].flatMap(([index, sound]) => {
      const loudness = voices.get(sound)?.missedLoudness;
      return loudness === undefined ? [] : [{ sound: index, loudness }];
    }),
    voices,
    total,
    close,
  };
}

/** Returns the samples of the sound of a video. */
export function mixSamples({ fps, frameCount }: Pick<VideoInput, 'fps' | 'frameCount'>): number {
  return Math.round(frameTimeSeconds(frameRateOf(fps), frameCount) * MIX_RATE);
}

/** @param voices receives the sounds that are heard, and those under which others are lowered */
async function openVoices(
  sounds: readonly InputSound[],
  total: number,
  voices: Map<InputSound, SoundVoice>,
): Promise<void> {
  const speaking = speakingSounds(sounds);
  for (const sound of sounds) {
    if (sound.transform.volume === 0 && !speaking.has(sound)) continue;
    const source = await openInputSound(sound);
    if (source !== undefined) voices.set(sound, new SoundVoice(source, sound, total));
  }
}

/**
 * Checks and opens a sound of an input; undefined for a clip without sound. The caller closes it.
 *
 * @throws RenderError as `openMix`
 */
export async function openInputSound({ bytes, name, optional }: InputSound): Promise<OpenSound | undefined> {
  if (optional && mediaTypeOf(bytes) === 'gif') return undefined;
  if (!optional) await checkSound(bytes, name);
  const source = await openSound(bytes, name);
  if (source === undefined || !optional) return source;
  try {
    await checkSound(bytes, name, MAX_CLIP_BYTES);
    return source;
  } catch (error) {
    source.close();
    throw error;
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

/** Samples that are mixed at once: a sixth of a second. */
const BLOCK = 8192;

/** Yields the sum of all voices in blocks, each of which is overwritten when the next is requested. */
async function* mixed(voices: readonly SoundVoice[], total: number): AsyncGenerator<Stereo> {
  const whole = silence(BLOCK);
  for (let at = 0; at < total; at += BLOCK) {
    const count = Math.min(BLOCK, total - at);
    const block = { left: whole.left.subarray(0, count).fill(0), right: whole.right.subarray(0, count).fill(0) };
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
