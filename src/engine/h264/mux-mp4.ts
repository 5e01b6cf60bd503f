import {
  BufferTarget,
  EncodedAudioPacketSource,
  EncodedPacket,
  EncodedVideoPacketSource,
  Mp4OutputFormat,
  Output,
} from 'mediabunny';
import type { AudioTrack } from '../audio-track.ts';
import { frameTimeSeconds } from '../frame-rate.ts';
import type { EncodedTrack } from './encoder.ts';

const COLOUR = { primaries: 'bt709', transfer: 'bt709', matrix: 'bt709', fullRange: false } as const;

export interface MuxOptions {
  /** Null for a silent file. */
  readonly sound: AudioTrack | null;
  /** Kept as the file's comment; null for a file without any. */
  readonly fingerprint: string | null;
}

/**
 * The track as an MP4 file: index first (faststart), BT.709 in the `colr` box, every frame with its exact duration. The
 * same track gives the same bytes, since no time of creation is written.
 *
 * @see ISO/IEC 14496-12, 8.2.2, 8.3.2 and 8.4.2 for the times left zero, 12.1.5 for `colr`
 */
export async function muxMp4(track: EncodedTrack, { sound, fingerprint }: MuxOptions): Promise<Uint8Array> {
  const { rate, width, height } = track.format;
  const target = new BufferTarget();
  const output = new Output({ format: new Mp4OutputFormat({ fastStart: 'in-memory' }), target });
  const source = new EncodedVideoPacketSource('avc');
  output.addVideoTrack(source, { frameRate: rate.numerator / rate.denominator });
  const audio = sound === null ? null : new EncodedAudioPacketSource(sound.codec);
  if (audio !== null) output.addAudioTrack(audio);
  if (fingerprint !== null) output.setMetadataTags({ comment: fingerprint });
  await output.start();
  const codec = avcCodecString(track.configuration);
  const decoderConfig = {
    codec,
    codedWidth: width,
    codedHeight: height,
    description: track.configuration,
    colorSpace: COLOUR,
  };
  for (const { bytes, frame, isKey } of track.packets) {
    const time = frameTimeSeconds(rate, frame);
    const duration = frameTimeSeconds(rate, 1);
    await source.add(new EncodedPacket(bytes, isKey ? 'key' : 'delta', time, duration), { decoderConfig });
  }
  if (sound !== null) await addSound(audio!, sound);
  await output.finalize();
  const mp4 = Buffer.from(target.buffer!);
  clearTimes(mp4, 0, mp4.length);
  return mp4;
}

async function addSound(source: EncodedAudioPacketSource, sound: AudioTrack): Promise<void> {
  const { sampleRate, channels: numberOfChannels, configuration: description } = sound;
  const decoderConfig = { codec: 'mp4a.40.2', sampleRate, numberOfChannels, description };
  for (const { bytes, time, duration } of sound.packets) {
    await source.add(new EncodedPacket(bytes, 'key', time, duration), { decoderConfig });
  }
}

/** @see RFC 6381, section 3.3 */
function avcCodecString(configuration: Uint8Array): string {
  return `avc1.${Buffer.from(configuration.subarray(1, 4)).toString('hex')}`;
}

const CONTAINERS = new Set(['moov', 'trak', 'mdia']);
const TIMED = new Set(['mvhd', 'tkhd', 'mdhd']);

/** Zeroes creation and modification time, which come first in the three headers that have them. */
function clearTimes(bytes: Buffer, start: number, end: number): void {
  for (let at = start; at + 8 <= end; ) {
    const size = bytes.readUInt32BE(at);
    const type = bytes.toString('latin1', at + 4, at + 8);
    // The index comes before the media data, so a size of 0 or 1 (to the end, 64 bits) ends the search.
    if (size < 8) return;
    if (CONTAINERS.has(type)) clearTimes(bytes, at + 8, at + size);
    if (TIMED.has(type)) {
      const version = bytes.readUInt8(at + 8);
      bytes.fill(0, at + 12, at + 12 + (version === 1 ? 16 : 8));
    }
    at += size;
  }
}
