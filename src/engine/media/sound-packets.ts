import { type EncodedPacket, EncodedPacketSink, type InputAudioTrack } from 'mediabunny';
import { bytesOf } from '../codec/bytes-of.ts';
import { Decoder } from '../codec/decoder.ts';
import type { Libav, NativeFrame } from '../codec/libav.ts';
import { freeBuffers } from '../raster/free-buffers.ts';
import { decodePcm, isPcm } from './decode-pcm.ts';

/** Sound of one packet, or of several that were decoded together. */
export interface DecodedSound {
  /** One list for each channel; samples in -1..1. */
  readonly channels: readonly Float32Array[];
  readonly rate: number;
}

/**
 * Decodes a track from the packet that holds a time on, or some before it, since most codecs need a few to find their feet.
 *
 * @throws SceneError asset_type_unsupported, asset_decode_failed
 */
export async function* decodePackets(
  track: InputAudioTrack,
  first: EncodedPacket,
  name: string,
): AsyncGenerator<DecodedSound> {
  const codec = (await track.getCodec()) ?? '';
  const packets = new EncodedPacketSink(track).packets(first);
  if (isPcm(codec)) {
    const [rate, channels] = [await track.getSampleRate(), await track.getNumberOfChannels()];
    for await (const packet of packets) yield { channels: decodePcm(codec, packet.data, channels), rate };
    return;
  }
  const { description, sampleRate, numberOfChannels: channels } = (await track.getDecoderConfig())!;
  const ready: DecodedSound[] = [];
  const options = { codec, sampleRate, channels, kind: 'sound', name } as const;
  const decoder = await Decoder.open(
    { ...options, description: description === undefined ? undefined : bytesOf(description) },
    (frame, libav) => ready.push(samplesOf(frame, libav)),
  );
  try {
    let fed = 0;
    for await (const packet of packets) {
      await decoder.feed(packet.data, fed);
      // The first packet of Vorbis only prepares the second: what comes of it is silence, for the time of its own sound.
      if (codec === 'vorbis' && fed === 0) ready.splice(0, 1, silence(packet.duration, sampleRate, channels));
      freeBuffers(fed++);
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

/** The samples of a frame, of planes or interleaved. */
function samplesOf(frame: NativeFrame, libav: Libav): DecodedSound {
  const format = libav.avGetSampleFmtName(frame.format) ?? '';
  const [, kind, bits, planar] = /^(flt|dbl|s|u)(8|16|32)?(p?)$/.exec(format) ?? [];
  if (kind === undefined) throw new Error(`the sample format ${format} is not known`);
  const codec = kind === 'flt' ? 'pcm-f32' : kind === 'dbl' ? 'pcm-f64' : `pcm-${kind}${bits}`;
  const { channels: count, sampleRate: rate } = frame;
  const bytes = frame.toBuffer();
  if (planar !== 'p') return { channels: decodePcm(codec, bytes, count), rate };
  const size = bytes.length / count;
  const channels = Array.from({ length: count }, (_, channel) =>
    decodePcm(codec, bytes.subarray(channel * size, (channel + 1) * size), 1),
  );
  return { channels: channels.flat(), rate };
}
