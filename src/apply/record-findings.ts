import { byCodeUnit } from '../digest.ts';
import type { Lock, LockEntry } from '../lock/lock.ts';
import type { Finding } from './refresh-videos.ts';

/**
 * The lock as a refresh found things to be. The entry of a video that is lost is marked, so that the next plan renders it and
 * no other video adopts it; of a remote file that changed the new version is noted, so that the video made from the old
 * one counts as it is.
 */
export function recordFindings(lock: Lock, findings: readonly Finding[]): Lock {
  const videos = new Map(lock.videos);
  for (const { id, reason, changed } of findings) {
    const entry = videos.get(id);
    if (entry === undefined) continue;
    videos.set(id, reason === 'url_lost' ? { ...entry, lost: true } : withVersions(entry, changed));
  }
  return { ...lock, videos };
}

function withVersions(entry: LockEntry, changed: Readonly<Record<string, string>>): LockEntry {
  const sources = Object.entries({ ...entry.sources, ...changed }).sort(([a], [b]) => byCodeUnit(a, b));
  return { ...entry, sources: Object.fromEntries(sources) };
}
