import { gunzipSync } from 'node:zlib';

const BLOCK = 512;

/**
 * Reads the regular files of a gzipped tar archive, such as a package of npm. Skips links and devices.
 *
 * @param maxBytes maximum size of the unpacked archive
 * @returns bytes by path; null if the archive is damaged or too large
 * @see POSIX.1-2017, "pax Interchange Format": ustar headers, and `path` in extended headers
 */
export function readTarGz(bytes: Uint8Array, maxBytes: number): Map<string, Uint8Array> | null {
  let tar: Buffer;
  try {
    tar = gunzipSync(bytes, { maxOutputLength: maxBytes });
  } catch {
    return null;
  }
  const files = new Map<string, Uint8Array>();
  let longName: string | null = null;
  for (let at = 0; at + BLOCK <= tar.length; ) {
    const header = tar.subarray(at, at + BLOCK);
    if (header.every((byte) => byte === 0)) break;
    const size = Number.parseInt(field(header, 124, 12), 8);
    const end = at + BLOCK + size;
    if (!Number.isInteger(size) || end > tar.length) return null;
    const content = tar.subarray(at + BLOCK, end);
    const type = String.fromCharCode(header[156]!);
    if (type === 'x') longName = paxPath(content.toString('utf8'));
    else {
      const prefix = field(header, 345, 155);
      const name: string = longName ?? (prefix === '' ? '' : `${prefix}/`) + field(header, 0, 100);
      if (type === '0' || type === '\0') files.set(name, content);
      longName = null;
    }
    at = at + BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  return files;
}

function field(header: Buffer, at: number, length: number): string {
  return header
    .toString('utf8', at, at + length)
    .replace(/\0.*$/s, '')
    .trim();
}

/** Records are `<length> <key>=<value>\n`. */
function paxPath(text: string): string | null {
  return /^\d+ path=(.*)$/m.exec(text)?.[1] ?? null;
}
