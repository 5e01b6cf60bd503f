import type { VideoDestination } from '../definition/video.ts';
import { byCodeUnit } from '../digest.ts';
import type { Delivery, LockEntry } from '../lock/lock.ts';
import { plainInputs } from './describe-inputs.ts';
import type { DesiredVideo } from './desired-video.ts';
import type { DestinationChange, FieldChange, InputChange, Reason } from './plan.ts';

/** The fields that differ between a lock entry and the video that it stands for, in the lockfile's order. */
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
  compare('template', before.template, desired.template);
  compare('style_version', before.style_version, desired.styleVersion);
  return changes;
}

function labelOf(labels: LockEntry['labels'], name: string): string | null {
  return labels !== undefined && Object.hasOwn(labels, name) ? labels[name]! : null;
}

/** The inputs that differ: those of the video in its order, then those that it no longer has. A repeated default is none. */
export function compareInputs(before: LockEntry, desired: DesiredVideo): InputChange[] {
  const was = plainInputs(before.inputs, desired);
  const changes: InputChange[] = [];
  for (const [key, after] of Object.entries(desired.inputs)) {
    const old = was.get(key) ?? null;
    if (old !== after) changes.push({ key, before: old, after });
    was.delete(key);
  }
  for (const [key, old] of was) changes.push({ key, before: old, after: null });
  return changes;
}

/**
 * The one reason to give for another fingerprint: the widest of its causes. A change of service comes before one of the
 * template, that before the values; when nothing but the output changed, that is the reason, and when every changed value is
 * a local file whose bytes are different, the files are. When all that is recorded is the same, what is left is the engine.
 *
 * `template_changed` says that reelform.yaml names another template or that the package in the repository changed;
 * `style_version_changed` that a remote template stands for another version.
 */
export function reasonOf(
  desired: DesiredVideo,
  inputs: readonly InputChange[],
  fields: readonly FieldChange[],
): Reason {
  const changed = (field: FieldChange['field']): boolean => fields.some((change) => change.field === field);
  if (changed('service')) return 'service_changed';
  if (changed('template')) return 'template_changed';
  if (changed('style_version')) return desired.service === 'embedded' ? 'template_changed' : 'style_version_changed';
  if (inputs.length === 0) return 'engine_changed';
  if (inputs.every(({ key }) => key === 'output' && !desired.resources.has(key))) return 'output_changed';
  return inputs.every((input) => onlyBytesChanged(desired, input)) ? 'asset_changed' : 'input_changed';
}

/** The value was and is a local file, handled the same way. Whether its name changed is not recorded. */
function onlyBytesChanged(desired: DesiredVideo, { key, before, after }: InputChange): boolean {
  const track = /^audio\.(.*)$/s.exec(key)?.[1];
  const value = desired.resources.get(key) ?? (track === undefined ? undefined : desired.audio.get(track));
  if (value === undefined || !('source' in value) || value.source.kind !== 'file') return false;
  const handling = (value: string | null): string | undefined => /^sha256:[0-9a-f]{64}(.*)$/.exec(value ?? '')?.[1];
  return handling(before) === handling(after);
}

/**
 * What is to be done about the places of a video.
 *
 * @param before what holds the deliveries of the same rendering; null: it is none, or another
 */
export function compareDestinations(
  before: Pick<LockEntry, 'deliveries'> | null,
  wanted: readonly VideoDestination[],
): DestinationChange[] {
  const had = before?.deliveries ?? [];
  const missing = wanted.filter(({ to }) => !had.some((one) => one.to === to));
  const released = had.filter(({ to }) => !wanted.some((one) => one.to === to));
  return [
    ...missing.map(({ to, credential }) => ({ kind: 'deliver' as const, to, credential })),
    ...released.map(({ to }) => ({ kind: 'release' as const, to, credential: null })),
  ];
}

/** What is to be done about them once it is rendered anew: the new file goes everywhere. */
export function renewDestinations(
  before: Pick<LockEntry, 'deliveries'>,
  wanted: readonly VideoDestination[],
): DestinationChange[] {
  const released = compareDestinations(before, wanted).filter(({ kind }) => kind === 'release');
  return [...compareDestinations(null, wanted), ...released];
}

/** Why a video is delivered that is not rendered. */
export function deliverReason(destinations: readonly DestinationChange[]): Reason {
  return destinations.some(({ kind }) => kind === 'release') ? 'destination_changed' : 'not_delivered';
}

/**
 * Where the file is afterwards: of the places that are wanted those where it was, and those where it arrived.
 *
 * @param before of the same rendering
 * @returns by place
 */
export function settleDeliveries(
  before: readonly Delivery[],
  wanted: readonly VideoDestination[],
  arrived: readonly Delivery[],
): Delivery[] {
  const known = new Map([...before, ...arrived].map((one) => [one.to, one]));
  const kept = wanted.flatMap(({ to }) => known.get(to) ?? []);
  return kept.sort((a, b) => byCodeUnit(a.to, b.to));
}
