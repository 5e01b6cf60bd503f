import { Zip, ZipPassThrough, type Zippable, zipSync } from 'fflate';
import { byCodeUnit } from '../../digest.ts';

/** A zip that is written file by file, nothing compressed: for files that are compressed already. */
export interface StoredZip {
  /** So far. */
  readonly sizeBytes: number;
  /** @param bytes not copied: not to be changed after */
  add(name: string, bytes: Uint8Array): void;
  /** The whole of it; nothing can be added after. */
  finish(): Uint8Array;
}

/** The same files in the same order give the same bytes, on any day and on any machine. */
export function createStoredZip(): StoredZip {
  // A zip has local times; the first one that it can say, wherever this runs.
  const mtime = new Date(1980, 0, 1);
  const parts: Uint8Array[] = [];
  let sizeBytes = 0;
  const zip = new Zip((error, part) => {
    if (error !== null) throw error;
    parts.push(part);
    sizeBytes += part.length;
  });
  return {
    get sizeBytes() {
      return sizeBytes;
    },
    add(name, bytes) {
      const file = new ZipPassThrough(name);
      file.mtime = mtime;
      zip.add(file);
      file.push(bytes, true);
    },
    finish() {
      zip.end();
      return Buffer.concat(parts);
    },
  };
}

/**
 * A template package as a zip: the same files give the same bytes, on any day and on any machine.
 *
 * @param files by path, with `/`; what `readPackageZip` gives back
 */
export function writePackageZip(files: ReadonlyMap<string, Uint8Array>): Uint8Array {
  // A zip has local times; the first one that it can say, wherever this runs.
  const mtime = new Date(1980, 0, 1);
  const sorted = [...files].sort(([a], [b]) => byCodeUnit(a, b));
  const zippable: Zippable = Object.fromEntries(sorted.map(([path, bytes]) => [path, [bytes, { mtime, level: 9 }]]));
  return zipSync(zippable);
}
