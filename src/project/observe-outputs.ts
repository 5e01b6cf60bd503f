import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Lock, LockEntry } from '../lock/lock.ts';

/**
 * Looks which videos of the lock have lost a file on this machine. EDGE. What a remote service keeps is not looked at.
 *
 * @param root the repository's folder
 * @returns ids
 */
export function observeMissingOutputs(root: string, lock: Lock): Set<string> {
  const missing = new Set<string>();
  for (const [id, entry] of lock.videos) {
    if (localOutputs(entry).some((path) => !isFile(join(root, path)))) missing.add(id);
  }
  return missing;
}

/** The repository-relative paths of a video and its stills, where they are files and not URLs. */
function localOutputs(entry: LockEntry): string[] {
  return [entry.video_url, ...entry.thumbnails].filter((url) => !/^[a-z][a-z0-9+.-]*:/i.test(url));
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    // Whatever is in the way, the file cannot be had.
    return false;
  }
}
