/** Types of ITU-T H.264, table 7-1. */
const SUPPLEMENTAL = 6;
/** @see ITU-T H.264, D.1.7 */
const UNREGISTERED_DATA = 5;

/**
 * A coded picture without what its encoder says about itself, which no decoder needs: x264 writes its build and all of its
 * settings into the first picture of every segment.
 *
 * @param packet NAL units, each after its length in four bytes
 */
export function withoutEncoderNotes(packet: Uint8Array): Uint8Array {
  const bytes = Buffer.from(packet.buffer, packet.byteOffset, packet.byteLength);
  const kept: Buffer[] = [];
  for (let at = 0; at + 5 < bytes.length; ) {
    const end = at + 4 + bytes.readUInt32BE(at);
    const isNote = (bytes[at + 4]! & 0x1f) === SUPPLEMENTAL && bytes[at + 5] === UNREGISTERED_DATA;
    if (!isNote) kept.push(bytes.subarray(at, end));
    at = end;
  }
  return kept.length === 1 && kept[0]!.length === packet.length ? packet : Buffer.concat(kept);
}
