import { TemporaryFile } from '../../kernel/temporary-file.ts';

/** Bytes of a header with a size in 32 bits. */
const HEADER_BYTES = 8;
/** Bytes of a header with a size in 64 bits, which the media data begin with while their size is unknown. */
const LARGE_HEADER_BYTES = 16;
const MAX_OFFSET = 2 ** 32;
const COPIED_BYTES = 2 ** 20;

/**
 * Copies an MP4 or MOV file that ends with its index, so that the index precedes the media data (faststart), without the times of
 * its creation.
 *
 * @param index the `moov` box
 * @param mediaAt offset of the `mdat` box, whose header has 16 bytes
 * @see ISO/IEC 14496-12, 8.2.2, 8.3.2 and 8.4.2 for times, 8.7.5 for chunk offsets
 */
export async function withIndexFirst(file: TemporaryFile, index: Buffer, mediaAt: number): Promise<TemporaryFile> {
  const dataAt = mediaAt + LARGE_HEADER_BYTES;
  const dataBytes = file.size - index.length - dataAt;
  const header = mediaHeader(dataBytes);
  const target = TemporaryFile.create();
  try {
    await target.append(await file.bytes({ start: 0, end: mediaAt }));
    await target.append(movedIndex(index, { dataAt, dataBytes, targetAt: mediaAt + header.length }));
    await target.append(header);
    for (let at = 0; at < dataBytes; at += COPIED_BYTES) {
      const [start, end] = [dataAt + at, dataAt + Math.min(dataBytes, at + COPIED_BYTES)];
      await target.append(await file.bytes({ start, end }));
    }
    return target;
  } catch (error) {
    target.close();
    throw error;
  }
}

function mediaHeader(dataBytes: number): Buffer {
  const isLarge = dataBytes + HEADER_BYTES >= MAX_OFFSET;
  const header = Buffer.alloc(isLarge ? LARGE_HEADER_BYTES : HEADER_BYTES);
  header.writeUInt32BE(isLarge ? 1 : dataBytes + HEADER_BYTES, 0);
  header.write('mdat', 4, 'latin1');
  if (isLarge) header.writeBigUInt64BE(BigInt(dataBytes + LARGE_HEADER_BYTES), HEADER_BYTES);
  return header;
}

interface MovedMedia {
  /** Offset of the first chunk. */
  readonly dataAt: number;
  readonly dataBytes: number;
  /** The new offset of the first chunk, without the size of the index. */
  readonly targetAt: number;
}

/** Returns the index for media data that follow it. The size of the index depends on that of its offsets. */
function movedIndex(index: Buffer, { dataAt, dataBytes, targetAt }: MovedMedia): Buffer {
  const measured = rebuilt(index, 0, false);
  const isLarge = targetAt + measured.length + dataBytes >= MAX_OFFSET;
  const size = isLarge ? rebuilt(index, 0, true).length : measured.length;
  return rebuilt(index, targetAt + size - dataAt, isLarge);
}

const CONTAINERS = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl']);
const TIMED = new Set(['mvhd', 'tkhd', 'mdhd']);

/**
 * Copies boxes with zeros for creation and modification times, the first two fields of three headers, and moved chunk offsets.
 *
 * @param isLarge whether offsets need 64 bits; those that have 64 bits keep them
 */
function rebuilt(boxes: Buffer, shift: number, isLarge: boolean): Buffer {
  const copies: Buffer[] = [];
  for (let at = 0; at < boxes.length; ) {
    const size = boxes.readUInt32BE(at);
    const type = boxes.toString('latin1', at + 4, at + HEADER_BYTES);
    if (size < HEADER_BYTES || at + size > boxes.length) throw new Error('Internal error: the index is malformed');
    const content = Buffer.from(boxes.subarray(at + HEADER_BYTES, at + size));
    if (CONTAINERS.has(type)) copies.push(box(type, rebuilt(content, shift, isLarge)));
    else if (type === 'stco' || type === 'co64') copies.push(offsetBox(content, type === 'co64', { shift, isLarge }));
    else {
      // Version 1 has times of 64 bits.
      if (TIMED.has(type)) content.fill(0, 4, content.readUInt8(0) === 1 ? 20 : 12);
      copies.push(box(type, content));
    }
    at += size;
  }
  return Buffer.concat(copies);
}

function offsetBox(
  content: Buffer,
  wasLarge: boolean,
  { shift, isLarge }: { readonly shift: number; readonly isLarge: boolean },
): Buffer {
  const count = content.readUInt32BE(4);
  const copy = Buffer.alloc(8 + count * (wasLarge || isLarge ? 8 : 4));
  content.copy(copy, 0, 0, 8);
  for (let entry = 0; entry < count; entry++) {
    const offset = wasLarge ? Number(content.readBigUInt64BE(8 + entry * 8)) : content.readUInt32BE(8 + entry * 4);
    if (wasLarge || isLarge) copy.writeBigUInt64BE(BigInt(offset + shift), 8 + entry * 8);
    else copy.writeUInt32BE(offset + shift, 8 + entry * 4);
  }
  return box(wasLarge || isLarge ? 'co64' : 'stco', copy);
}

function box(type: string, content: Buffer): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32BE(HEADER_BYTES + content.length, 0);
  header.write(type, 4, 'latin1');
  return Buffer.concat([header, content]);
}
