import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Lock, Rendering } from '../lock/lock.ts';

/**
 * Looks which videos of the lock have lost a file on this machine. EDGE. What a remote service keeps is not looked at.
 *
 * @param root the repository's folder
 * @returns ids
 */
export function observeMissingOutputs(root: string, lock: Lock): Set<string> {
  const missing = new Set<string>();
  for (const [id, entry] of lock.videos) {
    if (!hasOutputs(root, entry)) missing.add(id);
  }
  return missing;
}

/**
 * Looks which videos of the lock can be had nowhere any more: what was delivered is not missed here, and no plan restores
 * it. EDGE.
 *
 * @param root the repository's folder
 * @returns ids
 */
export function observeLostOutputs(root: string, lock: Lock): Set<string> {
  const missing = observeMissingOutputs(root, lock);
  for (const id of missing) if (lock.videos.get(id)?.deliveries !== undefined) missing.delete(id);
  return missing;
}

/** Whether all files of a rendering are on this machine; what a remote service keeps is taken to be there. EDGE. */
export function hasOutputs(root: string, rendering: Pick<Rendering, 'video_url' | 'thumbnails'>): boolean {
  return localOutputs(rendering).every((path) => isFile(join(root, path)));
}

/** The repository-relative paths of a video and its stills, where they are files and not URLs. */
export function localOutputs({ video_url, thumbnails }: Pick<Rendering, 'video_url' | 'thumbnails'>): string[] {
  return [video_url, ...thumbnails].filter((url) => !/^[a-z][a-z0-9+.-]*:/i.test(url));
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    // Whatever is in the way, the file cannot be had.
    return false;
  }
}
