/** Samples that every decoder of layer III is late. */
const DECODER_DELAY = 529;
const LONGEST_SEARCH = 4096;

/**
 * What an encoder of MP3 put before and behind the sound, in samples, as its tag in the first frame says; both zero without
 * one.
 *
 * @see http://gabriel.mp3-tech.org/mp3infotag.html
 */
export function mp3Padding(bytes: Uint8Array): { readonly before: number; readonly behind: number } {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const start = file.toString('latin1', 0, 3) === 'ID3' ? 10 + synchsafe(file) : 0;
  const head = file.subarray(start, start + LONGEST_SEARCH);
  const tag = Math.max(head.indexOf('Xing'), head.indexOf('Info'));
  const at = tag + 0x78 + 21;
  if (tag === -1 || tag > 200 || at + 3 > head.length) return { before: 0, behind: 0 };
  const packed = head.readUIntBE(at, 3);
  const [delay, padding] = [packed >> 12, packed & 0xfff];
  if (delay === 0 && padding === 0) return { before: 0, behind: 0 };
  return { before: delay + DECODER_DELAY, behind: Math.max(0, padding - DECODER_DELAY) };
}

/** The size that an ID3v2 header gives, seven bits a byte. @see https://id3.org/id3v2.4.0-structure section 3.1 */
function synchsafe(file: Buffer): number {
  return [6, 7, 8, 9].reduce((size, at) => size * 128 + (file[at]! & 0x7f), 0);
}
