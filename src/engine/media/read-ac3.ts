import type { ByteView } from '../../kernel/byte-view.ts';
import { codedTrack, damaged, MAX_PACKETS, type PacketTrack, unsupportedSound } from './packet-track.ts';

const SYNC = 0x0b77;
/** Longest header that is read. */
const HEADER_BYTES = 8;
const RATES = [48_000, 44_100, 32_000] as const;
/** Kilobits a second. @see ETSI TS 102 366, table 4.13 */
const BITRATES = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640] as const;
/** Full channels by `acmod`. @see ETSI TS 102 366, table 4.3 */
const CHANNELS = [2, 1, 2, 3, 3, 4, 4, 5] as const;
const BLOCK_SAMPLES = 256;

interface Frame {
  readonly codec: 'ac3' | 'eac3';
  readonly bytes: number;
  readonly samples: number;
  readonly sampleRate: number;
  readonly channels: number;
}

/**
 * Reads the frames of an AC-3 or E-AC-3 stream without a container. A stream that ends early is accepted; all frames must have
 * the same codec, rate and duration.
 *
 * @throws RenderError asset_decode_failed, asset_type_unsupported
 * @see ETSI TS 102 366, 4.3 (AC-3), E.1.2 (E-AC-3)
 */
export function readAc3(file: ByteView, name: string): PacketTrack {
  const [offsets, sizes]: [number[], number[]] = [[], []];
  let first: Frame | undefined;
  let isTruncated = false;
  for (let at = 0; at + HEADER_BYTES <= file.length; ) {
    const frame = readFrame(file.bytes(at, at + HEADER_BYTES), name);
    // Some writers fill the end with zeros.
    if (frame === undefined && first !== undefined && isZero(file, at)) break;
    if (frame === undefined) return damaged('there are other data between its frames', name);
    first ??= frame;
    if (frame.codec !== first.codec || frame.sampleRate !== first.sampleRate || frame.samples !== first.samples) {
      return unsupportedSound('AC-3 whose format changes', name);
    }
    isTruncated = at + frame.bytes > file.length;
    if (isTruncated) break;
    if (sizes.length >= MAX_PACKETS) return damaged('it has too many frames', name);
    offsets.push(at);
    sizes.push(frame.bytes);
    at += frame.bytes;
  }
  if (first === undefined || sizes.length === 0) return damaged('it has no whole frame', name);
  const { codec, samples: packetSamples, sampleRate, channels } = first;
  const endSeconds = (sizes.length * packetSamples) / sampleRate;
  return codedTrack({
    codec,
    sampleRate,
    channels,
    description: undefined,
    data: file,
    offsets,
    sizes,
    packetSamples,
    firstSeconds: 0,
    endSeconds,
    announcedSeconds: isTruncated ? endSeconds + packetSamples / sampleRate : undefined,
  });
}

/** Reads a frame header; undefined if it is none. */
function readFrame(header: Buffer, name: string): Frame | undefined {
  if (header.readUInt16BE(0) !== SYNC) return undefined;
  const version = header[5]! >> 3;
  if (version <= 8) return readAc3Frame(header);
  if (version > 10 && version <= 16) return readEac3Frame(header, name);
  return undefined;
}

function readAc3Frame(header: Buffer): Frame | undefined {
  const sampleRate = RATES[header[4]! >> 6];
  const code = header[4]! & 0x3f;
  const kilobits = BITRATES[code >> 1];
  if (sampleRate === undefined || kilobits === undefined) return undefined;
  // A frame has 1536 samples, in words of 16 bits; at 44.1 kHz, odd codes have a further word.
  const words = Math.floor((kilobits * 1000 * 1536) / (sampleRate * 16)) + (sampleRate === 44_100 ? code & 1 : 0);
  const mode = header[6]! >> 5;
  const levels = ((mode & 1) !== 0 && mode !== 1 ? 2 : 0) + ((mode & 4) !== 0 ? 2 : 0) + (mode === 2 ? 2 : 0);
  const hasLow = (header.readUInt16BE(6) >> (12 - levels)) & 1;
  return { codec: 'ac3', bytes: words * 2, samples: 6 * BLOCK_SAMPLES, sampleRate, channels: CHANNELS[mode]! + hasLow };
}

function readEac3Frame(header: Buffer, name: string): Frame | undefined {
  const isIndependent = header[2]! >> 6 !== 1 && ((header[2]! >> 3) & 7) === 0;
  if (!isIndependent) return unsupportedSound('E-AC-3 with several streams', name);
  const sampleRate = RATES[header[4]! >> 6];
  if (sampleRate === undefined) return unsupportedSound('E-AC-3 at a reduced sample rate', name);
  const blocks = [1, 2, 3, 6][(header[4]! >> 4) & 3]!;
  const bytes = ((header.readUInt16BE(2) & 0x7ff) + 1) * 2;
  const channels = CHANNELS[(header[4]! >> 1) & 7]! + (header[4]! & 1);
  return { codec: 'eac3', bytes, samples: blocks * BLOCK_SAMPLES, sampleRate, channels };
}

function isZero(file: ByteView, from: number): boolean {
  for (let at = from; at < file.length; at++) if (file.at(at) !== 0) return false;
  return true;
}
