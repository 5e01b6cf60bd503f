import { warningAt } from '../../kernel/diagnostic.ts';
import { byCodeUnit } from '../../kernel/digest.ts';
import { groupBy } from '../../kernel/group-by.ts';
import { deliveriesBySession, liveAttempts, recordedIn } from '../lock/fold-journal.ts';
import { type Attempt, type AttemptState, EMPTY_JOURNAL, type MissingCode } from '../lock/journal.ts';
import type { Delivery, Fingerprint, Lock } from '../lock/lock.ts';
import { wantedDestinations } from './caption-files.ts';
import { hasArrived, renewDestinations } from './compare-video.ts';
import type { DesiredVideo } from './desired-video.ts';
import {
  type Adjustment,
  type Adoption,
  type AdoptionSource,
  type Change,
  type Creation,
  delivers,
  type Observations,
  type PlanDiagnostic,
} from './plan.ts';

interface Known {
  readonly lock: Lock;
  readonly observations: Observations;
  readonly requested: (id: string) => boolean;
  /** Returns true for videos that may adopt a rendering whose local output is missing, by their id. */
  readonly adoptsAbsent: (id: string) => boolean;
}

/**
 * Replaces renders by adoptions where a rendering of the same fingerprint exists or is running. A rendering requested
 * on purpose is adopted from the journal only: the lockfile does not have it yet.
 *
 * @param compared the change that each video would need without shared renderings
 * @returns the changes in their order, and a warning for each video whose session is unknown or missing
 */
export function adoptRenderings(
  compared: readonly Change[],
  known: Known,
): { changes: Change[]; diagnostics: PlanDiagnostic[] } {
  const { lock, observations } = known;
  const { missingOutputs, journal = EMPTY_JOURNAL, gone = [] } = observations;
  const present = renderedVideos(known);
  const absent = missingOutputs.size === 0 ? present : renderedVideos(known, missingOutputs);
  const lost = new Set([...lock.videos.values()].flatMap((entry) => (entry.lost ? [entry.session] : [])));
  const attempts = liveAttempts(journal, recordedIn(lock.videos.values()));
  const delivered = new DeliveredAttempts(deliveriesBySession(journal), gone);
  const planned = new Map<Fingerprint, Change['id']>();
  const diagnostics: PlanDiagnostic[] = [];

  const adoptionOf = (change: Creation | Adjustment, attempt: Attempt | null): Adoption | null => {
    const { fingerprint } = change.desired;
    // A delivery needs the local file.
    const mayBeAbsent = known.adoptsAbsent(change.id) && !delivers(change);
    const shared = present.get(fingerprint) ?? (mayBeAbsent ? absent.get(fingerprint) : undefined);
    const found = sourceOf(change, { attempt, shared, delivered }, known);
    if (found !== null && !lost.has(sessionOf(found))) return adopt(change, change.reason, found);
    const id = planned.get(fingerprint);
    return id === undefined ? null : adopt(change, change.reason, { kind: 'planned', id });
  };

  const adopted = new Map<Change, Change>();
  for (const change of [...compared].sort((a, b) => byCodeUnit(a.id, b.id))) {
    if (change.action !== 'noop' && change.action !== 'create' && change.action !== 'update') continue;
    const { fingerprint } = change.desired;
    const attempt = attempts.get(fingerprint) ?? null;
    const adoption =
      change.action === 'noop' ? laterRendering(change, attempt, delivered) : adoptionOf(change, attempt);
    if (adoption !== null) adopted.set(change, adoption);
    if (change.action === 'noop') continue;
    if (adoption === null) planned.set(fingerprint, change.id);
    if (attempt !== null && UNRESOLVED.has(attempt.state)) diagnostics.push(unknownSession(change, attempt));
  }
  return { changes: compared.map((change) => adopted.get(change) ?? change), diagnostics };
}

/**
 * Returns whether a warning of a plan is about a request whose result is unknown. An apply checks the request again, so
 * the warning holds after the run only for videos that were not started.
 */
export function isUnresolvedRequest({ code, severity, video }: PlanDiagnostic): boolean {
  return severity === 'warning' && video !== undefined && UNRESOLVED_CODES.has(code);
}

/** Finds a rendering requested on purpose by a run that crashed before it wrote the lockfile. */
function laterRendering(change: Adjustment, attempt: Attempt | null, delivered: DeliveredAttempts): Adoption | null {
  const { desired, before } = change;
  if (!attempt?.rendering) return null;
  const { session } = attempt.rendering;
  const anew = { ...change, destinations: renewDestinations(before, wantedDestinations(desired)) };
  return adopt(anew, 'requested', journalSource(attempt, session, delivered.arrivedDeliveries(session, desired)));
}

function sourceOf(
  change: Creation | Adjustment,
  {
    attempt,
    shared,
    delivered,
  }: {
    readonly attempt: Attempt | null;
    readonly shared: (AdoptionSource & { readonly kind: 'video' }) | undefined;
    readonly delivered: DeliveredAttempts;
  },
  { observations, requested }: Known,
): Exclude<AdoptionSource, { readonly kind: 'planned' }> | null {
  if (attempt !== null && attempt.session !== null) {
    return journalSource(attempt, attempt.session, delivered.arrivedDeliveries(attempt.session, change.desired));
  }
  const { fingerprint } = change.desired;
  // The present rendering is outdated or lost, or a new rendering was requested.
  if (change.before?.fingerprint === fingerprint || requested(change.id)) return null;
  const elsewhere = delivered.find(change.desired);
  if (elsewhere !== null) return elsewhere;
  if (shared !== undefined) return shared;
  const former = observations.history?.get(fingerprint);
  if (former === undefined) return null;
  const { commit, isMerged, id, entry } = former;
  return { kind: 'history', commit, isMerged, id, rendering: entry };
}

