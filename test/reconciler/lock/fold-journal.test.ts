import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  compactJournal,
  deliveriesBySession,
  failedAttempts,
  foldJournal,
  JournalFold,
  liveAttempt,
  liveAttempts,
  recordedIn,
} from '../../../src/reconciler/lock/fold-journal.ts';
import type { Attempt, AttemptState, Intent, JournalRecord } from '../../../src/reconciler/lock/journal.ts';
import { emptyLock, type Fingerprint, type Lock, type LockEntry } from '../../../src/reconciler/lock/lock.ts';
import { entryOf, intent, journalRecords } from './journal-arbitrary.ts';

const at = '2026-01-01T00:00:00.000Z';
const rendering = { session: 's2', video_url: 'https://x.test/v.mp4', thumbnails: [], rendered_at: at };
const asked: JournalRecord = { type: 'intent', ...intent('k') };
const lines = {
  asked,
  created: { type: 'created', key: 'k', session: 's1', at },
  none: { type: 'not_created', key: 'k', at },
  rendered: { type: 'rendered', key: 'k', rendering, at },
  failed: { type: 'failed', key: 'k', at },
  abandoned: { type: 'abandoned', key: 'k', at },
  retry: { type: 'retry', key: 'k', at },
  missing: { type: 'missing', key: 'k', at },
  unknown: { type: 'unknown', key: 'k', at },
} satisfies Record<string, JournalRecord>;

describe('foldJournal()', () => {
  test.each<[(keyof typeof lines)[], AttemptState, string | null]>([
    [['asked'], 'sending', null],
    [['asked', 'created'], 'created', 's1'],
    [['asked', 'none'], 'closed', null],
    [['asked', 'created', 'rendered'], 'rendered', 's2'],
    // The service may mend it.
    [['asked', 'created', 'failed'], 'failed', 's1'],
    [['asked', 'created', 'failed', 'created'], 'created', 's1'],
    [['asked', 'created', 'failed', 'missing'], 'failed', 's1'],
    [['asked', 'created', 'failed', 'retry'], 'failed', 's1'],
    [['asked', 'failed'], 'closed', null],
    [['asked', 'unknown'], 'unknown', null],
    [['asked', 'unknown', 'retry'], 'retry', null],
    [['asked', 'unknown', 'retry', 'unknown'], 'retry', null],
    [['asked', 'unknown', 'created'], 'created', 's1'],
    [['asked', 'unknown', 'abandoned'], 'closed', null],
    [['asked', 'created', 'unknown'], 'created', 's1'],
    [['asked', 'retry'], 'retry', null],
    [['asked', 'retry', 'asked'], 'sending', null],
    [['asked', 'retry', 'created'], 'created', 's1'],
    [['asked', 'created', 'retry'], 'created', 's1'],
    [['asked', 'abandoned'], 'closed', null],
    [['asked', 'abandoned', 'retry'], 'closed', null],
    // The service has the session after all.
    [['asked', 'abandoned', 'created'], 'created', 's1'],
    [['asked', 'rendered', 'created'], 'rendered', 's2'],
    [['asked', 'created', 'asked'], 'created', 's1'],
    // A session may reappear, so only a person can abandon it.
    [['asked', 'created', 'missing'], 'missing', 's1'],
    [['asked', 'created', 'missing', 'asked'], 'missing', 's1'],
    [['asked', 'created', 'missing', 'created'], 'created', 's1'],
    [['asked', 'created', 'missing', 'rendered'], 'rendered', 's2'],
    [['asked', 'created', 'missing', 'retry'], 'retry', null],
    [['asked', 'created', 'missing', 'retry', 'asked'], 'sending', null],
    [['asked', 'created', 'missing', 'abandoned'], 'closed', 's1'],
    [['asked', 'missing'], 'sending', null],
    [['asked', 'rendered', 'missing'], 'rendered', 's2'],
  ])('folds %j into an attempt that is %s', (names, state, session) => {
    const { attempts } = foldJournal(names.map((name) => lines[name]));
    expect(attempts.get('k')).toMatchObject({ state, session });
  });

  test('ignores lines about unknown keys and types of later versions', () => {
    const later = { type: 'weather', key: 'k' } as unknown as JournalRecord;
    expect(foldJournal([lines.created, later]).attempts.size).toBe(0);
    expect(foldJournal([asked, later]).attempts.get('k')?.state).toBe('sending');
  });

  test('keeps the last 20 durations of a style version and the last statement about keys', () => {
    const { services } = foldJournal([
      { type: 'durations', service: 'a', style_version: 't', durations_ms: Array.from({ length: 15 }, (_, i) => i) },
      { type: 'keys', service: 'a', lifetime_ms: 1000 },
      {
        type: 'durations',
        service: 'a',
        style_version: 't',
        durations_ms: Array.from({ length: 10 }, (_, i) => 15 + i),
      },
      { type: 'keys', service: 'a', lifetime_ms: null },
    ]);
    expect(services.get('a')?.durationsMs.get('t')).toEqual(Array.from({ length: 20 }, (_, i) => 5 + i));
    expect(services.get('a')?.keyLifetimeMs).toBeNull();
  });

  test('keeps the last delivery to each destination, of whichever session', () => {
    const arrived = (session: string, ...places: string[]): JournalRecord => ({
      type: 'delivered',
      session,
      at,
      deliveries: places.map((to) => ({ to })),
    });
    const lines = [arrived('s1', 's3://b/1', 's3://b/2'), arrived('s2', 's3://b/1'), arrived('s1', 's3://b/3')];
    expect([...deliveriesBySession(foldJournal(lines))]).toEqual([
      ['s2', [{ to: 's3://b/1' }]],
      ['s1', [{ to: 's3://b/2' }, { to: 's3://b/3' }]],
    ]);
  });

  test('keeps attempts in the order of their intents', () => {
    const { attempts } = foldJournal([
      { ...asked, key: 'z' },
      { ...asked, key: 'a' },
      { ...lines.failed, key: 'z' },
    ]);
    expect([...attempts.keys()]).toEqual(['z', 'a']);
  });

  test('gives the same state for all lines at once and one by one', () => {
    fc.assert(
      fc.property(journalRecords, journalRecords, (before, after) => {
        const fold = new JournalFold();
        for (const record of [...before, ...after]) fold.take(record);
        expect(fold.state).toEqual(foldJournal([...before, ...after]));
      }),
    );
  });
});

