import { LOOK_COST, type LookPlan, planLooks } from './look-plan.ts';

/** What sessions of one style version have shown of themselves. */
export interface Pace {
  readonly medianMs: number;
  readonly plan: LookPlan;
  /** Whether they all take nearly the same time. */
  readonly isSteady: boolean;
}

/** What the next look at a session is decided by. Ages are milliseconds since the service took it on. */
export interface LookBasis {
  /** Null before the first of its kind has ended. */
  readonly pace: Pace | null;
  /** Of the last look; 0 before the first. */
  readonly ageMs: number;
  /** Looks that there were. */
  readonly looks: number;
  /** `render_progress` at that age. */
  readonly progress: number;
  /** Of the last look that showed no progress, 0 without: it may have waited for its turn until then, and been made since. */
  readonly idleMs: number;
  /** Whether `render_progress` was ever seen to move, for this kind. */
  readonly showsProgress: boolean;
  /** Sessions of this kind that are watched at once, this one included. */
  readonly peers: number;
  /** 0..1, spread evenly over the peers. */
  readonly phase: number;
  /** See the port. */
  readonly minPollMs: number;
}

/** Samples that are kept of a style version: enough to tell its spread, few enough to follow a change. */
export const MAX_DURATIONS = 64;

const FIRST_LOOK_MS = 250;
/** How much later than the one before a look may find an end, when nothing is known: as a share of the age. */
const COLD_STEP = 1.08;
const MAX_COLD_STEP = 1.5;
/** Timers and clocks are not exact: a look that comes a moment too early is a request for nothing. */
const MARGIN = 0.002;
/** Spread of durations below which each takes the time that all take. */
const STEADY = 0.05;
/** Beyond all that was ever seen. */
const OVERDUE_STEP = 0.02;
const MAX_STEP_MS = 60_000;
/** Nobody minds this share of a render's time. */
const MIN_STEP = 0.01;

/** Between two lists of all sessions, as a share of what the renders take. */
const LIST_TICK = 0.02;

/** How long a list of all sessions makes looks at them needless, in milliseconds. */
export function listTickMs(pace: Pace | null): number {
  return pace === null ? 0 : LIST_TICK * pace.medianMs;
}

/** @param durationsMs none, and there is no pace */
export function paceOf(durationsMs: readonly number[]): Pace | null {
  if (durationsMs.length === 0) return null;
  const sorted = [...durationsMs].sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!;
  return {
    medianMs: at(0.5),
    plan: planLooks(durationsMs, LOOK_COST * at(0.5)),
    isSteady: at(0.9) - at(0.1) <= STEADY * at(0.5),
  };
}

/**
 * The age at which a session is looked at next: never less than `minPollMs` after the last look. Any of the ages may come
 * late or never; what this promises is few looks and early news where renders take what earlier ones took. By progress where it is
 * shown and times differ; by the times of others where there are any; else ever later, side by side with its peers so
 * that one of them is found soon: what it took tells when to look at all the others.
 */
export function nextLookMs(basis: LookBasis): number {
  const { ageMs, minPollMs } = basis;
  const atMs = basis.pace === null ? coldLookMs(basis) : knownLookMs(basis, basis.pace);
  return Math.max(atMs * (1 + MARGIN), ageMs + Math.max(minPollMs, MIN_STEP * ageMs));
}

function knownLookMs(basis: LookBasis, pace: Pace): number {
  const { ageMs, looks, progress, idleMs } = basis;
  if (!pace.isSteady && basis.showsProgress) {
    // One look early enough that most are still at it shows how far this one is.
    if (looks === 0) return pace.plan[0]! * 0.8;
    if (progress > 0) {
      // Little progress after a long wait promises an end in hours: no later than the longest there was, from its begin.
      const latestMs = idleMs + pace.plan.at(-1)!;
      return Math.min(extrapolatedMs(basis), latestMs > ageMs ? latestMs : overdueMs(ageMs, latestMs));
    }
  }
  const planned = pace.plan.find((one) => one * (1 + MARGIN) > ageMs);
  return planned ?? overdueMs(ageMs, pace.plan.at(-1)!);
}

function coldLookMs(basis: LookBasis): number {
  const { ageMs, looks, progress, idleMs, peers, phase, minPollMs } = basis;
  const step = Math.min(MAX_COLD_STEP, COLD_STEP ** peers);
  if (looks === 0) return Math.max(FIRST_LOOK_MS, minPollMs) * step ** phase;
  const lookMs = Math.min(ageMs * step, ageMs + MAX_STEP_MS);
  const latestMs = idleMs + (ageMs - idleMs) * 4;
  return progress > 0 && progress < 100 ? Math.min(extrapolatedMs(basis), latestMs) : lookMs;
}

/** Progress comes in whole per cent: the less there is of it, the less it tells. */
function extrapolatedMs({ ageMs, progress, idleMs }: LookBasis): number {
  const endMs = idleMs + ((ageMs - idleMs) * 100) / Math.min(100, progress + 0.5);
  const error = 0.5 / progress;
  const aimMs = error < 0.02 ? endMs * (1 + error / 2) : endMs * (1 - error);
  return Math.max(aimMs, ageMs * (1 + OVERDUE_STEP / 2));
}

function overdueMs(ageMs: number, lastMs: number): number {
  const overMs = Math.max(0, ageMs - lastMs);
  return ageMs + Math.min(MAX_STEP_MS, Math.max(OVERDUE_STEP * lastMs, overMs / 2));
}
