import type { VideoDestination } from '../definition/video.ts';
import { byCodeUnit } from '../digest.ts';
import type { Delivery, LockEntry } from '../lock/lock.ts';
import type { DestinationChange, Reason } from './plan.ts';

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
