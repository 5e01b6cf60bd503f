import type { FrameRate } from '../frame-rate.ts';
import { BitReader, BitWriter } from './bit-string.ts';

/** Profiles whose sequence parameter set and configuration record carry chroma format and bit depth. */
const HIGH_PROFILES = new Set([100, 110, 122, 144]);
const BT709 = 1;
const UNSPECIFIED_FORMAT = 5;

/**
 * A decoder configuration that says BT.709, limited range, and the exact frame rate in the video stream itself: the
 * embedded encoder writes neither, and what stands in the MP4 alone is lost when the stream is copied elsewhere. Only the
 * sequence parameter set changes; a stream that is made differently from what that encoder makes is left as it is.
 *
 * @param configuration AVCDecoderConfigurationRecord with one sequence parameter set
 * @see ISO/IEC 14496-15, 5.3.3.1; ITU-T H.264, 7.3.2.1.1 and E.1.1
 */
export function describeColour(configuration: Uint8Array, rate: FrameRate): Uint8Array {
  const record = Buffer.from(configuration);
  const setCount = record.readUInt8(5) & 0x1f;
  const length = record.readUInt16BE(6);
  if (setCount !== 1) return configuration;
  const profile = record.readUInt8(1);
  const set = tryToDescribe(record.subarray(8, 8 + length), rate);
  if (set === undefined) return configuration;
  const setLength = Buffer.alloc(2);
  setLength.writeUInt16BE(set.length);
  const rest = record.subarray(8 + length);
  return Buffer.concat([record.subarray(0, 6), setLength, set, rest, highProfileFields(profile, rest)]);
}

/** 4:2:0 with 8 bits, where the profile asks for it and it is missing behind the picture parameter sets. */
function highProfileFields(profile: number, pictureSets: Buffer): Uint8Array {
  let end = 1;
  for (let count = pictureSets.readUInt8(0); count > 0; count--) end += 2 + pictureSets.readUInt16BE(end);
  return HIGH_PROFILES.has(profile) && end === pictureSets.length
    ? Buffer.from([0xfd, 0xf8, 0xf8, 0])
    : Buffer.alloc(0);
}

function tryToDescribe(nalUnit: Uint8Array, rate: FrameRate): Uint8Array | undefined {
  try {
    return describeSequence(nalUnit, rate);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The NAL unit with colour and timing set; undefined where its form is not the expected one. @throws RangeError */
function describeSequence(nalUnit: Uint8Array, rate: FrameRate): Uint8Array | undefined {
  const bytes = withoutEmulationPrevention(nalUnit);
  const reader = new BitReader(bytes);
  if (!skipToVui(reader)) return undefined;
  const writer = new BitWriter().copy(bytes, 0, reader.position);

  const aspectStart = reader.position;
  if (reader.flag() && reader.bits(8) === 255) reader.bits(32);
  if (reader.flag()) reader.flag(); // overscan
  writer.copy(bytes, aspectStart, reader.position);

  if (reader.flag()) {
    reader.bits(4);
    if (reader.flag()) reader.bits(24);
  }
  writer.bits(1, 1).bits(UNSPECIFIED_FORMAT, 3).bits(0, 1).bits(1, 1);
  writer.bits(BT709, 8).bits(BT709, 8).bits(BT709, 8);

  const locationStart = reader.position;
  if (reader.flag()) {
    reader.exponentialGolomb();
    reader.exponentialGolomb();
  }
  writer.copy(bytes, locationStart, reader.position);

  if (reader.flag()) reader.position += 65;
  // Two ticks a frame, and always the same: E.2.1, time_scale and fixed_frame_rate_flag.
  writer
    .bits(1, 1)
    .bits(rate.denominator, 32)
    .bits(rate.numerator * 2, 32)
    .bits(1, 1);
  writer.copy(bytes, reader.position, lastBit(bytes));
  return withEmulationPrevention(writer.withTrailingBits());
}

/** Reads up to the first bit of the video usability information; false where there is none or something unforeseen. */
function skipToVui(reader: BitReader): boolean {
  reader.bits(8); // NAL unit header
  const profile = reader.bits(8);
  reader.bits(16);
  reader.exponentialGolomb(); // seq_parameter_set_id
  if (HIGH_PROFILES.has(profile)) {
    if (reader.exponentialGolomb() !== 1) return false; // 4:2:0
    reader.exponentialGolomb();
    reader.exponentialGolomb();
    reader.flag();
    if (reader.flag()) return false; // scaling matrices
  }
  reader.exponentialGolomb(); // log2_max_frame_num_minus4
  const orderType = reader.exponentialGolomb();
  if (orderType === 1) return false;
  if (orderType === 0) reader.exponentialGolomb();
  reader.exponentialGolomb(); // max_num_ref_frames
  reader.flag();
  reader.exponentialGolomb(); // width and height in macroblocks
  reader.exponentialGolomb();
  if (!reader.flag()) return false; // interlaced
  reader.flag();
  if (reader.flag()) for (let side = 0; side < 4; side++) reader.exponentialGolomb();
  return reader.flag();
}

/** The position of the stop bit, where the payload ends. */
function lastBit(bytes: Uint8Array): number {
  const at = bytes.findLastIndex((byte) => byte !== 0);
  const zeros = 31 - Math.clz32(bytes[at]! & -bytes[at]!);
  return at * 8 + 7 - zeros;
}

/** @see ITU-T H.264, 7.4.1.1 */
function withoutEmulationPrevention(nalUnit: Uint8Array): Uint8Array {
  return nalUnit.filter((byte, at) => !(byte === 3 && at >= 2 && nalUnit[at - 1] === 0 && nalUnit[at - 2] === 0));
}

function withEmulationPrevention(bytes: Uint8Array): Uint8Array {
  const out: number[] = [];
  for (const byte of bytes) {
    if (byte <= 3 && out.at(-1) === 0 && out.at(-2) === 0) out.push(3);
    out.push(byte);
  }
  return Uint8Array.from(out);
}
