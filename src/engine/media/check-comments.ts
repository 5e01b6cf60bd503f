import { type ByteView, viewed } from '../../kernel/byte-view.ts';
import type { SourceBytes } from '../../kernel/source-file.ts';

/** Limit for a file; extensively tagged recordings have a few hundred. */
export const MAX_COMMENTS = 10_000;
export const MAX_HEADER_BLOCKS = 1_000;
export const MAX_STREAMS = 100;
/** Size limit of the vendor string and of the data before the comments. */
const MAX_VENDOR_BYTES = 10_000;
const COMMENT_BLOCK = 4;

/**
 * Checks the comments of a FLAC or Ogg file before mediabunny (1.61.0) reads them in quadratic time.
 *
 * @returns the problem, or undefined
 * @see RFC 9639, section 8; RFC 3533, section 6; RFC 7845, section 5.2
 */
export function findCommentProblem(bytes: SourceBytes, type: 'flac' | 'ogg'): string | undefined {
  return viewed(bytes, type === 'flac' ? findBlockProblem : findPageProblem);
}

function findBlockProblem(file: ByteView): string | undefined {
  let comments = 0;
  for (let at = 4, blocks = 1, isLast = false; !isLast && at + 4 <= file.length; blocks++) {
    if (blocks > MAX_HEADER_BLOCKS) return 'it has too many blocks before its sound';
    const head = file.readUInt32BE(at);
    isLast = head >>> 31 === 1;
    if (((head >>> 24) & 0x7f) === COMMENT_BLOCK)
      comments += commentsIn(file.bytes(at + 4, at + 12 + MAX_VENDOR_BYTES));
    if (comments > MAX_COMMENTS) return 'it has too many comments';
    at += 4 + (head & 0xff_ffff);
  }
  return undefined;
}

/** All streams start at the beginning of the file. The second packet of each contains its comments. */
function findPageProblem(file: ByteView): string | undefined {
  const streams = new Map<number, PacketCollector>();
  let comments = 0;
  let open = 0;
  for (let at = 0, isBeginning = true; at + 27 <= file.length && (isBeginning || open > 0); ) {
    if (file.toString('latin1', at, at + 4) !== 'OggS') break;
    const segments = file.bytes(at + 27, at + 27 + file.at(at + 26)!);
    const size = segments.reduce((sum, length) => sum + length, 0);
    const body = file.bytes(at + 27 + segments.length, at + 27 + segments.length + size);
    const serial = file.readUInt32LE(at + 14);
    isBeginning = (file.at(at + 5)! & 2) !== 0;
    if (isBeginning && !streams.has(serial)) {
      streams.set(serial, new PacketCollector());
      open += 1;
      if (streams.size > MAX_STREAMS) return `it has more than ${MAX_STREAMS} streams`;
    }
    const second = streams.get(serial)?.add(segments, body);
    if (second !== undefined) {
      open -= 1;
      comments += commentsIn(second.subarray(second[0] === 3 ? 7 : 8));
      if (comments > MAX_COMMENTS) return 'it has too many comments';
    }
    at += 27 + segments.length + size;
  }
  return undefined;
}

/** Collects the start of a stream's second packet. */
class PacketCollector {
  #packet = 0;
  #isDone = false;
  #bytes: Buffer = Buffer.alloc(0);

  /** @returns the start of the packet when it is complete or long enough; undefined otherwise */
  add(segments: Uint8Array, body: Buffer): Buffer | undefined {
    let at = 0;
    for (const length of segments) {
      if (this.#isDone) return undefined;
      if (this.#packet === 1) this.#bytes = Buffer.concat([this.#bytes, body.subarray(at, at + length)]);
      at += length;
      if (length < 255) this.#packet += 1;
      if (this.#packet > 1 || this.#bytes.length > 2 * MAX_VENDOR_BYTES) {
        this.#isDone = true;
        return this.#bytes;
      }
    }
    return undefined;
  }
}

/** Returns the declared number of comments; above the limit if the vendor string is too long. */
function commentsIn(list: Buffer): number {
  if (list.length < 8) return 0;
  const vendorBytes = list.readUInt32LE(0);
  if (vendorBytes > MAX_VENDOR_BYTES) return MAX_COMMENTS + 1;
  return list.length < vendorBytes + 8 ? 0 : list.readUInt32LE(4 + vendorBytes);
}
