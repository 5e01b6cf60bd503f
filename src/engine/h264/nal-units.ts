/** Types of supplemental information, and of the parameter sets that the configuration has too. */
const TYPES = {
  /** @see ITU-T H.264, table 7-1 */
  h264: { typeOf: (byte: number) => byte & 0x1f, payloadAt: 1, supplemental: 6, sets: new Set([7, 8]) },
  /** @see ITU-T H.265, table 7-1 */
  hevc: { typeOf: (byte: number) => (byte >> 1) & 0x3f, payloadAt: 2, supplemental: 39, sets: new Set([32, 33, 34]) },
};
/** @see ITU-T H.264, D.1.7 */
const UNREGISTERED_DATA = 5;
const START_CODE = Buffer.of(0, 0, 1);

/**
 * Converts a coded picture from NAL units after start codes (Annex B) to NAL units after their length in four bytes, as MP4
 * has them. Drops parameter sets and the notes of an encoder about itself, which no decoder needs: x264 writes its build
 * and all of its settings into the first picture of every segment.
 *
 * @see ITU-T H.264, annex B; ISO/IEC 14496-15, 5.3
 */
export function toLengths(annexB: Uint8Array, codec: keyof typeof TYPES): Uint8Array {
  const { typeOf, payloadAt, supplemental, sets } = TYPES[codec];
  const kept: Uint8Array[] = [];
  for (const unit of splitUnits(annexB)) {
    const type = typeOf(unit[0]!);
    const isNote = type === supplemental && unit[payloadAt] === UNREGISTERED_DATA;
    if (isNote || sets.has(type)) continue;
    const length = Buffer.alloc(4);
    length.writeUInt32BE(unit.length);
    kept.push(length, unit);
  }
  return Buffer.concat(kept);
}

function splitUnits(annexB: Uint8Array): Uint8Array[] {
  const bytes = Buffer.from(annexB.buffer, annexB.byteOffset, annexB.byteLength);
  const units: Uint8Array[] = [];
  for (let at = bytes.indexOf(START_CODE); at !== -1; ) {
    const start = at + START_CODE.length;
    at = bytes.indexOf(START_CODE, start);
    // Zeros before a start code belong to it: a unit ends with a stop bit.
    let end = at === -1 ? bytes.length : at;
    while (end > start && bytes[end - 1] === 0) end -= 1;
    if (end > start) units.push(bytes.subarray(start, end));
  }
  return units;
}
