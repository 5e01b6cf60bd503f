import { crc32, inflateRawSync } from 'node:zlib';
import { type Diagnostic, errorAt, type Result } from '../../kernel/diagnostic.ts';
import { wrongKind } from '../../kernel/file-kind.ts';

/** Limits of a template package, both in a zip and in a folder. */
export const MAX_PACKAGE_BYTES = 50 << 20;
export const MAX_PACKAGE_FILES = 2_000;

/** Limit for the compression ratio. Animations compress to a tenth, at most to a thirtieth. */
export const MAX_EXPANSION = 200;
/** Smaller files may expand more. */
const MIN_BOMB_BYTES = 1 << 20;
const MAX_NAME_LENGTH = 500;
const MAX_QUOTED_LENGTH = 120;
const MAX_REPORTED = 50;

/**
 * Returns the files of a zipped template package by path, with `/` as separator, or all problems.
 *
 * Skips hidden files and files that macOS adds, as in a folder, and removes a top folder that contains all files. Checks the
 * sum of all declared sizes first, and unpacks no entry beyond its declared size.
 */
export function readPackageZip(bytes: Uint8Array): Result<Map<string, Uint8Array>> {
  const directory = checkPackageZip(bytes);
  if (!directory.ok) return directory;
  const entries = directory.value;
  const packageFiles = entries.filter(isPackageFile).map((entry) => ({ entry, path: entry.name.normalize('NFC') }));
  const files = new Map<string, Uint8Array>();
  const clashes = pathProblems(packageFiles.map(({ path }) => path));
  const damages: string[] = [];
  if (clashes.length > 0) return failed(clashes);
  for (const { entry, path } of packageFiles) {
    const unpacked = unpack(entry);
    if (unpacked === null) damages.push(`${quoted(entry.name)} is damaged or does not match its header`);
    else files.set(path, unpacked);
  }
  return damages.length > 0 ? failed(damages) : { ok: true, value: withoutTopFolder(files) };
}

/** Checks the directory of a zipped package without unpacking anything, so it is fast on any input. */
function checkPackageZip(bytes: Uint8Array): Result<ZipEntry[]> {
  const entries = readZipDirectory(bytes);
  if (typeof entries === 'string') return { ok: false, diagnostics: [problem(`The package ${entries}`)] };
  const problems = [...entries.flatMap(entryProblems), ...sizeProblems(entries.filter(isPackageFile))];
  return problems.length > 0 ? failed(problems) : { ok: true, value: entries };
}

function entryProblems(entry: ZipEntry): string[] {
  const { name, isRegular, isEncrypted, isFolder, method, sizeBytes, data } = entry;
  const problems: string[] = [];
  const parts = name.split('/').slice(0, isFolder ? -1 : undefined);
  if (name.length > MAX_NAME_LENGTH) problems.push('has a name that is too long');
  if (/[\p{Cc}\u{fffd}]/u.test(name)) problems.push('has a name with invalid characters');
  if (name.includes('\\')) problems.push('has a backslash in its name');
  if (/^[a-z]:/i.test(name)) problems.push('starts with a drive letter');
  if (parts.some((part) => part === '' || part === '.' || part === '..')) problems.push('leads out of the package');
  if (parts.includes('__proto__')) problems.push('has a reserved name');
  if (!isRegular) problems.push('is a link or a device');
  if (isEncrypted) problems.push('is encrypted');
  else if (method !== 0 && method !== 8) problems.push('uses an unsupported compression method');
  if (isFolder && sizeBytes > 0) problems.push('is a folder with contents');
  if (isBomb(entry)) problems.push(`unpacks to more than ${MAX_EXPANSION} times its size`);
  if (data === null) problems.push('is not at the position in the directory of the zip');
  return problems.map((what) => `${quoted(name)} ${what}`);
}

function isBomb({ sizeBytes, data }: ZipEntry): boolean {
  return data !== null && sizeBytes > MIN_BOMB_BYTES && sizeBytes > data.length * MAX_EXPANSION;
}

/** Returns whether an entry is neither a folder, nor hidden, nor metadata of macOS. */
function isPackageFile({ name, isFolder }: ZipEntry): boolean {
  return !isFolder && !name.split('/').some((part) => part.startsWith('.') || part === '__MACOSX');
}

function sizeProblems(entries: readonly ZipEntry[]): string[] {
  const problems: string[] = [];
  const sizeBytes = entries.reduce((sum, entry) => sum + entry.sizeBytes, 0);
  if (entries.length > MAX_PACKAGE_FILES) problems.push(`The package has ${entries.length} files; the limit is 2,000`);
  if (sizeBytes > MAX_PACKAGE_BYTES) problems.push('The package is larger than 50 MB');
  return problems;
}

/** Reports paths that cannot coexist on all file systems. */
function pathProblems(paths: readonly string[]): string[] {
  const problems: string[] = [];
  const files = new Set<string>();
  const folders = new Set<string>();
  for (const path of paths) {
    const folded = path.toLowerCase();
    if (files.has(folded)) problems.push(`${quoted(path)} exists twice, ignoring case`);
    files.add(folded);
    for (let at = folded.indexOf('/'); at !== -1; at = folded.indexOf('/', at + 1)) folders.add(folded.slice(0, at));
  }
  const both = paths.filter((path) => folders.has(path.toLowerCase()));
  return [...problems, ...both.map((path) => `${quoted(path)} is both a file and a folder`)];
}

/** Unpacks an entry. @returns null if the size or checksum differs from the directory */
function unpack({ method, data, sizeBytes, crc }: ZipEntry): Uint8Array | null {
  const bytes = method === 0 ? data : inflate(data!, sizeBytes);
  return bytes !== null && bytes.length === sizeBytes && crc32(bytes) === crc ? bytes : null;
}

/** Inflates data, stopping when the output exceeds the declared size. @returns null if it does, or for invalid data */
function inflate(data: Uint8Array, sizeBytes: number): Uint8Array | null {
  try {
    return inflateRawSync(data, { maxOutputLength: Math.max(1, sizeBytes) });
  } catch {
    return null;
  }
}

/** Removes the top folder, because many users zip the folder instead of its contents. */
function withoutTopFolder(files: Map<string, Uint8Array>): Map<string, Uint8Array> {
  const [first = ''] = files.keys();
  const top = first.slice(0, first.indexOf('/') + 1);
  if (top === '' || ![...files.keys()].every((path) => path.startsWith(top))) return files;
  return new Map([...files].map(([path, bytes]) => [path.slice(top.length), bytes]));
}

function failed(messages: readonly string[]): Result<never> {
  const more = messages.length - MAX_REPORTED;
  const diagnostics = messages.slice(0, MAX_REPORTED).map(problem);
  return {
    ok: false,
    diagnostics: more > 0 ? [...diagnostics, problem(`${more} more problems`)] : diagnostics,
  };
}

function problem(message: string): Diagnostic {
  const hint = 'Zip the folder of the template package again, or push it with reelform';
  return errorAt('template_invalid', undefined, message, hint);
}

function quoted(name: string): string {
  return JSON.stringify(name.length > MAX_QUOTED_LENGTH ? `${name.slice(0, MAX_QUOTED_LENGTH)}…` : name);
}

/** An entry of a zip's central directory. */
interface ZipEntry {
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
function readZipDirectory(bytes: Uint8Array): ZipEntry[] | string {
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
