import fc from 'fast-check';
import { defined } from '../../../src/kernel/defined.ts';
import type { Json } from '../../../src/kernel/digest.ts';
import type { Fingerprint, Lock, LockEntry } from '../../../src/reconciler/lock/lock.ts';

/**
 * Texts that trip up parsers: names of object members, numbers that sort differently, control, astral and wide
 * characters.
 */
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom(
    '__proto__',
    'constructor',
    '10',
    '9',
    'videos',
    'a\nb',
    '\u2028',
    '\u001b[31m',
    '世界',
    '👩‍👩‍👧',
    '"',
    '\\',
  ),
);

const hex = fc.array(fc.constantFrom(...'0123456789abcdef'), { minLength: 64, maxLength: 64 });
const fingerprint = hex.map((digits) => `v1:${digits.join('')}` as Fingerprint);

const textMap = fc.array(fc.tuple(text, text), { maxLength: 4 }).map((members) => Object.fromEntries(members));

/** JSON as it is read back: it knows no -0. */
const storedValue = fc.jsonValue().map((value): unknown => JSON.parse(JSON.stringify(value)));

const extra = fc
  .array(fc.tuple(fc.constantFrom('x_note', 'x_etags', 'zz'), storedValue), { maxLength: 2 })
  .map((members) => Object.fromEntries(members) as Record<string, Json>);

const lockEntry: fc.Arbitrary<LockEntry> = fc
  .record({
    fingerprint,
    title: text,
    labels: textMap,
    protect: fc.boolean(),
    service: fc.constantFrom('embedded', 'https://api.example.com'),
    template: text,
    style_version: text,
    inputs: textMap,
    session: text,
    video_url: text,
    deliveries: fc.array(fc.oneof(fc.record({ to: text }), fc.record({ to: text, url: text })), { maxLength: 2 }),
    thumbnails: fc.array(text, { maxLength: 2 }),
    rendered_at: fc.constantFrom('2026-01-01T00:00:00.000Z', '2026-12-31T23:59:59Z'),
    bytes: fc.option(fc.maxSafeNat(), { nil: undefined }),
    sha256: fc.option(
      hex.map((digits) => digits.join('')),
      { nil: undefined },
    ),
    extra,
  })
  .map(({ labels, protect, extra, deliveries, bytes, sha256, ...entry }) => ({
    ...entry,
    // The embedded service writes only below renders/.
    ...(entry.service === 'embedded' && { video_url: 'renders/folder/berlin-4f4f4f4f.mp4' }),
    ...(Object.keys(labels).length > 0 && { labels }),
    ...(protect && { protect }),
    ...(deliveries.length > 0 && { deliveries }),
    ...defined({ bytes, sha256 }),
    ...extra,
  }));

export const lock: fc.Arbitrary<Lock> = fc
  .record({ videos: fc.array(fc.tuple(text, lockEntry), { maxLength: 6 }), extra })
  .map(({ videos, extra }) => ({ videos: new Map(videos), extra }));