describe('liveAttempt()', () => {
  const { fingerprint } = intent('k');
  const about = (key: string, ...names: (keyof typeof lines)[]): JournalRecord[] =>
    names.map((name) => ({ ...lines[name], key }));

  test.each([
    [[...about('a', 'asked', 'rendered'), ...about('b', 'asked', 'created'), ...about('c', 'asked')], 'a'],
    [[...about('a', 'asked'), ...about('b', 'asked', 'created'), ...about('c', 'asked', 'retry')], 'b'],
    [[...about('a', 'asked', 'retry'), ...about('b', 'asked')], 'a'],
    [[...about('a', 'asked', 'created', 'missing'), ...about('b', 'asked', 'retry')], 'a'],
    [[...about('a', 'asked', 'created'), ...about('b', 'asked', 'created', 'missing')], 'a'],
    [[...about('a', 'asked', 'rendered'), ...about('b', 'asked', 'rendered')], 'b'],
    [[...about('a', 'asked', 'failed'), ...about('b', 'asked')], 'b'],
    [[...about('a', 'asked'), ...about('b', 'asked', 'created', 'failed')], 'a'],
    [[...about('a', 'asked', 'created', 'failed')], undefined],
    [[...about('a', 'asked', 'unknown'), ...about('b', 'asked')], 'a'],
    [[...about('a', 'asked', 'none'), ...about('b', 'asked', 'abandoned')], undefined],
  ])('prefers the most certain attempt (%#)', (records, key) => {
    expect(liveAttempt(foldJournal(records), fingerprint)?.intent.key).toBe(key);
  });

  test('agrees with liveAttempts() and JournalFold', () => {
    fc.assert(
      fc.property(journalRecords, (records) => {
        const fold = new JournalFold();
        for (const record of records) fold.take(record);
        const all = liveAttempts(fold.state);
        for (const name of ['a', 'b']) {
          const one = liveAttempt(fold.state, intent('', name).fingerprint);
          expect(all.get(intent('', name).fingerprint) ?? null).toBe(one);
          expect(fold.live(intent('', name).fingerprint, new Map())).toEqual(one);
        }
      }),
    );
  });
});

const lockOf = (fingerprint: Fingerprint, rendered_at: string): Lock => {
  const entry = { fingerprint, rendered_at } as LockEntry;
  return { ...emptyLock, videos: new Map([['v', entry]]) };
};

describe('recordedIn()', () => {
  const entry = { ...entryOf('4'), session: 's1', rendered_at: '2026-02-01T00:00:00.000Z' };
  const attempt = (change: Partial<typeof rendering>, about: Partial<Intent> = {}): Attempt => {
    const made = { ...rendering, rendered_at: '2026-03-01T00:00:00.000Z', ...change };
    return { intent: { ...intent('k'), ...about }, state: 'rendered', session: made.session, rendering: made };
  };
  const embedded = { service: 'embedded' };
  const other = { fingerprint: intent('k', '5').fingerprint };

  test.each<[string, Attempt, boolean]>([
    ['of the same session', attempt({ session: 's1' }), true],
    ['that has not ended, of the same session', { ...attempt({ session: 's1' }), rendering: null }, true],
    ['rendered before the entry', attempt({ rendered_at: at }), true],
    ['rendered after the entry', attempt({}), false],
    ['rendered after the entry into its local file', attempt({ video_url: entry.video_url }, embedded), true],
    ['rendered after the entry into another local file', attempt({ video_url: 'renders/b.mp4' }, embedded), false],
    ['rendered by a service that gave the URL of the entry again', attempt({ video_url: entry.video_url }), false],
    ['of another fingerprint', attempt({ session: 's1' }, other), false],
    ['that failed before the entry', { ...attempt({}, { at }), state: 'failed', rendering: null }, true],
    [
      'that failed after the entry',
      { ...attempt({}, { at: '2026-02-02T00:00:00.000Z' }), state: 'failed', rendering: null },
      false,
    ],
    ['without a session', { ...attempt({}), state: 'sending', session: null, rendering: null }, false],
  ])('decides whether the lockfile has an attempt %s', (_, one, expected) => {
    expect(recordedIn([entry])(one)).toBe(expected);
    expect(recordedIn([])(one)).toBe(false);
  });
});

