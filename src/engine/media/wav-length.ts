/** What is written where the length was not known when the file was begun: 0, or nearly all that fits. */
const UNKNOWN_FROM = 0x7fff_0000;

/**
 * Seconds of sound that the header of a WAV announces; null where it does not say, or this is none.
 *
 * @see https://www.mmsp.ece.mcgill.ca/Documents/AudioFormats/WAVE/WAVE.html (`fmt `, `data`)
 */
export function wavLength(bytes: Uint8Array): number | null {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (file.toString('latin1', 0, 4) !== 'RIFF') return null;
  let bytesPerSecond = 0;
  for (let at = 12; at + 8 <= file.length; ) {
    const type = file.toString('latin1', at, at + 4);
    const size = file.readUInt32LE(at + 4);
    if (type === 'data') {
      const isKnown = size > 0 && size < UNKNOWN_FROM && bytesPerSecond > 0;
      return isKnown ? size / bytesPerSecond : null;
    }
    if (type === 'fmt ' && at + 20 <= file.length) bytesPerSecond = file.readUInt32LE(at + 16);
    at += 8 + size + (size % 2);
  }
  return null;
}
