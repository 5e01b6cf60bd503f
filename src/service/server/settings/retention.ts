import { DAY_MS } from '../../sessions/render-session.ts';
import type { Settings } from './settings-table.ts';

/** Returns how long the service stores data by its settings: times in milliseconds, and a size. */
export function retentionOf({
  retentionDays,
  draftDays,
  segmentDays,
  segmentGb,
}: Pick<Settings, 'retentionDays' | 'draftDays' | 'segmentDays' | 'segmentGb'>) {
  return {
    /** Time after the end of a session; null for unlimited. */
    sessionMs: retentionDays === null ? null : retentionDays * DAY_MS,
    /** Maximum time that a draft may stay unchanged. */
    draftMs: draftDays * DAY_MS,
    /** Time since the last use of a segment. Segments show the content of sessions, so they are not kept for longer. */
    segmentMs: Math.min(segmentDays, retentionDays ?? segmentDays) * DAY_MS,
    /** Maximum size of all segments, in bytes. */
    segmentBytes: segmentGb * 1e9,
  };
}