describe('compactJournal()', () => {
  const held = intent('', 'a').fingerprint;

  test('keeps exactly the live attempts that no lockfile records', () => {
    fc.assert(
      fc.property(journalRecords, (records) => {
        const before = foldJournal(records);
        const after = foldJournal(compactJournal(records, before, lockOf(held, '2026-06-01T00:00:00.000Z')));
        const isHeld = ({ intent, rendering }: Attempt): boolean =>
          rendering !== null && intent.fingerprint === held && rendering.rendered_at <= '2026-06-01T00:00:00.000Z';
        const last = new Map([...before.attempts].map(([key, { intent }]) => [intent.fingerprint, key]));
        const isOutdated = ({ state, intent }: Attempt): boolean =>
          state === 'failed' && (intent.fingerprint === held || last.get(intent.fingerprint) !== intent.key);
        const left = [...before.attempts].filter(
          ([, attempt]) => attempt.state !== 'closed' && !isHeld(attempt) && !isOutdated(attempt),
        );
        expect([...after.attempts]).toEqual(left);
        const sessions = new Set(left.map(([, { session }]) => session));
        const there = [...before.arrivals].filter(([, { session }]) => sessions.has(session));
        expect(after.arrivals).toEqual(new Map(there));
        for (const [service, { keyLifetimeMs, durationsMs }] of before.services) {
          expect(after.services.get(service)?.keyLifetimeMs ?? null).toBe(keyLifetimeMs);
          expect(after.services.get(service)?.durationsMs ?? new Map()).toEqual(durationsMs);
        }
      }),
    );
  });

  test('keeps a rendering later than the one in the lockfile, because it was requested again', () => {
    const at = '2026-02-01T00:00:00.000Z';
    const rendering = { session: 's', video_url: 'v', thumbnails: [], rendered_at: at };
    const records: JournalRecord[] = [
      { type: 'intent', ...intent('k', 'a') },
      { type: 'rendered', key: 'k', rendering, at },
    ];
    const left = (lock: Lock): number => compactJournal(records, foldJournal(records), lock).length;
    expect(left(lockOf(held, '2026-01-01T00:00:00.000Z'))).toBe(2);
    expect(left(lockOf(held, at))).toBe(0);
  });

  test('drops deliveries that another video has replaced', () => {
    const to = (place: string) => ({ to: place });
    const records: JournalRecord[] = [
      { type: 'intent', ...intent('k', 'b') },
      { type: 'rendered', key: 'k', rendering, at },
      { type: 'delivered', session: 's2', deliveries: [to('s3://b/1'), to('s3://b/2')], at },
      { type: 'delivered', session: 'of-an-entry', deliveries: [to('s3://b/1')], at },
    ];
    const left = compactJournal(records, foldJournal(records), emptyLock);
    expect(left).toEqual([...records.slice(0, 2), { ...records[2], deliveries: [to('s3://b/2')] }]);
  });

  test('keeps the failed attempt after which nothing else was requested for its video', () => {
    const failed = (key: string, digit: string): JournalRecord[] => [
      { type: 'intent', ...intent(key, digit), id: 'v' },
      { type: 'created', key, session: `s-${key}`, at },
      { type: 'failed', key, at },
    ];
    const kept = (records: JournalRecord[]): string[] => {
      const left = foldJournal(compactJournal(records, foldJournal(records), emptyLock));
      expect([...failedAttempts(left).values()].map(({ intent }) => intent.key)).toEqual([...left.attempts.keys()]);
      return [...left.attempts.keys()];
    };
    expect(kept(failed('a', 'a'))).toEqual(['a']);
    expect(kept([...failed('a', 'a'), ...failed('b', 'a')])).toEqual(['b']);
    // The definition was changed.
    expect(kept([...failed('a', 'a'), ...failed('b', 'b')])).toEqual(['b']);
  });

  test('keeps lines of later versions', () => {
    const later = { type: 'weather', degrees: 20 } as unknown as JournalRecord;
    expect(compactJournal([later], foldJournal([later]), emptyLock)).toEqual([later]);
  });
});
