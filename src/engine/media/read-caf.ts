import type { ByteView } from '../../kernel/byte-view.ts';
import {
  type CodedSound,
  codedTrack,
  damaged,
  MAX_PACKETS,
  type PacketTrack,
  pcmTrack,
  unsupportedSound,
} from './packet-track.ts';
import { ALAC_BYTES, alacTrack } from './sound-track.ts';

/** Limit for chunks; real files have about ten. */
const MAX_CHUNKS = 10_000;
const DESCRIPTION_BYTES = 32;
/** Limit for the configuration of a codec; real files have about a hundred bytes. */
const MAX_COOKIE_BYTES = 1_000_000;
/** AAC and Apple Lossless use 1024 to 4096. */
const MAX_PACKET_SAMPLES = 16_384;
const NAMES: Readonly<Record<string, string>> = { ima4: 'IMA 4:1', '.mp3': 'MP3', opus: 'Opus', flac: 'FLAC' };

interface Description {
  readonly sampleRate: number;
  readonly format: string;
  readonly flags: number;
  readonly packetBytes: number;
  readonly packetSamples: number;
  readonly channels: number;
  readonly bits: number;
}

/** Sizes of the packets, and the samples that are sound. */
interface PacketTable {
  readonly count: number;
  readonly validSamples: number;
  readonly primingSamples: number;
  /** Sizes as integers of variable length. */
  readonly sizes: ByteView;
}

/**
 * Reads the structure of a Core Audio file with uncompressed sound, Apple Lossless or AAC. A file that ends early is accepted.
 *
 * @throws RenderError asset_decode_failed, asset_type_unsupported
 * @see Apple Core Audio Format Specification 1.0
 */
export function readCaf(file: ByteView, name: string): PacketTrack {
  const chunks = new Map<string, ByteView>();
  for (let at = 8, count = 0; at + 12 <= file.length; count++) {
    if (count > MAX_CHUNKS) return damaged('it has too many chunks', name);
    const type = file.toString('latin1', at, at + 4);
    const size = Number(file.readBigInt64BE(at + 4));
    // The samples of a file that was not closed extend to its end.
    const end = type === 'data' && size === -1 ? file.length : at + 12 + size;
    if (end < at + 12) return damaged(`the chunk ${type} has no size`, name);
    if (!chunks.has(type)) chunks.set(type, file.subarray(at + 12, end));
    if (type === 'data') chunks.set('data size', file.subarray(at + 4, at + 12));
    at = end;
  }
  const description = readDescription(chunks.get('desc')?.bytes(0, DESCRIPTION_BYTES), name);
  const data = chunks.get('data')?.subarray(4);
  if (data === undefined) return damaged('it has no sound', name);
  const announcedBytes = Number(chunks.get('data size')!.readBigInt64BE(0)) - 4;
  if (description.format === 'lpcm' || description.format === 'ulaw' || description.format === 'alaw') {
    return uncompressed(description, { data, announcedBytes, name });
  }
  const coded = codedAs(description, chunks.get('kuki')?.bytes(0, MAX_COOKIE_BYTES), name);
  return compressed({ ...coded, data }, description, { table: readTable(chunks.get('pakt'), name), name });
}

function readDescription(body: Buffer | undefined, name: string): Description {
  if (body === undefined || body.length < DESCRIPTION_BYTES) return damaged('it does not describe its sound', name);
  const channels = body.readUInt32BE(24);
  if (channels < 1 || channels > 16) return damaged(`it has ${channels} channels`, name);
  const sampleRate = body.readDoubleBE(0);
  if (!(sampleRate >= 1 && sampleRate < 1e7)) return damaged('it has no sample rate', name);
  return {
    sampleRate,
    channels,
    format: body.toString('latin1', 8, 12),
    flags: body.readUInt32BE(12),
    packetBytes: body.readUInt32BE(16),
    packetSamples: body.readUInt32BE(20),
    bits: body.readUInt32BE(28),
  };
}

const IS_FLOAT = 1;
const IS_LITTLE_ENDIAN = 2;

function uncompressed(
  { format, flags, packetBytes, channels, bits, sampleRate }: Description,
  { data, announcedBytes, name }: { readonly data: ByteView; readonly announcedBytes: number; readonly name: string },
): PacketTrack {
  const isLinear = format === 'lpcm';
  const sampleBytes = isLinear ? packetBytes / channels : 1;
  const kind = (flags & IS_FLOAT) === 0 ? 's' : 'f';
  const sizes = kind === 's' ? [1, 2, 3, 4] : [4, 8];
  // Samples that fill only a part of their bytes may lie at the start or at the end of these bytes.
  if (isLinear && !(sizes.includes(sampleBytes) && Math.ceil(bits / 8) === sampleBytes)) {
    return unsupportedSound(`CAF with ${bits} bits in ${sampleBytes} bytes`, name);
  }
  const order = (flags & IS_LITTLE_ENDIAN) !== 0 || sampleBytes === 1 ? '' : 'be';
  const codec = isLinear ? `pcm-${kind}${sampleBytes * 8}${order}` : format;
  const announcedFrames = announcedBytes < 0 ? undefined : Math.floor(announcedBytes / (sampleBytes * channels));
  return pcmTrack({ codec, sampleRate, channels, data, sampleBytes, announcedFrames });
}

