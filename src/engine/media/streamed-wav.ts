import { type ByteView, type Patch, viewed } from '../../kernel/byte-view.ts';
import type { SourceBytes } from '../../kernel/source-file.ts';

const HEADER_BYTES = 12;
/** Writers that cannot return to the header store 0 or nearly the maximum. */
const UNKNOWN_FROM = 0x7fff_0000;

/**
 * Returns the sizes that are missing in the header of a WAV that was written to a pipe: its sound reaches to the end of the file. A
 * data chunk of size 0 counts as unknown only if no other chunk can follow it.
 *
 * @returns none if the sizes are known or can be read as they are
 * @see https://www.mmsp.ece.mcgill.ca/Documents/AudioFormats/WAVE/WAVE.html
 */
export function knownSizes(bytes: SourceBytes): Patch[] {
  return viewed(bytes, missingSizes);
}

function missingSizes(file: ByteView): Patch[] {
  if (file.length < HEADER_BYTES || file.toString('latin1', 0, 4) !== 'RIFF') return [];
  const riffSize = file.readUInt32LE(4);
  for (let at = HEADER_BYTES; at + 8 <= file.length; ) {
    const size = file.readUInt32LE(at + 4);
    const start = at + 8;
    if (file.toString('latin1', at, at + 4) === 'data') {
      const endsBefore = riffSize + 8 <= start || riffSize >= UNKNOWN_FROM;
      const isUnknown = endsBefore && (size === 0 || size >= UNKNOWN_FROM) && start < file.length;
      return isUnknown ? [size32(4, file.length - 8), size32(at + 4, file.length - start)] : [];
    }
    at = start + size + (size % 2);
  }
  return [];
}

function size32(at: number, size: number): Patch {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(size);
  return { at, bytes };
}
