import { byCodeUnit } from '../../kernel/digest.ts';
import { firstTemplate } from '../definition/video.ts';
import { parseInputName } from '../lock/input-names.ts';
import type { Delivery, LockEntry } from '../lock/lock.ts';
import { canonicalInputs, inputValue, scenesOfInputs } from '../lock/recorded-inputs.ts';
import { joinInputs } from '../lock/scene-inputs.ts';
import { captionFiles, type WantedDestination } from './caption-files.ts';
import { recordedSceneIds, sceneFields } from './compare-scenes.ts';
import { type DesiredVideo, inheritedMeasures, styleVersionOf } from './desired-video.ts';
import type { DestinationChange, FieldChange, InputChange, Reason } from './plan.ts';

/** Returns the fields that differ between a lock entry and the desired video, in the lockfile's order. */
export function compareFields(before: LockEntry, desired: DesiredVideo): FieldChange[] {
  const changes: FieldChange[] = [];
  const compare = (field: FieldChange['field'], was: string | null, is: string | null): void => {
    if (was !== is) changes.push({ field, before: was, after: is });
  };
  compare('title', before.title, desired.title);
  const labels = { ...before.labels, ...desired.labels };
  for (const name of Object.keys(labels).sort(byCodeUnit)) {
    compare(`labels.${name}`, labelOf(before.labels, name), labelOf(desired.labels, name));
  }
  compare('protect', String(before.protect ?? false), String(desired.protect));
  compare('service', before.service, desired.service);
  const isOnly = desired.scenes.length === 1 && (before.scenes?.length ?? 1) === 1;
  if (isOnly) {
    compare('template', before.template, firstTemplate(desired));
    compare('style_version', before.style_version, styleVersionOf(desired));
  }
  changes.push(...sceneFields(before, desired));
  changes.push(...captionFields(before, desired));
  return changes;
}

/** Returns the files with captions that differ. Those that depend on unknown lengths stay as they are. */
function captionFields({ caption_files: recorded = [] }: LockEntry, desired: DesiredVideo): FieldChange[] {
  const wanted = captionFiles(desired);
  if (wanted === null) return [];
  const formats = [...new Set([...recorded, ...wanted].map(({ format }) => format))];
  const [before, after] = [recorded[0]?.cues, wanted[0]?.cues];
  const isEdited = before !== undefined && after !== undefined && before !== after;
  const cues: FieldChange[] = isEdited ? [{ field: 'captions.cues', before, after }] : [];
  const files = formats.flatMap((format): FieldChange[] => {
    const [was, is] = [recorded, wanted].map((files) => files.find((file) => file.format === format));
    // Their names follow the fingerprint and the id, as that of the video file does.
    if (was?.sha256 === is?.sha256) return [];
    const text = (file: typeof was): string | null => (file === undefined ? null : `sha256:${file.sha256}`);
    return [{ field: `captions.${format}`, before: text(was), after: text(is) }];
  });
  return [...cues, ...files];
}

function labelOf(labels: LockEntry['labels'], name: string): string | null {
  return labels !== undefined && Object.hasOwn(labels, name) ? labels[name]! : null;
}

/**
 * Returns the inputs that differ: those of the video in its order, then removed inputs. Ignores written-out defaults. Leaves out the inputs of
 * scenes that were added or removed.
 */
export function compareInputs(before: LockEntry, desired: DesiredVideo): InputChange[] {
  const was = canonicalInputs(joinInputs(before, desired), desired, inheritedMeasures(desired));
  const [ids, recordedIds] = [scenesOfInputs(desired), recordedSceneIds(before, desired)];
  const changes: InputChange[] = [];
  const add = (change: InputChange): void => {
    const { scene } = parseInputName(change.key, [...ids, ...recordedIds]);
    if (scene === undefined) changes.push(change);
    else if (ids.includes(scene) && recordedIds.includes(scene)) changes.push({ ...change, scene });
  };
  for (const [key, after] of Object.entries(desired.inputs())) {
    const old = was.get(key) ?? null;
    if (old !== after) add({ key, before: old, after });
    was.delete(key);
  }
  for (const [key, old] of was) add({ key, before: old, after: null });
  return changes;
}