type Coded = Pick<CodedSound, 'codec' | 'description' | 'channels' | 'sampleRate'>;

function codedAs({ format, channels, sampleRate }: Description, cookie: Buffer | undefined, name: string): Coded {
  switch (format) {
    case 'alac': {
      const alac = alacTrack(cookie === undefined ? undefined : alacBox(cookie));
      return alac ?? damaged('the description of Apple Lossless is invalid', name);
    }
    case 'aac ':
    case 'aach':
    case 'aacp': {
      const description = cookie === undefined ? undefined : specificConfig(cookie);
      if (description === undefined) return damaged('the description of AAC is invalid', name);
      return { codec: 'aac', description, channels, sampleRate };
    }
    default:
      return unsupportedSound(`The codec ${NAMES[format] ?? format.trim()} in CAF`, name);
  }
}

/** Older files wrap the configuration in the boxes of QuickTime; newer files contain it alone. */
function alacBox(cookie: Buffer): Buffer {
  if (cookie.toString('latin1', 4, 8) === 'frma') return cookie.subarray(12);
  const header = Buffer.from([0, 0, 0, 12 + ALAC_BYTES, 0x61, 0x6c, 0x61, 0x63, 0, 0, 0, 0]);
  return Buffer.concat([header, cookie.subarray(0, ALAC_BYTES)]);
}

const ELEMENTARY_STREAM = 3;
const DECODER_CONFIG = 4;
const SPECIFIC_CONFIG = 5;

/** Returns the decoder's configuration from an elementary stream descriptor. @see ISO/IEC 14496-1, 7.2.6 */
function specificConfig(cookie: Buffer): Buffer | undefined {
  let at = cookie[0] === 0 ? 4 : 0;
  for (let depth = 0; depth < 3 && at + 2 <= cookie.length; depth++) {
    const tag = cookie[at];
    let size = 0;
    do {
      at += 1;
      size = size * 128 + ((cookie[at] ?? 0) & 0x7f);
    } while (((cookie[at] ?? 0) & 0x80) !== 0 && size < 1e6);
    at += 1;
    if (tag === SPECIFIC_CONFIG)
      return size >= 2 && at + size <= cookie.length ? cookie.subarray(at, at + size) : undefined;
    if (tag === ELEMENTARY_STREAM) at += 3;
    else if (tag === DECODER_CONFIG) at += 13;
    else return undefined;
  }
  return undefined;
}

function readTable(body: ByteView | undefined, name: string): PacketTable {
  if (body === undefined || body.length < 24) return damaged('it has no table of its packets', name);
  const count = Number(body.readBigInt64BE(0));
  if (!(count >= 0 && count <= MAX_PACKETS)) return damaged('it names too many packets', name);
  return {
    count,
    validSamples: Number(body.readBigInt64BE(8)),
    primingSamples: body.bytes(16, 20).readInt32BE(),
    sizes: body.subarray(24),
  };
}

function compressed(
  coded: Coded & { readonly data: ByteView },
  { packetBytes, packetSamples }: Description,
  { table, name }: { readonly table: PacketTable; readonly name: string },
): PacketTrack {
  if (packetSamples < 1 || packetSamples > MAX_PACKET_SAMPLES) {
    return unsupportedSound(`CAF with ${packetSamples} samples a packet`, name);
  }
  const { data, sampleRate } = coded;
  const [offsets, sizes]: [number[], number[]] = [[], []];
  let offset = 0;
  let read = 0;
  for (let packet = 0; packet < table.count; packet++) {
    let size = packetBytes;
    if (packetBytes === 0) [size, read] = variableInteger(table.sizes, read, name);
    if (offset + size > data.length) break;
    offsets.push(offset);
    sizes.push(size);
    offset += size;
  }
  const samples = table.primingSamples + table.validSamples;
  if (!(table.primingSamples >= 0 && table.validSamples >= 0 && samples <= table.count * packetSamples)) {
    return damaged('the table of its packets contradicts itself', name);
  }
  const endSeconds = Math.min(samples, sizes.length * packetSamples) / sampleRate;
  return codedTrack({
    ...coded,
    offsets,
    sizes,
    packetSamples,
    firstSeconds: table.primingSamples / sampleRate,
    endSeconds,
    announcedSeconds: sizes.length < table.count ? samples / sampleRate : undefined,
  });
}

/** Reads an integer of seven bits a byte, and returns it with the offset of the next integer. */
function variableInteger(bytes: ByteView, at: number, name: string): [value: number, next: number] {
  let value = 0;
  for (let index = at; index < Math.min(at + 5, bytes.length); index++) {
    value = value * 128 + (bytes.at(index)! & 0x7f);
    if ((bytes.at(index)! & 0x80) === 0) return [value, index + 1];
  }
  return damaged('the table of its packets ends early', name);
}
