import type { SegmentProgress } from '../../reconciler/apply/events.ts';

/** Formats a number with separators: `1,204`. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** `a, b, c and 1,204 more`. */
export function listSome<T>(items: readonly T[], most: number, format: (item: T) => string): string {
  const shown = items.slice(0, most).map(format).join(', ');
  return items.length > most ? `${shown} and ${formatCount(items.length - most)} more` : shown;
}

/** `1 video`, `1,204 videos`. Pass `nouns` for an irregular plural. */
export function countNoun(count: number, noun: string, nouns = `${noun}s`): string {
  return `${formatCount(count)} ${count === 1 ? noun : nouns}`;
}

/** `2 errors and 1 warning`; empty if there are none. Counts no other status. */
export function countSeverities(severities: readonly string[]): string {
  return ['error', 'warning']
    .map((severity) => ({ severity, count: severities.filter((candidate) => candidate === severity).length }))
    .filter(({ count }) => count > 0)
    .map(({ severity, count }) => countNoun(count, severity))
    .join(' and ');
}

/** `2026-11-22 09:30:00 UTC`. */
export function formatTime(iso: string): string {
  return `${iso.slice(0, 19).replace('T', ' ')} UTC`;
}

/** Formats finished segments: `4 of 6 segments`, `4 of 6 segments, 3 reused`. */
export function segmentProgress({ done, total, reused }: SegmentProgress): string {
  const counted = `${formatCount(done)} of ${countNoun(total, 'segment')}`;
  return reused === 0 ? counted : `${counted}, ${formatCount(reused)} reused`;
}

/** Formats milliseconds: `0.4 s`, `12 s`, `3:07 min`, `1:02:09 h`. */
export function formatDuration(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const two = (value: number): string => String(value).padStart(2, '0');
  if (whole < 3600) return `${Math.floor(whole / 60)}:${two(whole % 60)} min`;
  return `${Math.floor(whole / 3600)}:${two(Math.floor((whole % 3600) / 60))}:${two(whole % 60)} h`;
}
