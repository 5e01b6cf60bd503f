import { crc32, deflateRawSync } from 'node:zlib';

/** One entry of a zip as a hostile program writes it. Omitted fields are correct. */
export interface RawEntry {
  readonly name: string | Buffer;
  readonly bytes?: Buffer;
  /** Compressed data, instead of `bytes`. */
  readonly data?: Buffer;
  readonly method?: number;
  readonly flags?: number;
  readonly crc?: number;
  readonly sizeBytes?: number;
  readonly compressedBytes?: number;
  /** Unix file mode. */
  readonly mode?: number;
  /** Name in the entry's own header, where it differs from the central directory. */
  readonly localName?: string;
  readonly localMethod?: number;
  /** Offset of the entry, instead of the real one. */
  readonly offset?: number;
}

interface RawEnd {
  readonly count?: number;
  readonly disk?: number;
  readonly directoryOffset?: number;
  readonly comment?: string;
  readonly before?: Buffer;
  readonly behind?: Buffer;
}

/** @see PKWARE APPNOTE 6.3.10, section 4.3 */
export function rawZip(entries: readonly RawEntry[], end: RawEnd = {}): Buffer {
  const locals: Buffer[] = [end.before ?? Buffer.alloc(0)];
  const central: Buffer[] = [];
  let at = locals[0]!.length;
  for (const entry of entries) {
    const { bytes = Buffer.from('x'), method = 8, flags = 0, mode = 0o100644 } = entry;
    const name = Buffer.from(entry.name as string);
    const data = entry.data ?? (method === 8 ? deflateRawSync(bytes) : bytes);
    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(20, 0);
    shared.writeUInt16LE(flags, 2);
    shared.writeUInt16LE(method, 4);
    shared.writeUInt32LE(entry.crc ?? crc32(bytes), 10);
    shared.writeUInt32LE(entry.compressedBytes ?? data.length, 14);
    shared.writeUInt32LE(entry.sizeBytes ?? bytes.length, 18);
    shared.writeUInt16LE(name.length, 22);
    const local = Buffer.from(shared);
    const localName = Buffer.from(entry.localName ?? name);
    local.writeUInt16LE(entry.localMethod ?? method, 4);
    local.writeUInt16LE(localName.length, 22);
    locals.push(Buffer.from('PK\x03\x04'), local, localName, data);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE((mode << 16) >>> 0, 6);
    rest.writeUInt32LE(entry.offset ?? at, 10);
    central.push(Buffer.from('PK\x01\x02\x14\x03', 'latin1'), shared, rest, name);
    at += 30 + localName.length + data.length;
  }
  const directory = Buffer.concat(central);
  const record = Buffer.alloc(18);
  record.writeUInt16LE(end.disk ?? 0, 0);
  record.writeUInt16LE(end.count ?? entries.length, 4);
  record.writeUInt16LE(end.count ?? entries.length, 6);
  record.writeUInt32LE(directory.length, 8);
  record.writeUInt32LE(end.directoryOffset ?? at, 12);
  const comment = Buffer.from(end.comment ?? '');
  record.writeUInt16LE(comment.length, 16);
  const behind = end.behind ?? Buffer.alloc(0);
  return Buffer.concat([...locals, directory, Buffer.from('PK\x05\x06'), record, comment, behind]);
}
