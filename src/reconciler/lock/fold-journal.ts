import { defined } from '../../kernel/defined.ts';
import { groupBy } from '../../kernel/group-by.ts';
import type { Arrival, Attempt, AttemptState, JournalRecord, JournalState, ServiceFacts } from './journal.ts';
import type { Delivery, Fingerprint, Lock, LockEntry } from './lock.ts';

/** Number of durations kept per style version: enough to show their spread, few enough to follow a faster service. */
const DURATIONS_KEPT = 20;

/** Precedence of several attempts for one fingerprint. Failed and closed attempts are never chosen. */
const RANK: Readonly<Record<AttemptState, number>> = {
  rendered: 6,
  created: 5,
  missing: 4,
  retry: 3,
  unknown: 2,
  sending: 1,
  failed: 0,
  closed: 0,
};

/** Folds the lines of a journal, in their order, into its state. Ignores lines about keys without an intent. */
export function foldJournal(records: Iterable<JournalRecord>): JournalState {
  const fold = new JournalFold();
  for (const record of records) fold.take(record);
  return fold.state;
}

/** Test for attempts that the lockfile makes obsolete. */
type IsRecorded = (attempt: Attempt) => boolean;

const NOT_RECORDED: IsRecorded = () => false;

/**
 * Returns the test for attempts that these lock entries make obsolete: entries of the same fingerprint with the same
 * session, a later rendering, or the same local file; for a failed attempt, a rendering after its request. A restored
 * file is rendered after its entry, which does not change.
 */
export function recordedIn(entries: Iterable<LockEntry>): IsRecorded {
  // Built for the first attempt: most journals have none, and a lockfile may have many entries.
  let byFingerprint: Map<Fingerprint, LockEntry[]> | undefined;
  return ({ intent, state, session, rendering }) => {
    byFingerprint ??= groupBy(entries, ({ fingerprint }) => fingerprint);
    const alike = byFingerprint.get(intent.fingerprint) ?? [];
    return alike.some((entry) => {
      if (session !== null && session === entry.session) return true;
      if (state === 'failed') return intent.at <= entry.rendered_at;
      if (rendering === null) return false;
      if (rendering.rendered_at <= entry.rendered_at) return true;
      return intent.service === 'embedded' && rendering.video_url === entry.video_url;
    });
  };
}

/**
 * Returns the attempt that counts for a fingerprint: rendered before created, created before unanswered; of equals the
 * latest. Null when all are closed or recorded, or there is none.
 */
export function liveAttempt(state: JournalState, fingerprint: Fingerprint, isRecorded?: IsRecorded): Attempt | null {
  return liveAttempts(state, isRecorded).get(fingerprint) ?? null;
}

/** Returns the `liveAttempt` of every fingerprint that has such an attempt, in one pass. */
export function liveAttempts(state: JournalState, isRecorded: IsRecorded = NOT_RECORDED): Map<Fingerprint, Attempt> {
  const live = new Map<Fingerprint, Attempt>();
  for (const attempt of state.attempts.values()) {
    if (isRecorded(attempt)) continue;
    const { fingerprint } = attempt.intent;
    const best = better(live.get(fingerprint) ?? null, attempt);
    if (best !== null) live.set(fingerprint, best);
  }
  return live;
}

/**
 * Returns the failed attempts after which nothing else was requested for their fingerprint, by fingerprint. Their
 * sessions are read again before a new session is requested, because services may render a failed session again.
 */
export function failedAttempts(state: JournalState, isRecorded: IsRecorded = NOT_RECORDED): Map<Fingerprint, Attempt> {
  const last = new Map<Fingerprint, Attempt>();
  for (const attempt of state.attempts.values()) {
    const { fingerprint } = attempt.intent;
    last.delete(fingerprint);
    if (attempt.state === 'failed' && !isRecorded(attempt)) last.set(fingerprint, attempt);
  }
  return last;
}

/** Returns the present deliveries by session. A destination belongs to the video that arrived there last. */
export function deliveriesBySession({ arrivals }: JournalState): Map<string, Delivery[]> {
  const bySession = groupBy(arrivals.values(), ({ session }) => session);
  return new Map([...bySession].map(([session, all]) => [session, all.map(({ delivery }) => delivery)]));
}

const KNOWS_SESSION: ReadonlySet<AttemptState> = new Set(['created', 'missing', 'rendered']);

/** Returns the attempt of higher precedence; of equals, the later attempt. Failed and closed attempts are never chosen. */
function better(before: Attempt | null, attempt: Attempt): Attempt | null {
  if (RANK[attempt.state] === 0) return before;
  return before === null || RANK[attempt.state] >= RANK[before.state] ? attempt : before;
}

/**
 * Returns the attempt after another line about its key; undefined when the line changes nothing.
 *
 * A later line overrides earlier ones, with these exceptions: a rendered attempt does not become created again, only a
 * sending, unknown or missing attempt can be retried, only a sending attempt can become unknown, only a created or missing
 * attempt can be missing, and an intent, which announces a (repeated) request, does not override a known session.
 */
