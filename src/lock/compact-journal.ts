import type { JournalRecord, JournalState } from './journal.ts';
import type { Fingerprint } from './lock.ts';

/**
 * The fewest lines that say what is still worth knowing: attempts that are not closed, save those that were rendered and
 * are in a lockfile, and what was seen of services. Lines of types that this version does not know are passed on.
 *
 * @param records all lines, which `state` was folded from
 * @param isKept whether a lockfile that lasts has a fingerprint
 */
export function compactJournal(
  records: readonly JournalRecord[],
  state: JournalState,
  isKept: (fingerprint: Fingerprint) => boolean,
): JournalRecord[] {
  const goes = (key: string): boolean => {
    const attempt = state.attempts.get(key);
    if (attempt === undefined || attempt.state === 'closed') return true;
    return attempt.state === 'rendered' && isKept(attempt.intent.fingerprint);
  };
  const left = records.filter((record) => {
    if (record.type === 'keys' || record.type === 'durations') return false;
    return !('key' in record) || !goes(record.key);
  });
  const facts = [...state.services].flatMap(([service, { keyLifetimeMs, durationsMs }]): JournalRecord[] => [
    ...(keyLifetimeMs === null ? [] : [{ type: 'keys' as const, service, lifetime_ms: keyLifetimeMs }]),
    ...[...durationsMs].map(([style_version, durations_ms]) => ({
      type: 'durations' as const,
      service,
      style_version,
      durations_ms,
    })),
  ]);
  return [...facts, ...left];
}
