const HEADER_BYTES = 12;
/** Writers that cannot return to the header store 0 or nearly the maximum. */
const UNKNOWN_FROM = 0x7fff_0000;

/**
 * Completes the sizes in the header of a WAV that was written to a pipe: its sound reaches to the end of the file. A data chunk of
 * size 0 counts as unknown only if no other chunk can follow it.
 *
 * @returns the same bytes if the sizes are known or can be read as they are, otherwise a copy
 * @see https://www.mmsp.ece.mcgill.ca/Documents/AudioFormats/WAVE/WAVE.html
 */
export function withKnownSizes(bytes: Uint8Array): Uint8Array {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (file.length < HEADER_BYTES || file.toString('latin1', 0, 4) !== 'RIFF') return bytes;
  const riffSize = file.readUInt32LE(4);
  for (let at = HEADER_BYTES; at + 8 <= file.length; ) {
    const size = file.readUInt32LE(at + 4);
    const start = at + 8;
    if (file.toString('latin1', at, at + 4) === 'data') {
      const endsBefore = riffSize + 8 <= start || riffSize >= UNKNOWN_FROM;
      const isUnknown = endsBefore && (size === 0 || size >= UNKNOWN_FROM) && start < file.length;
      return isUnknown ? withSizes(file, at) : bytes;
    }
    at = start + size + (size % 2);
  }
  return bytes;
}

/** @param at position of the data chunk */
function withSizes(file: Buffer, at: number): Uint8Array {
  const complete = Buffer.from(file);
  complete.writeUInt32LE(file.length - 8, 4);
  complete.writeUInt32LE(file.length - at - 8, at + 4);
  return complete;
}
