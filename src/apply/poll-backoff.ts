/** What decides when a session is polled next. Ages are milliseconds since the service accepted it. */
export interface PollState {
  /** How long earlier renders of its style version took. */
  readonly durationsMs: readonly number[];
  /** Of the last poll; 0 before the first. */
  readonly ageMs: number;
  /** `render_progress` at that age. */
  readonly progress: number;
  /** Of the last poll that showed no progress: until then the session may have waited for its turn. */
  readonly idleMs: number;
  /** Sessions of its style version that are polled side by side. */
  readonly peers: number;
  /** 0..1, different for each of them. */
  readonly spread: number;
}

export const MIN_POLL_MS = 100;
const FIRST_POLL_MS = 250;
const MAX_STEP_MS = 60_000;
/** Timers and clocks are not exact: a poll that comes a moment too early is a request for nothing. */
const MARGIN = 1.002;
/** How late an end may be found, as a share of the age: durations that lie closer together share a poll. */
const STEP = 1.03;

/**
 * Returns the age at which to poll a session next. By its progress; else when earlier renders took as long; else ever
 * later, side by side with its peers: the first one that ends tells when to poll all the others.
 */
export function nextPollAge(state: PollState): number {
  const { ageMs } = state;
  return Math.max(expectedAge(state) * MARGIN, ageMs + Math.max(MIN_POLL_MS, 0.01 * ageMs));
}

function expectedAge({ durationsMs, ageMs, progress, idleMs, peers, spread }: PollState): number {
  const sorted = durationsMs.toSorted((a, b) => a - b);
  const last = sorted.at(-1) ?? 0;
  if (progress > 0 && progress < 100) {
    // Progress comes in whole per cent, and little of it says little.
    const renderingMs = ageMs - idleMs;
    return (
      idleMs + Math.min((renderingMs * 100) / (progress + 0.3), Math.max(last, renderingMs * (last === 0 ? 4 : 1.1)))
    );
  }
  const next = sorted.find((one) => one * MARGIN > ageMs);
  if (next !== undefined) return sorted.findLast((one) => one <= next * STEP)!;
  if (last > 0) return ageMs + Math.min(MAX_STEP_MS, Math.max(0.02 * last, (ageMs - last) / 2));
  const factor = Math.min(1.5, 1.08 ** peers);
  return ageMs === 0 ? FIRST_POLL_MS * factor ** spread : Math.min(ageMs * factor, ageMs + MAX_STEP_MS);
}
