import { recordedIn } from './fold-journal.ts';
import type { JournalRecord, JournalState } from './journal.ts';
import type { Lock } from './lock.ts';

/**
 * The fewest lines that say what is still worth knowing: attempts that are neither closed nor recorded in the
 * lockfile; where the video of one that stays still is; and what was seen of services. Lines of types
 * that this version does not know are passed on.
 *
 * @param records all lines, which `state` was folded from
 * @param lock one that lasts
 */
export function compactJournal(records: readonly JournalRecord[], state: JournalState, lock: Lock): JournalRecord[] {
  const isRecorded = recordedIn(lock.videos.values());
  const goes = (key: string): boolean => {
    const attempt = state.attempts.get(key);
    return attempt === undefined || attempt.state === 'closed' || isRecorded(attempt);
  };
  const kept = [...state.attempts].flatMap(([key, { session }]) => (session === null || goes(key) ? [] : [session]));
  const sessions = new Set(kept);
  const left = records.flatMap((record): JournalRecord[] => {
    if (record.type === 'keys' || record.type === 'durations') return [];
    if (record.type === 'delivered') return sessions.has(record.session) ? whatIsThere(record, state) : [];
    return 'key' in record && goes(record.key) ? [] : [record];
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

/** The line without places that another video arrived in since: the line that says so may go before this one. */
function whatIsThere(
  record: JournalRecord & { readonly type: 'delivered' },
  { arrivals }: JournalState,
): JournalRecord[] {
  const deliveries = record.deliveries.filter(({ to }) => arrivals.get(to)?.session === record.session);
  return deliveries.length === 0 ? [] : [{ ...record, deliveries }];
}
