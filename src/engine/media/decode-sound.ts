import { type EncodedPacket, EncodedPacketSink, type InputAudioTrack } from 'mediabunny';
import { Decoder } from '../codec/decoder.ts';
import type { Libav, NativeFrame } from '../codec/libav.ts';
import { freeBuffers } from '../raster/free-buffers.ts';
import { bytesOf } from './open-media.ts';

/** The samples of so many packets take less than two megabytes. */
const FREE_EVERY_PACKETS = 64;

/** Sound of one packet, or of several that were decoded together. */
interface DecodedSound {
  /** One list for each channel; samples in -1..1. */
  readonly channels: readonly Float32Array[];
  readonly rate: number;
}

/**
 * Decodes a track from a packet on. Most codecs need a few packets before their output is correct, so `first` should precede the
 * first sample used.
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
  if (planar !== 'p') return { channels: decodePcm(codec, bytes, count), rate };
  const size = bytes.length / count;
  const channels = Array.from({ length: count }, (_, channel) =>
    decodePcm(codec, bytes.subarray(channel * size, (channel + 1) * size), 1),
  );
  return { channels: channels.flat(), rate };
}

/** Uncompressed codecs as `mediabunny` names them. */
const PCM = /^pcm-([suf])(8|16|24|32|64)(be)?$/;

/** Returns whether a codec is uncompressed or G.711, which needs no decoder. */
export function isPcm(codec: string): boolean {
  return PCM.test(codec) || codec === 'ulaw' || codec === 'alaw';
}

/**
 * Converts uncompressed sound to one list of samples in -1..1 for each channel.
 *
 * @param codec for which `isPcm` returns true
 * @param bytes whole frames of interleaved samples; an incomplete frame at the end is ignored
 * @see ITU-T G.711 for `ulaw` and `alaw`
 */
function decodePcm(codec: string, bytes: Uint8Array, channels: number): Float32Array[] {
  const [, kind, bits = '8', bigEndian] = PCM.exec(codec) ?? [];
  const size = Number(bits) / 8;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isLittle = bigEndian === undefined;
  const sample = sampleReader(codec, `${kind ?? ''}${bits}`, view, isLittle);
  const frames = Math.floor(bytes.length / (size * channels));
  return Array.from({ length: channels }, (_, channel) =>
    Float32Array.from({ length: frames }, (_value, frame) => sample((frame * channels + channel) * size)),
  );
}

function sampleReader(codec: string, kind: string, view: DataView, isLittle: boolean): (at: number) => number {
  if (codec === 'ulaw') return (at) => fromUlaw(view.getUint8(at));
  if (codec === 'alaw') return (at) => fromAlaw(view.getUint8(at));
  switch (kind) {
    case 'u8':
      return (at) => (view.getUint8(at) - 128) / 128;
    case 's8':
      return (at) => view.getInt8(at) / 128;
    case 's16':
      return (at) => view.getInt16(at, isLittle) / 32_768;
    case 's24':
      return (at) => {
        const [low, high] = isLittle ? [at, at + 2] : [at + 2, at];
        return (view.getInt8(high) * 65_536 + view.getUint8(at + 1) * 256 + view.getUint8(low)) / 8_388_608;
      };
    case 's32':
      return (at) => view.getInt32(at, isLittle) / 2_147_483_648;
    case 'f32':
      return (at) => view.getFloat32(at, isLittle);
    default:
      return (at) => view.getFloat64(at, isLittle);
  }
}

function fromUlaw(code: number): number {
  const inverted = ~code & 0xff;
  const magnitude = (((inverted & 0x0f) << 3) + 0x84) << ((inverted & 0x70) >> 4);
  return ((inverted & 0x80) === 0 ? magnitude - 0x84 : 0x84 - magnitude) / 32_768;
}

function fromAlaw(code: number): number {
  const toggled = code ^ 0x55;
  const segment = (toggled & 0x70) >> 4;
  const base = ((toggled & 0x0f) << 4) + 8;
  const magnitude = segment === 0 ? base : (base + 0x100) << (segment - 1);
  return ((toggled & 0x80) === 0 ? -magnitude : magnitude) / 32_768;
}
