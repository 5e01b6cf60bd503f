import { Zip, ZipPassThrough, type Zippable, zipSync } from 'fflate';
import { byCodeUnit } from '../../kernel/digest.ts';

/**
 * Creates a zip written file by file without compression, for files that are already compressed. Its bytes depend
 * only on its files and their order.
 */
export function createStoredZip() {
  // The earliest time that a zip can store. Zips contain local times, so this time is local too.
  const mtime = new Date(1980, 0, 1);
  let parts: Uint8Array[] = [];
  let sizeBytes = 0;
  const zip = new Zip((error, part) => {
    if (error !== null) throw error;
    parts.push(part);
    sizeBytes += part.length;
  });
  return {
    /** Bytes written so far. */
    get sizeBytes() {
      return sizeBytes;
    },
    /** @param bytes not copied; must not be modified later */
    add(name: string, bytes: Uint8Array) {
      const file = new ZipPassThrough(name);
      file.mtime = mtime;
      zip.add(file);
      file.push(bytes, true);
    },
    /** Ends the zip. Nothing can be added afterwards. */
    finish() {
      zip.end();
    },
    /** Returns the bytes of the zip since the last call. */
    take(): Uint8Array {
      const bytes = Buffer.concat(parts);
      parts = [];
      return bytes;
    },
  };
}

/**
 * Zips a template package. The same files always give the same bytes.
 *
 * @param files by path, with `/` as separator
 */
export function writePackageZip(files: ReadonlyMap<string, Uint8Array>): Uint8Array {
  const mtime = new Date(1980, 0, 1);
  const sorted = [...files].sort(([a], [b]) => byCodeUnit(a, b));
  const zippable: Zippable = Object.fromEntries(sorted.map(([path, bytes]) => [path, [bytes, { mtime, level: 9 }]]));
  return zipSync(zippable);
}
