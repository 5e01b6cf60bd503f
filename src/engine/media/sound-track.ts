import { EncodedPacketSink, type InputAudioTrack } from 'mediabunny';
import type { SourceBytes } from '../../kernel/source-file.ts';
import { isPcm } from './decode-pcm.ts';
import { mediaTypeOf } from './media-type.ts';
import { bytesOf, FLAC_PADDING_BYTES } from './open-media.ts';
import { sampleDescription } from './sample-description.ts';

/** Encoded sound of consecutive samples. */
export interface SoundPacket {
  readonly data: Uint8Array;
  /** Seconds of the file, as is `duration`. */
  readonly timestamp: number;
  readonly duration: number;
}

/** The sound of a file, read packet by packet. */
export interface SoundTrack {
  /** A codec of `Decoder`, or a codec for which `isPcm` returns true. */
  readonly codec: string;
  /** Codec configuration, if the codec needs it. */
  readonly description: Uint8Array | undefined;
  /** A `WAVEFORMATEX` structure, for codecs that need all of it. */
  readonly wave?: Uint8Array | undefined;
  readonly sampleRate: number;
  readonly channels: number;
  /** Start of the first and end of the last sample, in seconds of the file. */
  readonly firstSeconds: number;
  readonly endSeconds: number;
  /** Yields the packets from a time on; all packets if none covers that time. */
  packets(fromSeconds: number): AsyncGenerator<SoundPacket>;
}

/** Codecs that can be decoded, by the names of `mediabunny`. Uncompressed sound is accepted too. */
const CODECS: ReadonlySet<string | null> = new Set(['aac', 'mp3', 'opus', 'vorbis', 'flac', 'ac3', 'eac3']);

/**
 * Returns the sound of a file that `mediabunny` reads; undefined if its codec cannot be decoded.
 *
 * @param bytes of the file, which `openMedia` has accepted
 */
export async function containedTrack(track: InputAudioTrack, bytes: SourceBytes): Promise<SoundTrack | undefined> {
  const coded = await codedAs(track, bytes);
  if (coded === undefined) return undefined;
  const sink = new EncodedPacketSink(track);
  return {
    ...coded,
    firstSeconds: await track.getFirstTimestamp(),
    endSeconds: await track.computeDuration(),
    async *packets(fromSeconds) {
      const first = (await sink.getPacket(fromSeconds)) ?? (await sink.getFirstPacket());
      if (first === null) return;
      const packets = sink.packets(first);
      yield* mediaTypeOf(bytes) === 'flac' ? withoutPadding(packets) : packets;
    },
  };
}

/** Removes the bytes that `openMedia` adds to the end of a FLAC file. */
async function* withoutPadding(packets: AsyncIterable<SoundPacket>): AsyncGenerator<SoundPacket> {
  let last: SoundPacket | undefined;
  for await (const packet of packets) {
    if (last !== undefined) yield last;
    last = packet;
  }
  if (last === undefined) return;
  const { data, timestamp, duration } = last;
  yield { data: data.subarray(0, data.length - FLAC_PADDING_BYTES), timestamp, duration };
}

type Coded = Pick<SoundTrack, 'codec' | 'description' | 'sampleRate' | 'channels'>;

async function codedAs(track: InputAudioTrack, bytes: SourceBytes): Promise<Coded | undefined> {
  const codec = await track.getCodec();
  const shape = { sampleRate: await track.getSampleRate(), channels: await track.getNumberOfChannels() };
  if (codec === null && (await track.getInternalCodecId()) === 'alac') {
    const alac = alacTrack(sampleDescription(bytes, track.id)?.configuration);
    return alac === undefined ? undefined : { ...shape, ...alac };
  }
  const config = await track.getDecoderConfig();
  if (codec === null || config === null || !(CODECS.has(codec) || isPcm(codec))) return undefined;
  const { description } = config;
  return { codec, ...shape, description: description === undefined ? undefined : bytesOf(description) };
}

/** Size of the configuration in its box, and without the box's header and version. */
const ALAC_BOX_BYTES = 36;
export const ALAC_BYTES = 24;
/** The reference encoder uses 4096. */
const MAX_ALAC_FRAME = 16_384;

/**
 * Checks the configuration of Apple Lossless; undefined if it is invalid.
 *
 * @param box with its header; layouts of channels may follow
 * @see https://github.com/macosforge/alac/blob/master/ALACMagicCookieDescription.txt
 */
export function alacTrack(box: Uint8Array | undefined): Coded | undefined {
  if (box === undefined || box.length < ALAC_BOX_BYTES) return undefined;
  const config = Buffer.from(box.buffer, box.byteOffset + ALAC_BOX_BYTES - ALAC_BYTES, ALAC_BYTES);
  const [frameSamples, bits, channels, sampleRate] = [
    config.readUInt32BE(0),
    config.readUInt8(5),
    config.readUInt8(9),
    config.readUInt32BE(20),
  ];
  const isValid = frameSamples >= 1 && frameSamples <= MAX_ALAC_FRAME && channels >= 1 && channels <= 8;
  if (!isValid || ![16, 20, 24, 32].includes(bits)) return undefined;
  return { codec: 'alac', description: box.subarray(0, ALAC_BOX_BYTES), channels, sampleRate };
}
