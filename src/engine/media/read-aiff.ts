import type { ByteView } from '../../kernel/byte-view.ts';
import { damaged, type PacketTrack, pcmTrack, unsupportedSound } from './packet-track.ts';

/** Bytes of the description that are read. */
const COMMON_BYTES = 22;
/** Limit for chunks; real files have about ten. */
const MAX_CHUNKS = 10_000;

/** Codecs by the compression of AIFF-C, without the number of bits; `bits` if it does not follow from the file. */
const COMPRESSIONS: Readonly<Record<string, { readonly codec: string; readonly bits?: number }>> = {
  NONE: { codec: 'pcm-sbe' },
  twos: { codec: 'pcm-sbe' },
  sowt: { codec: 'pcm-s' },
  in24: { codec: 'pcm-sbe', bits: 24 },
  in32: { codec: 'pcm-sbe', bits: 32 },
  'raw ': { codec: 'pcm-u', bits: 8 },
  fl32: { codec: 'pcm-fbe', bits: 32 },
  FL32: { codec: 'pcm-fbe', bits: 32 },
  fl64: { codec: 'pcm-fbe', bits: 64 },
  FL64: { codec: 'pcm-fbe', bits: 64 },
  ulaw: { codec: 'ulaw', bits: 8 },
  ULAW: { codec: 'ulaw', bits: 8 },
  alaw: { codec: 'alaw', bits: 8 },
  ALAW: { codec: 'alaw', bits: 8 },
};

interface CommonChunk {
  readonly channels: number;
  readonly frames: number;
  readonly bits: number;
  readonly sampleRate: number;
  readonly compression: string;
}

/**
 * Reads the structure of an AIFF or AIFF-C with uncompressed sound. A file that ends early is accepted. Allocates nothing.
 *
 * @throws RenderError asset_decode_failed, asset_type_unsupported
 * @see Audio Interchange File Format 1.3; AIFF-C draft of 1991-08-26
 */
export function readAiff(file: ByteView, name: string): PacketTrack {
  let common: CommonChunk | undefined;
  let data: ByteView | undefined;
  let chunks = 0;
  for (let at = 12; at + 8 <= file.length && (common === undefined || data === undefined); ) {
    chunks += 1;
    if (chunks > MAX_CHUNKS) damaged('it has too many chunks', name);
    const type = file.toString('latin1', at, at + 4);
    const size = file.readUInt32BE(at + 4);
    const body = file.subarray(at + 8, at + 8 + size);
    if (type === 'COMM') common = readCommon(body.bytes(0, COMMON_BYTES), name);
    if (type === 'SSND') data = readData(body, name);
    at += 8 + size + (size % 2);
  }
  if (common === undefined) return damaged('it does not describe its sound', name);
  if (data === undefined) return damaged('it has no sound', name);
  return trackOf(common, data, name);
}

function readCommon(body: Buffer, name: string): CommonChunk {
  if (body.length < 18) return damaged('the description of its sound ends early', name);
  return {
    channels: body.readUInt16BE(0),
    frames: body.readUInt32BE(2),
    bits: body.readUInt16BE(6),
    sampleRate: readExtended(body.subarray(8, 18)),
    compression: body.length >= 22 ? body.toString('latin1', 18, 22) : 'NONE',
  };
}

/** Reads an 80-bit floating-point number. @see IEEE 754, extended precision */
function readExtended(bytes: Buffer): number {
  const exponent = bytes.readUInt16BE(0) & 0x7fff;
  const mantissa = bytes.readUInt32BE(2) + bytes.readUInt32BE(6) / 2 ** 32;
  return mantissa * 2 ** (exponent - 16_383 - 31);
}

/** The samples follow a gap that aligns them to blocks. */
function readData(body: ByteView, name: string): ByteView {
  if (body.length < 8) return damaged('it has no sound', name);
  return body.subarray(8 + body.readUInt32BE(0));
}

function trackOf({ channels, frames, bits, sampleRate, compression }: CommonChunk, data: ByteView, name: string) {
  const sample = COMPRESSIONS[compression];
  if (sample === undefined) return unsupportedSound(`The compression ${compression.trim()} of the AIFF-C file`, name);
  // Samples of 12 bits fill the upper bits of 16, and so on.
  const sampleBytes = Math.ceil((sample.bits ?? bits) / 8);
  if (channels < 1 || channels > 16) return damaged(`it has ${channels} channels`, name);
  if (sampleBytes < 1 || sampleBytes > 8) return unsupportedSound(`AIFF with ${bits} bits a sample`, name);
  if (!(sampleRate >= 1)) return damaged('it has no sample rate', name);
  const codec = sample.codec.replace(/^pcm-([suf])/, `pcm-$1${sampleBytes * 8}`).replace('8be', '8');
  return pcmTrack({ codec, sampleRate, channels, data, sampleBytes, announcedFrames: frames });
}