export function nextAttempt(attempt: Attempt | undefined, record: JournalRecord): Attempt | undefined {
  if (record.type === 'intent') {
    if (attempt !== undefined && KNOWS_SESSION.has(attempt.state)) return undefined;
    const { type: _, write: _mark, ...intent }: typeof record & { readonly write?: string } = record;
    const open = { state: 'sending', session: null, rendering: null } as const;
    if (attempt === undefined) return { ...open, intent };
    // A key identifies the request body that was first sent with it. Its lifetime starts with that request.
    const { account: _former, ...first } = attempt.intent;
    const { run, account } = intent;
    return { ...open, intent: { ...first, run, ...defined({ account }) } };
  }
  if (attempt === undefined) return undefined;
  switch (record.type) {
    case 'created':
      if (attempt.state === 'rendered') return undefined;
      return { intent: attempt.intent, state: 'created', session: record.session, rendering: null };
    case 'rendered': {
      const { rendering } = record;
      return { intent: attempt.intent, state: 'rendered', session: rendering.session, rendering };
    }
    case 'missing':
      if (attempt.state !== 'created' && attempt.state !== 'missing') return undefined;
      return { ...attempt, state: 'missing', missing: record.code ?? 'session_gone' };
    case 'unknown':
      return attempt.state === 'sending' ? { ...attempt, state: 'unknown' } : undefined;
    case 'failed':
      return { ...attempt, state: attempt.session === null ? 'closed' : 'failed' };
    case 'not_created':
    case 'abandoned':
      return { ...attempt, state: 'closed' };
    case 'retry':
      if (!['sending', 'unknown', 'missing'].includes(attempt.state)) return undefined;
      return { intent: attempt.intent, state: 'retry', session: null, rendering: null };
    default:
      return undefined;
  }
}

/** State that grows with its journal. `state` is always the same object, so its holders see later lines. */
export class JournalFold {
  readonly #attempts = new Map<string, Attempt>();
  readonly #services = new Map<string, ServiceFacts>();
  readonly #arrivals = new Map<string, Arrival>();
  /** Keys by fingerprint, because each claim looks its fingerprint up. */
  readonly #keys = new Map<Fingerprint, string[]>();
  readonly state: JournalState = {
    attempts: this.#attempts,
    services: this.#services,
    arrivals: this.#arrivals,
  };

  take(record: JournalRecord): void {
    if (record.type === 'keys') {
      this.#learn(record.service, { keyLifetimeMs: record.lifetime_ms });
    } else if (record.type === 'durations') {
      const known = this.#services.get(record.service)?.durationsMs ?? new Map<string, readonly number[]>();
      const all = [...(known.get(record.style_version) ?? []), ...record.durations_ms];
      const durationsMs = new Map(known).set(record.style_version, all.slice(-DURATIONS_KEPT));
      this.#learn(record.service, { durationsMs });
    } else if (record.type === 'delivered') {
      const { session } = record;
      for (const delivery of record.deliveries) this.#arrivals.set(delivery.to, { session, delivery });
    } else if ('key' in record) {
      const before = this.#attempts.get(record.key);
      const after = nextAttempt(before, record);
      if (after === undefined) return;
      this.#attempts.set(record.key, after);
      if (before !== undefined) return;
      const { fingerprint } = after.intent;
      this.#keys.set(fingerprint, [...(this.#keys.get(fingerprint) ?? []), record.key]);
    }
  }

  /**
   * Returns the `liveAttempt` after pending writes.
   *
   * @param pending attempts by key after the lines that are being written
   */
  live(
    fingerprint: Fingerprint,
    pending: ReadonlyMap<string, Attempt>,
    isRecorded: IsRecorded = NOT_RECORDED,
  ): Attempt | null {
    let best: Attempt | null = null;
    const take = (attempt: Attempt): void => {
      if (!isRecorded(attempt)) best = better(best, attempt);
    };
    for (const key of this.#keys.get(fingerprint) ?? []) take(pending.get(key) ?? this.#attempts.get(key)!);
    for (const [key, attempt] of pending) {
      if (attempt.intent.fingerprint === fingerprint && !this.#attempts.has(key)) take(attempt);
    }
    return best;
  }

  #learn(service: string, facts: Partial<ServiceFacts>): void {
    const known = this.#services.get(service) ?? { keyLifetimeMs: null, durationsMs: new Map() };
    this.#services.set(service, { ...known, ...facts });
  }
}

/**
 * Returns the fewest lines that keep all useful facts: attempts that are neither closed nor recorded in the lockfile,
 * their present deliveries, and observations of services. Of the failed attempts for one video, only the last attempt is
 * kept, until another attempt for the video follows. Keeps lines of unknown types.
 *
 * @param records all lines that `state` was folded from
 * @param lock a lockfile that will not be discarded
 */
export function compactJournal(records: readonly JournalRecord[], state: JournalState, lock: Lock): JournalRecord[] {
  const isRecorded = recordedIn(lock.videos.values());
  const lastOf = new Map(
    [...state.attempts].flatMap(
      ([
        key,
        {
          intent: { id, fingerprint },
        },
      ]) => [
        [id, key],
        [fingerprint, key],
      ],
    ),
  );
  const goes = (key: string): boolean => {
    const attempt = state.attempts.get(key);
    if (attempt === undefined || attempt.state === 'closed' || isRecorded(attempt)) return true;
    const { id, fingerprint } = attempt.intent;
    return attempt.state === 'failed' && (lastOf.get(id) !== key || lastOf.get(fingerprint) !== key);
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

/** Removes destinations where another video arrived since, because the line of that arrival may be dropped first. */
function whatIsThere(
  record: JournalRecord & { readonly type: 'delivered' },
  { arrivals }: JournalState,
): JournalRecord[] {
  const deliveries = record.deliveries.filter(({ to }) => arrivals.get(to)?.session === record.session);
  return deliveries.length === 0 ? [] : [{ ...record, deliveries }];
}
