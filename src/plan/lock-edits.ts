import { byCodeUnit } from '../digest.ts';
import type { Delivery, Lock, LockEntry, Rendering } from '../lock/lock.ts';
import { settleDeliveries } from './compare-video.ts';
import type { DesiredVideo } from './desired-video.ts';
import type { Adjustment, Change } from './plan.ts';

/** What one finished change does to the lock. Edits of one plan touch different ids, so their order does not matter. */
export interface LockEdit {
  readonly remove: string | null;
  readonly put: { readonly id: string; readonly entry: LockEntry } | null;
}

/**
 * What the lock says once a change is done. An entry that was rendered anew is written anew, without the fields that a
 * later version may have noted about the old rendering; every other entry keeps whatever it holds.
 *
 * @param rendering the new one for create and update, the one that was found for adopt; not looked at for the others, a restored video's entry stands for
 *   the rendering that was lost
 * @param arrived where the finished file arrived of all places that it was to be delivered to
 */
export function settle(change: Change, rendering: Rendering | null, arrived: readonly Delivery[] = []): LockEdit {
  switch (change.action) {
    case 'create':
    case 'update':
    case 'adopt': {
      if (rendering === null) throw new Error(`Internal error: ${change.action} of ${change.id} without a rendering`);
      const before =
        change.action === 'adopt' && change.source.kind === 'journal' ? change.source.deliveries : undefined;
      const deliveries = settleDeliveries(before ?? [], change.desired.deliver, arrived);
      return {
        remove: change.previousId,
        put: { id: change.id, entry: newEntry(change.desired, rendering, deliveries) },
      };
    }
    case 'move':
    case 'restore':
    case 'relabel':
    case 'deliver': {
      const entry = change.fields.length > 0 ? relabelled(change.before, change.desired) : change.before;
      const isKept = change.destinations.length === 0;
      return {
        remove: change.previousId,
        put: { id: change.id, entry: isKept ? entry : redelivered(entry, change, arrived) },
      };
    }
    case 'forget':
      return { remove: change.id, put: null };
    case 'noop':
      return { remove: null, put: null };
  }
}

/** The lock after some edits; the given one stays as it is. */
export function editLock(lock: Lock, edits: Iterable<LockEdit>): Lock {
  const videos = new Map(lock.videos);
  for (const { remove, put } of edits) {
    if (remove !== null) videos.delete(remove);
    if (put !== null) videos.set(put.id, put.entry);
  }
  return { ...lock, videos };
}

function newEntry(desired: DesiredVideo, rendering: Rendering, deliveries: readonly Delivery[]): LockEntry {
  const { session, video_url, thumbnails, rendered_at, sources, bytes, sha256 } = rendering;
  return {
    fingerprint: desired.fingerprint,
    ...statedFields(desired),
    inputs: desired.inputs,
    session,
    video_url,
    ...(deliveries.length > 0 && { deliveries }),
    thumbnails,
    rendered_at,
    ...(sources !== undefined && { sources }),
    ...(bytes !== undefined && { bytes }),
    ...(sha256 !== undefined && { sha256 }),
  };
}

function redelivered(entry: LockEntry, { desired }: Adjustment, arrived: readonly Delivery[]): LockEntry {
  const { deliveries: before = [], ...kept } = entry;
  const deliveries = settleDeliveries(before, desired.deliver, arrived);
  return deliveries.length === 0 ? kept : { ...kept, deliveries };
}

function relabelled(before: LockEntry, desired: DesiredVideo): LockEntry {
  const { labels: _labels, protect: _protect, ...kept } = before;
  return { ...kept, ...statedFields(desired) };
}

function statedFields(
  desired: DesiredVideo,
): Pick<LockEntry, 'title' | 'labels' | 'protect' | 'service' | 'template' | 'style_version'> {
  const labels = Object.entries(desired.labels).sort(([a], [b]) => byCodeUnit(a, b));
  return {
    title: desired.title,
    ...(labels.length > 0 && { labels: Object.fromEntries(labels) }),
    ...(desired.protect && { protect: true as const }),
    service: desired.service,
    template: desired.template,
    style_version: desired.styleVersion,
  };
}