/** @param deliveries successful deliveries to wanted destinations */
function journalSource(
  { intent, rendering }: Attempt,
  session: string,
  deliveries: readonly Delivery[],
): AdoptionSource & { readonly kind: 'journal' } {
  const source = { kind: 'journal' as const, id: intent.id, session, rendering };
  return deliveries.length === 0 ? source : { ...source, deliveries };
}

function sessionOf(source: Exclude<AdoptionSource, { readonly kind: 'planned' }>): string {
  return source.kind === 'journal' ? source.session : source.rendering.session;
}

/**
 * Returns the lock entries whose video exists, by fingerprint; of several equal entries the first by id.
 *
 * @param accepted ids of entries that count although their local output is missing
 */
function renderedVideos(
  { lock, observations }: Known,
  accepted: ReadonlySet<string> = new Set(),
): Map<Fingerprint, AdoptionSource & { readonly kind: 'video' }> {
  const { missingOutputs, damagedOutputs, refreshed } = observations;
  const rendered = new Map<Fingerprint, AdoptionSource & { readonly kind: 'video' }>();
  for (const [id, entry] of lock.videos) {
    if ((missingOutputs.has(id) && !accepted.has(id)) || damagedOutputs?.has(id)) continue;
    if (refreshed?.has(id) || entry.lost) continue;
    const shared = rendered.get(entry.fingerprint);
    if (shared === undefined || byCodeUnit(id, shared.id) < 0) {
      rendered.set(entry.fingerprint, { kind: 'video', id, rendering: entry });
    }
  }
  return rendered;
}

function adopt(change: Creation | Adjustment, reason: Change['reason'], source: AdoptionSource): Adoption {
  const there = source.kind === 'journal' ? (source.deliveries ?? []) : [];
  const destinations = change.destinations.filter((each) => each.kind === 'release' || !hasArrived(each, there));
  return { ...change, action: 'adopt', reason, destinations, source };
}

const UNRESOLVED: ReadonlySet<AttemptState> = new Set(['sending', 'unknown', 'missing'] satisfies AttemptState[]);

const MISSING: Readonly<Record<MissingCode, string>> = {
  session_gone: 'the service no longer had',
  session_without_video: 'the service named no video of',
  session_differs: 'the service answered with another content for',
};

const UNRESOLVED_CODES: ReadonlySet<string> = new Set(['session_unknown', ...Object.keys(MISSING)]);

function unknownSession({ id }: Change, { intent, session, missing = 'session_gone' }: Attempt): PlanDiagnostic {
  const asked = `A render of "${id}" was requested at ${intent.at}, but`;
  if (session !== null) {
    const message = `${asked} ${MISSING[missing]} its session ${session} when the last apply checked`;
    const hint = `The next apply checks again and requests no new render. To decide now: reelform resolve ${id}`;
    return { ...warningAt(missing, undefined, message, hint), video: id };
  }
  const message = `${asked} it is unknown whether the service accepted it`;
  const hint = `Check the service, then run reelform resolve ${id} --session ID, --retry or --abandon`;
  return { ...warningAt('session_unknown', undefined, message, hint), video: id };
}

type Wanted = Pick<DesiredVideo, 'fingerprint' | 'service' | 'deliver'>;

/** Deliveries of earlier runs in the journal that no lasting lockfile records. */
class DeliveredAttempts {
  readonly #deliveries: ReadonlyMap<string, readonly Delivery[]>;
  readonly #gone: ReadonlyMap<Fingerprint, readonly Attempt[]>;

  /**
   * @param deliveries by session
   * @param gone attempts whose local files no longer exist, in starting order
   */
  constructor(deliveries: ReadonlyMap<string, readonly Delivery[]>, gone: readonly Attempt[]) {
    this.#deliveries = deliveries;
    this.#gone = groupBy(gone, ({ intent }) => intent.fingerprint);
  }

  /** Returns the deliveries of a session's video to wanted destinations. */
  arrivedDeliveries(session: string, { deliver, service }: Wanted): Delivery[] {
    const there = this.#deliveries.get(session) ?? [];
    return deliver.flatMap(({ to }) => {
      // A folder of the rendering machine may be gone with that machine.
      if (service === 'embedded' && to.startsWith('file:')) return [];
      return there.find((delivery) => delivery.to === to) ?? [];
    });
  }

  /** Returns the latest rendering that has arrived at all wanted destinations of its files although its local file is gone. */
  find(video: Wanted): (AdoptionSource & { readonly kind: 'journal' }) | null {
    const { fingerprint, deliver } = video;
    const files = deliver.filter(({ captions }) => captions === undefined).map(({ to }) => to);
    if (files.length === 0) return null;
    for (const { intent, rendering } of this.#gone.get(fingerprint)?.toReversed() ?? []) {
      if (rendering === null) continue;
      const deliveries = this.arrivedDeliveries(rendering.session, video);
      if (!files.every((to) => deliveries.some((delivery) => delivery.to === to))) continue;
      return { kind: 'journal', id: intent.id, session: rendering.session, rendering, deliveries };
    }
    return null;
  }
}
