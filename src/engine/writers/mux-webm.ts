import {
  BufferTarget,
  EncodedAudioPacketSource,
  EncodedPacket,
  EncodedVideoPacketSource,
  Output,
  WebMOutputFormat,
} from 'mediabunny';
import type { AudioTrack } from '../audio-track.ts';
import type { StreamPacket } from '../codec/video-stream.ts';
import { frameTimeSeconds } from '../frame-rate.ts';
import type { FrameFormat } from '../h264/encoder.ts';
import { vp9Codec } from './vp9-stream.ts';

export interface WebmParts {
  readonly format: FrameFormat;
  readonly color: readonly StreamPacket[];
  /** As many as of `color`; null for an opaque video. */
  readonly alpha: readonly StreamPacket[] | null;
  /** Opus; null for a silent file. */
  readonly sound: AudioTrack | null;
  /** Kept as the file's comment; null for none. */
  readonly fingerprint: string | null;
}

const COLOUR = { primaries: 'bt709', transfer: 'bt709', matrix: 'bt709', fullRange: false } as const;

/**
 * The streams as a WebM file; the same ones give the same bytes. Alpha lies beside each frame (BlockAdditional 1).
 *
 * @see RFC 9559; WebM Container Guidelines, "Alpha Channel"
 */
export async function muxWebm({ format, color, alpha, sound, fingerprint }: WebmParts): Promise<Uint8Array> {
  const { rate, width, height } = format;
  const target = new BufferTarget();
  const output = new Output({ format: new WebMOutputFormat(), target });
  const video = new EncodedVideoPacketSource('vp9');
  const frameRate = rate.numerator / rate.denominator;
  output.addVideoTrack(video, { frameRate, canBeTransparent: alpha !== null });
  const audio = sound === null ? null : new EncodedAudioPacketSource(sound.codec);
  if (audio !== null) output.addAudioTrack(audio);
  if (fingerprint !== null) output.setMetadataTags({ comment: fingerprint });
  await output.start();
  const decoderConfig = { codec: vp9Codec(format), codedWidth: width, codedHeight: height, colorSpace: COLOUR };
  const duration = frameTimeSeconds(rate, 1);
  for (const [frame, { bytes, isKey }] of color.entries()) {
    const beside = alpha?.[frame];
    // A player may begin where both streams do.
    const type = isKey && beside?.isKey !== false ? 'key' : 'delta';
    const sideData = beside === undefined ? {} : { alpha: beside.bytes };
    const packet = new EncodedPacket(bytes, type, frameTimeSeconds(rate, frame), duration, -1, undefined, sideData);
    await video.add(packet, { decoderConfig });
  }
  if (sound !== null) await addSound(audio!, sound);
  await output.finalize();
  return new Uint8Array(target.buffer!);
}

/** Times in WebM begin at 0, with what the encoder puts before the first sample: OpusHead says how much that is. */
async function addSound(source: EncodedAudioPacketSource, sound: AudioTrack): Promise<void> {
  const { sampleRate, channels: numberOfChannels, configuration: description, packets } = sound;
  const decoderConfig = { codec: 'opus', sampleRate, numberOfChannels, description };
  const before = Math.max(0, -(packets[0]?.time ?? 0));
  for (const { bytes, time, duration } of packets) {
    await source.add(new EncodedPacket(bytes, 'key', time + before, duration), { decoderConfig });
  }
}
