import {
  BufferTarget,
  EncodedAudioPacketSource,
  EncodedPacket,
  EncodedVideoPacketSource,
  Mp4OutputFormat,
  Output,
} from 'mediabunny';
import type { OutputCodec } from '../../wire/output.ts';
import type { AudioTrack } from '../audio-track.ts';
import { frameTimeSeconds } from '../frame-rate.ts';
import type { EncodedTrack } from './encoder.ts';

const COLOUR = { primaries: 'bt709', transfer: 'bt709', matrix: 'bt709', fullRange: false } as const;

export interface MuxOptions {
  /** Null for a silent file. */
  readonly sound: AudioTrack | null;
  /** Kept as the file's comment; null for a file without any. */
  readonly fingerprint: string | null;
  /** Of the pictures; H.264 when absent. */
  readonly codec?: OutputCodec | undefined;
}

/**
 * The track as an MP4 file: index first (faststart), BT.709 in the `colr` box, every frame with its exact duration. The
 * same track gives the same bytes, since no time of creation is written.
 *
 * @see ISO/IEC 14496-12, 8.2.2, 8.3.2 and 8.4.2 for the times left zero, 12.1.5 for `colr`
 */
export async function muxMp4(
  track: EncodedTrack,
  { sound, fingerprint, codec = 'h264' }: MuxOptions,
): Promise<Uint8Array> {
  const { rate, width, height } = track.format;
  const target = new BufferTarget();
  const output = new Output({ format: new Mp4OutputFormat({ fastStart: 'in-memory' }), target });
  const source = new EncodedVideoPacketSource(codec === 'h264' ? 'avc' : codec);
  output.addVideoTrack(source, { frameRate: rate.numerator / rate.denominator });
  const audio = sound === null ? null : new EncodedAudioPacketSource(sound.codec);
  if (audio !== null) output.addAudioTrack(audio);
  if (fingerprint !== null) output.setMetadataTags({ comment: fingerprint });
  await output.start();
  const decoderConfig = {
    codec: codecString(codec, track.configuration),
    ...{ codedWidth: width, codedHeight: height, colorSpace: COLOUR },
    // The configuration of AV1 follows from its name.
    ...(codec === 'av1' ? {} : { description: track.configuration }),
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

/**
 * @see RFC 6381, section 3.3; ISO/IEC 14496-15, annex E; AV1 Codec ISO Media File Format Binding, section 5
 */
function codecString(codec: OutputCodec, configuration: Uint8Array): string {
  if (codec === 'h264') return `avc1.${Buffer.from(configuration.subarray(1, 4)).toString('hex')}`;
  // Main profile, which eight bits are; general_level_idc.
  if (codec === 'hevc') return `hvc1.1.6.L${configuration[12]}.90`;
  // A sequence header of one operating point, without timing: the level and the tier lie behind 24 bits.
  const [, size = 0, , , , levelByte = 0] = configuration;
  if (size < 4) throw new Error('Internal error: the sequence header is too short');
  const level = levelByte >> 3;
  const tier = level > 7 && (levelByte & 4) !== 0 ? 'H' : 'M';
  return `av01.0.${String(level).padStart(2, '0')}${tier}.08`;
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
