import type { SoundLength } from '../../contract/video-measures.ts';
import { defined } from '../../kernel/defined.ts';
import { byCodeUnit } from '../../kernel/digest.ts';
import { firstTemplate } from '../definition/video.ts';
import type { Delivery, Lock, LockEntry, LockRendering, LockScene } from '../lock/lock.ts';
import { splitInputs } from '../lock/scene-inputs.ts';
import { captionFiles, wantedDestinations } from './caption-files.ts';
import { roundedSeconds } from './compare-scenes.ts';
import { settleDeliveries } from './compare-video.ts';
import { type DesiredVideo, hasUnknownLength, remoteContent, styleVersionOf } from './desired-video.ts';
import type { Adjustment, Change } from './plan.ts';

/** Entries to write by id; null removes the entry. The edits of one plan have distinct ids, so order does not matter. */
export type LockEdits = ReadonlyMap<string, LockEntry | null>;

/**
 * Returns how a finished change edits the lock. A new rendering gets a new entry, without the fields that a later version
 * may have added for the old rendering. All other entries keep their fields.
 *
 * @param rendering the new rendering for create and update, the adopted rendering for adopt; ignored for other actions:
 *   the entry of a restored video keeps describing the lost rendering
 * @param arrived deliveries that succeeded
 */
export function lockEdits(
  change: Change,
  rendering: LockRendering | null,
  arrived: readonly Delivery[] = [],
): LockEdits {
  switch (change.action) {
    case 'create':
    case 'update':
    case 'adopt': {
      if (rendering === null) throw new Error(`Internal error: ${change.action} of ${change.id} without a rendering`);
      const before =
        change.action === 'adopt' && change.source.kind === 'journal' ? change.source.deliveries : undefined;
      const deliveries = settleDeliveries(before ?? [], wantedDestinations(change.desired), arrived);
      return replaced(change, newEntry(change.desired, rendering, deliveries));
    }
    case 'move':
    case 'restore':
    case 'relabel':
    case 'deliver': {
      const entry = change.fields.length > 0 ? relabelled(change.before, change.desired) : change.before;
      return replaced(change, change.destinations.length === 0 ? entry : redelivered(entry, change, arrived));
    }
    case 'forget':
      return new Map([[change.id, null]]);
    case 'noop':
      return new Map();
  }
}

function replaced({ id, previousId }: Change, entry: LockEntry): LockEdits {
  return new Map([...(previousId === null ? [] : [[previousId, null] as const]), [id, entry]]);
}

/** Returns the lock after some edits, without changing the given lock. */
export function editLock(lock: Lock, edits: Iterable<LockEdits>): Lock {
  const videos = new Map(lock.videos);
  for (const edit of edits) {
    for (const [id, entry] of edit) {
      if (entry === null) videos.delete(id);
      else videos.set(id, entry);
    }
  }
  return { ...lock, videos };
}

function newEntry(desired: DesiredVideo, rendering: LockRendering, deliveries: readonly Delivery[]): LockEntry {
  const { session, video_url, thumbnails, rendered_at, sources, bytes, sha256, outputs, loudness } = rendering;
  const { inputs, scenes } = recordedInputs(desired);
  return {
    fingerprint: desired.fingerprint,
    ...statedFields(desired),
    inputs,
    session,
    video_url,
    ...(deliveries.length > 0 && { deliveries }),
    thumbnails,
    rendered_at,
    ...defined({ sources, bytes, sha256, outputs, scenes, sound_lengths: remoteLengths(desired), loudness }),
    ...recordedCaptions(captionFiles(desired)),
  };
}

function recordedCaptions(files: ReturnType<typeof captionFiles>): Pick<LockEntry, 'caption_files'> {
  if (files === null || files.length === 0) return {};
  return { caption_files: files.map(({ text: _, ...file }) => file) };
}

/** Returns the lengths of remote sounds that decided how long scenes are. */
function remoteLengths(desired: DesiredVideo): LockEntry['sound_lengths'] {
  const known = remoteContent(desired).flatMap((url): [string, SoundLength][] => {
    const length = desired.contentLengths?.[url] ?? null;
    return length === null ? [] : [[url, length]];
  });
  return known.length === 0 ? undefined : Object.fromEntries(known.sort(([a], [b]) => byCodeUnit(a, b)));
}

/**
 * Returns the inputs as an entry has them.
 *
 * @param rendered scenes of the entry, whose lengths stay if it is not rendered again
 */
function recordedInputs(
  desired: DesiredVideo,
  rendered: LockEntry['scenes'] | null = null,
): Pick<LockEntry, 'inputs' | 'scenes'> {
  const { scenes, times, measures, styleVersions } = desired;
  const { whole, ofScenes } = splitInputs(desired, desired.inputs());
  if (ofScenes === null) return { inputs: whole };
  const isMeasured = measures !== null && !hasUnknownLength(desired);
  const recorded = scenes.map(({ id, template }, index): LockScene => {
    const frames = times?.[index]?.length;
    const length = rendered
      ? rendered[index]?.length
      : frames === undefined || !isMeasured
        ? undefined
        : roundedSeconds(frames, measures.rate);
    return { id, template, style_version: styleVersions[template]!, inputs: ofScenes.get(id)!, ...defined({ length }) };
  });
  return { inputs: whole, scenes: recorded };
}

function redelivered(entry: LockEntry, { desired }: Adjustment, arrived: readonly Delivery[]): LockEntry {
  const { deliveries: before = [], ...kept } = entry;
  const deliveries = settleDeliveries(before, wantedDestinations(desired), arrived);
  return deliveries.length === 0 ? kept : { ...kept, deliveries };
}

function relabelled(before: LockEntry, desired: DesiredVideo): LockEntry {
  const { labels: _labels, protect: _protect, caption_files: recorded, ...kept } = before;
  const files = captionFiles(desired);
  // Ids of scenes can change without a rendering.
  return {
    ...kept,
    ...statedFields(desired),
    ...(before.scenes && recordedInputs(desired, before.scenes)),
    ...(files === null ? defined({ caption_files: recorded }) : recordedCaptions(files)),
  };
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
    // Earlier versions require both; those of other scenes are in `scenes`.
    template: firstTemplate(desired),
    style_version: styleVersionOf(desired),
  };
}
