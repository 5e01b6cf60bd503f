import { crc32, inflateRawSync } from 'node:zlib';
import { type Diagnostic, errorAt, type Result } from '../../diagnostic.ts';
import { readZipDirectory, type ZipEntry } from './zip-directory.ts';

/** Limits of a template package, both in a zip and in a folder. */
export const MAX_PACKAGE_BYTES = 50 << 20;
export const MAX_PACKAGE_FILES = 2_000;

/** Animations compress to a tenth, at most to a thirtieth. */
export const MAX_EXPANSION = 200;
const HARMLESS_BYTES = 1 << 20;
const LONGEST_NAME = 500;
const LONGEST_TOLD = 120;
/** Limit of reported problems. */
const MAX_TOLD = 50;

/**
 * Returns the files of a zipped template package by path, with `/` as separator, or every problem.
 *
 * Skips hidden files and files that macOS adds, as in a folder, and removes a folder that contains all the others.
 * Unpacks no entry beyond its declared size, and nothing before the sum of the sizes is checked.
 */
export function readPackageZip(bytes: Uint8Array): Result<Map<string, Uint8Array>> {
  const directory = checkPackageZip(bytes);
  if (!directory.ok) return directory;
  const entries = directory.value;
  const wanted = entries.filter(isWanted).map((entry) => ({ entry, path: entry.name.normalize('NFC') }));
  const files = new Map<string, Uint8Array>();
  const clashes = pathProblems(wanted.map(({ path }) => path));
  const damages: string[] = [];
  if (clashes.length > 0) return refused(clashes);
  for (const { entry, path } of wanted) {
    const unpacked = unpack(entry);
    if (unpacked === null) damages.push(`${told(entry)} is damaged or does not match its header`);
    else files.set(path, unpacked);
  }
  return damages.length > 0 ? refused(damages) : { ok: true, value: withoutTopFolder(files) };
}

/** Checks the directory of a zipped package without unpacking anything, so it is fast on any input. */
function checkPackageZip(bytes: Uint8Array): Result<ZipEntry[]> {
  const entries = readZipDirectory(bytes);
  if (typeof entries === 'string') return { ok: false, diagnostics: [problem(`The package ${entries}`)] };
  const problems = [...entries.flatMap(entryProblems), ...sizeProblems(entries.filter(isWanted))];
  return problems.length > 0 ? refused(problems) : { ok: true, value: entries };
}

function entryProblems(entry: ZipEntry): string[] {
  const { name, isRegular, isEncrypted, isFolder, method, sizeBytes, data } = entry;
  const problems: string[] = [];
  const parts = name.split('/').slice(0, isFolder ? -1 : undefined);
  if (name.length > LONGEST_NAME) problems.push('has a name that is too long');
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
  return problems.map((what) => `${told(entry)} ${what}`);
}

function isBomb({ sizeBytes, data }: ZipEntry): boolean {
  return data !== null && sizeBytes > HARMLESS_BYTES && sizeBytes > data.length * MAX_EXPANSION;
}

/** Returns whether an entry is neither a folder, nor hidden, nor metadata of macOS. */
function isWanted({ name, isFolder }: ZipEntry): boolean {
  return !isFolder && !name.split('/').some((part) => part.startsWith('.') || part === '__MACOSX');
}

function sizeProblems(entries: readonly ZipEntry[]): string[] {
  const problems: string[] = [];
  const sizeBytes = entries.reduce((sum, entry) => sum + entry.sizeBytes, 0);
  if (entries.length > MAX_PACKAGE_FILES) problems.push(`The package has ${entries.length} files; the limit is 2,000`);
  if (sizeBytes > MAX_PACKAGE_BYTES) problems.push('The package is larger than 50 MB');
  return problems;
}

/** Reports paths that cannot exist side by side on every file system. */
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

/** @returns null when size or checksum differ from the directory's */
function unpack({ method, data, sizeBytes, crc }: ZipEntry): Uint8Array | null {
  const bytes = method === 0 ? data : inflate(data!, sizeBytes);
  return bytes !== null && bytes.length === sizeBytes && crc32(bytes) === crc ? bytes : null;
}

/** Stops as soon as the output exceeds the declared size. */
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

function refused(messages: readonly string[]): Result<never> {
  const more = messages.length - MAX_TOLD;
  const diagnostics = messages.slice(0, MAX_TOLD).map(problem);
  return {
    ok: false,
    diagnostics: more > 0 ? [...diagnostics, problem(`${more} more problems`)] : diagnostics,
  };
}

function problem(message: string): Diagnostic {
  const hint = 'Zip the folder of the template package again, or push it with reelform';
  return errorAt('template_invalid', undefined, message, hint);
}

function told({ name }: ZipEntry): string {
  return quoted(name);
}

function quoted(name: string): string {
  return JSON.stringify(name.length > LONGEST_TOLD ? `${name.slice(0, LONGEST_TOLD)}…` : name);
}
