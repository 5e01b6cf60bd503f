import { Decoder } from '../codec/decoder.ts';
import type { Libav, NativeFrame } from '../codec/libav.ts';
import { freeBuffers } from '../free-buffers.ts';
import { decodePcm, isPcm } from './decode-pcm.ts';
import type { SoundPacket, SoundTrack } from './sound-track.ts';

/** The samples of so many packets take less than two megabytes. */
const FREE_EVERY_PACKETS = 64;

/** Sound of a packet, or of several that were decoded together. */
export interface DecodedSound {
  /** A list for each channel; samples in -1..1. */
  readonly channels: readonly Float32Array[];
  readonly rate: number;
  /** A bit for each channel, as in FFmpeg's layouts; undefined if the file does not declare them. */
  readonly speakers?: number | undefined;
}

type DecodableTrack = Pick<SoundTrack, 'codec' | 'description' | 'wave' | 'sampleRate' | 'channels'>;

/**
 * Decodes packets of a track. Most codecs need a few packets before their output is correct, so the first packet should precede the
 * first sample used. A piece may be overwritten when the next is requested.
 *
 * @throws RenderError asset_type_unsupported, asset_decode_failed
 */
export async function* decodePackets(
  { codec, description, wave, sampleRate, channels }: DecodableTrack,
  packets: AsyncIterable<SoundPacket>,
  name: string,
): AsyncGenerator<DecodedSound> {
  if (isPcm(codec)) {
    let decoded: Float32Array[] = [];
    for await (const packet of packets) {
      decoded = decodePcm(codec, packet.data, channels, decoded);
      yield { channels: decoded, rate: sampleRate };
    }
    return;
  }
  const ready: DecodedSound[] = [];
  const decoder = await Decoder.open(
    { codec, description, wave, sampleRate, channels, kind: 'sound', name },
    (frame, libav) => ready.push(samplesOf(frame, libav)),
  );
  try {
    let fed = 0;
    for await (const packet of packets) {
      await decoder.feed(packet.data, fed);
      // The first packet of Vorbis only prepares the second: it decodes to silence of its own duration.
      if (codec === 'vorbis' && fed === 0) ready.splice(0, 1, silence(packet.duration, sampleRate, channels));
      if (fed % FREE_EVERY_PACKETS === 0) freeBuffers();
      fed += 1;
      yield* ready.splice(0);
    }
    await decoder.flush();
    yield* ready.splice(0);
  } finally {
    decoder.close();
  }
}

function silence(seconds: number, rate: number, channels: number): DecodedSound {
  const samples = new Float32Array(Math.round(seconds * rate));
  return { channels: Array.from({ length: channels }, () => samples), rate };
}

/** Converts a decoded frame, planar or interleaved. */
function samplesOf(frame: NativeFrame, libav: Libav): DecodedSound {
  const format = libav.avGetSampleFmtName(frame.format) ?? '';
  const [, kind, bits, planar] = /^(flt|dbl|s|u)(8|16|32)?(p?)$/.exec(format) ?? [];
  if (kind === undefined) throw new Error(`the sample format ${format} is not known`);
  const codec = kind === 'flt' ? 'pcm-f32' : kind === 'dbl' ? 'pcm-f64' : `pcm-${kind}${bits}`;
  const { channels: count, sampleRate: rate } = frame;
  const bytes = frame.toBuffer();
  const { order, mask } = frame.channelLayout;
  const speakers = order === 1 ? Number(mask & 0xffffffffn) : undefined;
  if (planar !== 'p') return { channels: decodePcm(codec, bytes, count), rate, speakers };
  const size = bytes.length / count;
  const channels = Array.from({ length: count }, (_, channel) =>
    decodePcm(codec, bytes.subarray(channel * size, (channel + 1) * size), 1),
  );
  return { channels: channels.flat(), rate, speakers };
}
