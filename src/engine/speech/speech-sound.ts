import { ReelformError } from '../../kernel/diagnostic.ts';
import { wrongKind } from '../../kernel/file-kind.ts';
import { encodeFlac, type PlainSound } from '../codec/flac-encoder.ts';
import { checkSound } from '../media/check-media.ts';
import { decodePackets } from '../media/decode-sound.ts';
import { mediaTypeOf } from '../media/media-type.ts';
import { openSoundTrack } from '../media/open-sound-track.ts';
import { RenderError } from '../render-error.ts';

/** A spoken text, as the repository stores it. */
export interface SpeechSound {
  readonly flac: Uint8Array;
  readonly seconds: number;
}

/** Highest absolute value of 16 bits. */
const FULL_SCALE = 32_768;

/**
 * Converts the WAV file of a voice to FLAC of 16 bits at the same rate. Reads sizes that were not known when a pipe was written.
 *
 * @throws ReelformError speech_failed for another file and for silence; encoder_missing
 */
export async function encodeSpeech(wave: Uint8Array): Promise<SpeechSound> {
  // Without the advice, which is about files of users.
  if (mediaTypeOf(wave) !== 'wav') throw wrong(wrongKind(wave, 'a WAV sound').split(';')[0]!);
  const sound = await decodeWave(wave);
  const seconds = sound.samples.length / sound.channels / sound.rate;
  if (sound.samples.every((sample) => sample === 0)) {
    throw wrong(sound.samples.length === 0 ? 'has no samples' : 'is silent');
  }
  return { flac: await encodeFlac(sound), seconds };
}

async function decodeWave(wave: Uint8Array): Promise<PlainSound> {
  const name = 'speech';
  try {
    const { channels } = await checkSound(wave, name);
    if (channels !== 1 && channels !== 2) throw wrong(`has ${channels} channels, not 1 or 2`);
    const open = (await openSoundTrack(wave, name))!;
    try {
      const blocks: Int16Array[] = [];
      const { track } = open;
      for await (const decoded of decodePackets(track, track.packets(0), name))
        blocks.push(interleave(decoded.channels));
      return { samples: joined(blocks), channels, rate: track.sampleRate };
    } finally {
      open.close();
    }
  } catch (error) {
    throw error instanceof RenderError ? wrong(`cannot be read: ${error.message}`, error) : error;
  }
}

function interleave(channels: readonly Float32Array[]): Int16Array {
  const count = channels[0]!.length;
  const samples = new Int16Array(count * channels.length);
  for (const [channel, values] of channels.entries()) {
    for (let at = 0; at < count; at++) {
      const value = Math.round(values[at]! * FULL_SCALE);
      samples[at * channels.length + channel] = Math.max(-FULL_SCALE, Math.min(FULL_SCALE - 1, value));
    }
  }
  return samples;
}

function joined(blocks: readonly Int16Array[]): Int16Array {
  const samples = new Int16Array(blocks.reduce((sum, block) => sum + block.length, 0));
  let at = 0;
  for (const block of blocks) {
    samples.set(block, at);
    at += block.length;
  }
  return samples;
}

function wrong(predicate: string, cause?: unknown): ReelformError {
  return new ReelformError('speech_failed', `The sound of the voice ${predicate}`, { cause });
}