/**
 * Returns the reason for a changed fingerprint: the first in the order service, scenes, template, values. If only the output or the timeline
 * changed, that is the reason; if all changed values are local files with other bytes, `asset_changed` is. If no
 * recorded field changed, the engine did.
 *
 * `template_changed` means that reelform.yaml names another template or that the package in the repository changed;
 * `style_version_changed` that a remote template has another version.
 */
export function reasonOf(
  desired: DesiredVideo,
  inputs: readonly InputChange[],
  fields: readonly FieldChange[],
): Reason {
  const changed = (field: FieldChange['field']): boolean => fields.some((change) => change.field === field);
  const ofScenes = (name: string): boolean =>
    fields.some(({ field }) => field.startsWith('scenes.') && field.endsWith(name));
  if (changed('service')) return 'service_changed';
  if (changed('scenes')) return 'scenes_changed';
  if (changed('template') || ofScenes('.template')) return 'template_changed';
  if (changed('style_version') || ofScenes('.style_version')) {
    return desired.service === 'embedded' ? 'template_changed' : 'style_version_changed';
  }
  if (inputs.length === 0) return 'engine_changed';
  const kinds = new Set(inputs.map(({ key }) => parseInputName(key, scenesOfInputs(desired)).kind));
  if (kinds.size === 1 && kinds.has('output')) return 'output_changed';
  if (kinds.size === 1 && kinds.has('timeline')) return 'timeline_changed';
  return inputs.every((input) => onlyBytesChanged(desired, input)) ? 'asset_changed' : 'input_changed';
}

/** Compares a local file without its digest. File names are not recorded. */
function onlyBytesChanged(desired: DesiredVideo, { key, before, after }: InputChange): boolean {
  const value = inputValue(desired, parseInputName(key, scenesOfInputs(desired)));
  if (value === undefined || !('source' in value) || value.source.kind !== 'file') return false;
  const handling = (value: string | null): string | undefined => /^sha256:[0-9a-f]{64}(.*)$/.exec(value ?? '')?.[1];
  return handling(before) === handling(after);
}

/**
 * Returns what to do at each destination of a video.
 *
 * @param before entry with the deliveries of the same rendering; null when there is none
 */
export function compareDestinations(
  before: Pick<LockEntry, 'deliveries'> | null,
  wanted: readonly WantedDestination[],
): DestinationChange[] {
  const delivered = before?.deliveries ?? [];
  const missing = wanted.filter((destination) => !hasArrived(destination, delivered));
  const released = delivered.filter(({ to }) => !wanted.some((destination) => destination.to === to));
  return [
    ...missing.map((destination) => ({ kind: 'deliver' as const, ...destination })),
    ...released.map(({ to }) => ({ kind: 'release' as const, to, credential: null })),
  ];
}

/** Returns whether a file has been delivered: captions with their present content. Those with unknown times wait. */
export function hasArrived({ to, captions, sha256 }: WantedDestination, delivered: readonly Delivery[]): boolean {
  if (captions === undefined) return delivered.some((delivery) => delivery.to === to);
  return sha256 === undefined || delivered.some((delivery) => delivery.to === to && delivery.sha256 === sha256);
}

/** Returns what to do at each destination after a new render: the new file is delivered to all of them. */
export function renewDestinations(
  before: Pick<LockEntry, 'deliveries'>,
  wanted: readonly WantedDestination[],
): DestinationChange[] {
  const released = compareDestinations(before, wanted).filter(({ kind }) => kind === 'release');
  return [...compareDestinations(null, wanted), ...released];
}

/** Returns the reason for a delivery without a render. */
export function deliverReason(destinations: readonly DestinationChange[]): Reason {
  return destinations.some(({ kind }) => kind === 'release') ? 'destination_changed' : 'not_delivered';
}

/**
 * Returns the earlier and the new deliveries to wanted destinations, after a change.
 *
 * @param before deliveries of the same rendering
 * @returns sorted by destination
 */
export function settleDeliveries(
  before: readonly Delivery[],
  wanted: readonly WantedDestination[],
  arrived: readonly Delivery[],
): Delivery[] {
  const byDestination = new Map([...before, ...arrived].map((delivery) => [delivery.to, delivery]));
  const kept = wanted.flatMap(({ to }) => byDestination.get(to) ?? []);
  return kept.sort((a, b) => byCodeUnit(a.to, b.to));
}
