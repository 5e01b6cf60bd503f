import { wrongKind } from '../../kernel/file-kind.ts';

/** An entry of a zip's central directory. */
export interface ZipEntry {
  readonly name: string;
  readonly isFolder: boolean;
  /** A regular file or folder, not a link or device. */
  readonly isRegular: boolean;
  readonly isEncrypted: boolean;
  /** 0 for stored, 8 for deflated. */
  readonly method: number;
  readonly crc: number;
  /** Uncompressed size. */
  readonly sizeBytes: number;
  /**
   * The compressed bytes; null if they are not at the declared position or the local header differs from the directory.
   */
  readonly data: Uint8Array | null;
}

const END = 0x06054b50;
const CENTRAL = 0x02014b50;
const LOCAL = 0x04034b50;
const END_BYTES = 22;
const CENTRAL_BYTES = 46;
const LOCAL_BYTES = 30;

/** Placeholder for a value that is stored in a ZIP64 field. */
const IN_ZIP64 = 0xffffffff;

/**
 * Reads the directory of a zip and locates each entry's bytes. Rejects zips that programs could interpret differently.
 *
 * @returns the entries, or the problem of an ambiguous zip: leading or trailing data, ZIP64, several parts, overlapping entries
 * @see PKWARE APPNOTE 6.3.10, sections 4.3.7, 4.3.12 and 4.3.16
 */
export function readZipDirectory(bytes: Uint8Array): ZipEntry[] | string {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = findEnd(view);
  if (end === -1)
    return view.toString('latin1', 0, 2) === 'PK' ? 'is a truncated zip file' : wrongKind(bytes, 'a zip file');
  const [disk, startDisk, countOnDisk, count] = [4, 6, 8, 10].map((offset) => view.readUInt16LE(end + offset));
  const sizeBytes = view.readUInt32LE(end + 12);
  const start = view.readUInt32LE(end + 16);
  if (disk !== 0 || startDisk !== 0 || countOnDisk !== count) return 'is a multi-part archive';
  if (count === 0xffff || sizeBytes === IN_ZIP64 || start === IN_ZIP64) return 'is in the ZIP64 format';
  if (start + sizeBytes !== end) return 'has a directory at a wrong position';
  const entries: ZipEntry[] = [];
  let at = start;
  let dataEnd = 0;
  const ranges: { readonly from: number; readonly to: number }[] = [];
  for (let index = 0; index < count!; index++) {
    const found = readEntry(view, at, end, start);
    if (found === null) return 'has a damaged directory';
    entries.push(found.entry);
    ranges.push(found.range);
    at = found.next;
  }
  if (at !== end) return 'has a damaged directory';
  for (const { from, to } of ranges.sort((a, b) => a.from - b.from)) {
    if (from < dataEnd) return 'has overlapping entries';
    dataEnd = to;
  }
  return entries;
}

/** Returns the offset of the end record, whose comment must end the file; -1 if there is none. */
function findEnd(view: Buffer): number {
  const lowest = Math.max(0, view.length - END_BYTES - 0xffff);
  for (let at = view.length - END_BYTES; at >= lowest; at--) {
    if (view.readUInt32LE(at) === END && at + END_BYTES + view.readUInt16LE(at + 20) === view.length) return at;
  }
  return -1;
}

function readEntry(view: Buffer, at: number, end: number, directoryStart: number) {
  if (at + CENTRAL_BYTES > end || view.readUInt32LE(at) !== CENTRAL) return null;
  const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((offset) => view.readUInt16LE(at + offset));
  const next = at + CENTRAL_BYTES + nameBytes! + extraBytes! + commentBytes!;
  if (next > end) return null;
  const name = view.subarray(at + CENTRAL_BYTES, at + CENTRAL_BYTES + nameBytes!);
  const flags = view.readUInt16LE(at + 8);
  const method = view.readUInt16LE(at + 10);
  const compressedBytes = view.readUInt32LE(at + 20);
  const from = view.readUInt32LE(at + 42);
  const data = locate(view, { from, name, method, compressedBytes, directoryStart });
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(name);
  const entry: ZipEntry = {
    name: text,
    isFolder: text.endsWith('/'),
    isRegular: isRegular(view.readUInt16LE(at + 4) >> 8, view.readUInt32LE(at + 38)),
    // Encrypted, strongly encrypted, or with masked headers.
    isEncrypted: (flags & 0x2041) !== 0,
    method,
    crc: view.readUInt32LE(at + 16),
    sizeBytes: view.readUInt32LE(at + 24),
    data,
  };
  return { entry, next, range: { from, to: data === null ? from : data.byteOffset - view.byteOffset + data.length } };
}

interface EntryLocation {
  readonly from: number;
  readonly name: Buffer;
  readonly method: number;
  readonly compressedBytes: number;
  readonly directoryStart: number;
}

/** Returns the bytes after the entry's local header, or null if the header has another name or method. */
function locate(view: Buffer, { from, name, method, compressedBytes, directoryStart }: EntryLocation): Buffer | null {
  if (from + LOCAL_BYTES > directoryStart || view.readUInt32LE(from) !== LOCAL) return null;
  const nameStart = from + LOCAL_BYTES;
  const nameEnd = nameStart + view.readUInt16LE(from + 26);
  const start = nameEnd + view.readUInt16LE(from + 28);
  if (start + compressedBytes > directoryStart || view.readUInt16LE(from + 8) !== method) return null;
  return view.subarray(nameStart, nameEnd).equals(name) ? view.subarray(start, start + compressedBytes) : null;
}

/** @param system that wrote the entry; 3 is Unix, 19 macOS, whose attributes contain the file mode */
function isRegular(system: number, attributes: number): boolean {
  const kind = system === 3 || system === 19 ? (attributes >>> 16) & 0o170000 : 0;
  return kind === 0 || kind === 0o100000 || kind === 0o040000;
}
