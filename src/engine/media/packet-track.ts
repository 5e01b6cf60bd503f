import type { ByteView } from '../../kernel/byte-view.ts';
import { RenderError } from '../render-error.ts';
import type { SoundPacket, SoundTrack } from './sound-track.ts';

/** The sound of a file that this folder reads itself. */
export interface PacketTrack extends SoundTrack {
  /** Announced length of a truncated file in seconds; undefined for a complete file. */
  readonly announcedSeconds: number | undefined;
}

/** @throws RenderError asset_decode_failed */
export function damaged(problem: string, imageName: string): never {
  throw new RenderError('asset_decode_failed', `The file is damaged: ${problem}`, { imageName });
}

/** @param codec with its container, as the subject of a sentence @throws RenderError asset_type_unsupported */
export function unsupportedSound(codec: string, imageName: string): never {
  const text = `${codec} is not supported; convert it to MP3, WAV, or AAC in M4A`;
  throw new RenderError('asset_type_unsupported', text, { imageName });
}

/** Frames of uncompressed sound in a packet. */
const PCM_PACKET_FRAMES = 4096;

interface PcmSound extends Pick<SoundTrack, 'codec' | 'sampleRate' | 'channels'> {
  /** Interleaved samples; an incomplete frame at the end is ignored. */
  readonly data: ByteView;
  readonly sampleBytes: number;
  /** Frames that the file declares; undefined if it declares none. */
  readonly announcedFrames: number | undefined;
}

/** Returns a track of uncompressed sound. */
export function pcmTrack(sound: PcmSound): PacketTrack {
  const { codec, sampleRate, channels, data, sampleBytes, announcedFrames } = sound;
  const frameBytes = sampleBytes * channels;
  const presentFrames = Math.floor(data.length / frameBytes);
  const frames = Math.min(presentFrames, announcedFrames ?? Infinity);
  const isTruncated = announcedFrames !== undefined && announcedFrames > presentFrames;
  return {
    codec,
    sampleRate,
    channels,
    description: undefined,
    firstSeconds: 0,
    endSeconds: frames / sampleRate,
    announcedSeconds: isTruncated ? announcedFrames / sampleRate : undefined,
    async *packets(fromSeconds) {
      const first = Math.max(0, Math.floor((fromSeconds * sampleRate) / PCM_PACKET_FRAMES)) * PCM_PACKET_FRAMES;
      for (let at = first; at < frames; at += PCM_PACKET_FRAMES) {
        const count = Math.min(PCM_PACKET_FRAMES, frames - at);
        const packet = data.bytes(at * frameBytes, (at + count) * frameBytes);
        yield { data: packet, timestamp: at / sampleRate, duration: count / sampleRate };
      }
    },
  };
}

/** Limit for the packets of a file: six hours at 180 a second. */
export const MAX_PACKETS = 4_000_000;

export interface CodedSound
  extends Pick<SoundTrack, 'codec' | 'description' | 'sampleRate' | 'channels' | 'firstSeconds'> {
  /** Offset and size of packet `index` in `data`. */
  readonly offsets: ArrayLike<number>;
  readonly sizes: ArrayLike<number>;
  readonly data: ByteView;
  /** Samples of a channel in each packet. */
  readonly packetSamples: number;
  readonly endSeconds: number;
  readonly announcedSeconds: number | undefined;
}

/** Returns a track of compressed packets of equal duration. */
export function codedTrack({ offsets, sizes, data, packetSamples, ...track }: CodedSound): PacketTrack {
  const seconds = packetSamples / track.sampleRate;
  return {
    ...track,
    async *packets(fromSeconds): AsyncGenerator<SoundPacket> {
      const first = Math.max(0, Math.min(sizes.length - 1, Math.floor(fromSeconds / seconds)));
      for (let index = first; index < sizes.length; index++) {
        const start = offsets[index]!;
        yield { data: data.bytes(start, start + sizes[index]!), timestamp: index * seconds, duration: seconds };
      }
    },
  };
}

interface ObjectSound extends Pick<SoundTrack, 'codec' | 'description' | 'sampleRate' | 'channels' | 'wave'> {
  /** The objects, one after the other. */
  readonly objects: () => Iterable<Uint8Array>;
  readonly endSeconds: number;
  readonly announcedSeconds: number | undefined;
}

/** Returns a track of packets of unknown duration, which is always read from its beginning. */
export function objectTrack({ objects, ...track }: ObjectSound): PacketTrack {
  return {
    ...track,
    firstSeconds: 0,
    async *packets(): AsyncGenerator<SoundPacket> {
      for (const data of objects()) yield { data, timestamp: 0, duration: 0 };
    },
  };
}
