import { type Zippable, zipSync } from 'fflate';
import { byCodeUnit } from '../../digest.ts';

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
