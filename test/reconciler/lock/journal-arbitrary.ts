import fc from 'fast-check';
import type { Intent, JournalRecord } from '../../../src/reconciler/lock/journal.ts';
import type { Fingerprint, LockEntry } from '../../../src/reconciler/lock/lock.ts';

const AT = '2026-01-01T00:00:00.000Z';

/** @param digit digit of the fingerprint, so that fingerprints collide */
export function intent(key: string, digit = '4'): Intent {
  return {
    key,
    id: `video-${digit}`,
    fingerprint: `v1:${digit.repeat(64)}` as Fingerprint,
    service: 'https://api.example.com',
    style_version: 'tsv_1',
    output_name: `video-${digit}`,
    body: '{"title":"世界\\n"}',
    run: 'run-1',
    at: AT,
  };
}

/** Returns the lock entry of the video that such an intent renders. */
export function entryOf(digit: string): LockEntry {
  return {
    fingerprint: intent('', digit).fingerprint,
    title: 'V',
    service: 'https://api.example.com',
    template: 'launch',
    style_version: 'tsv_1',
    inputs: {},
    session: 's',
    video_url: 'https://x.test/v.mp4',
    thumbnails: [],
    rendered_at: AT,
  };
}

const key = fc.constantFrom('k1', 'k2', 'k3', 'k4');

/** Lines about few keys and few fingerprints, so that they collide. */
export const journalRecord: fc.Arbitrary<JournalRecord> = fc.oneof(
  fc
    .tuple(key, fc.constantFrom('a', 'b'))
    .map(([name, digit]) => ({ type: 'intent' as const, ...intent(name, digit) })),
  key.map((name) => ({ type: 'created' as const, key: name, session: `s-${name}`, at: AT })),
  fc
    .tuple(
      key,
      fc.constantFrom<'not_created' | 'failed' | 'abandoned' | 'retry' | 'missing' | 'unknown'>(
        ...(['not_created', 'failed', 'abandoned', 'retry', 'missing', 'unknown'] as const),
      ),
    )
    .map(([name, type]) => ({ type, key: name, at: AT })),
  key.map((name) => ({
    type: 'rendered' as const,
    key: name,
    rendering: { session: `s-${name}`, video_url: 'https://x.test/v.mp4', thumbnails: [], rendered_at: AT },
    at: AT,
  })),
  fc.tuple(key, fc.uniqueArray(fc.constantFrom('s3://b/1', 's3://b/2', 's3://b/3'))).map(([name, places]) => ({
    type: 'delivered' as const,
    session: `s-${name}`,
    deliveries: places.map((to) => ({ to, url: `https://x.test/${name}` })),
    at: AT,
  })),
  fc
    .option(fc.nat(), { nil: null })
    .map((lifetime_ms) => ({ type: 'keys' as const, service: 'https://a.test', lifetime_ms })),
  fc.array(fc.nat(100_000), { maxLength: 12 }).map((durations_ms) => ({
    type: 'durations' as const,
    service: 'https://a.test',
    style_version: 'tsv_1',
    durations_ms,
  })),
);

export const journalRecords = fc.array(journalRecord, { maxLength: 20 });
