import { isRecord } from '../json.ts';
import type { LockEntry } from './lock.ts';

/** How one field of an entry is recognised. */
export interface EntryField {
  readonly required: boolean;
  /** What the field holds, for a message: `expected …`. */
  readonly expected: string;
  readonly accepts: (value: unknown) => boolean;
}

const text: EntryField = { required: true, expected: 'a text', accepts: (value) => typeof value === 'string' };

/**
 * Every field of a lock entry in the order in which it is written. Fields of later minor versions are written after these.
 * The published JSON Schema says the same; a test holds the two together.
 */
export const ENTRY_FIELDS: ReadonlyMap<string, EntryField> = new Map<keyof LockEntry, EntryField>([
  [
    'fingerprint',
    {
      required: true,
      expected: 'a version and 64 hexadecimal digits, such as v1:4f0c…',
      accepts: (value) => typeof value === 'string' && /^v[1-9]\d*:[0-9a-f]{64}$/.test(value),
    },
  ],
  ['title', text],
  ['labels', { required: false, expected: 'a map of texts', accepts: isTextMap }],
  ['protect', { required: false, expected: 'true or false', accepts: (value) => typeof value === 'boolean' }],
  ['service', text],
  ['template', text],
  ['style_version', text],
  ['inputs', { required: true, expected: 'a map of texts', accepts: isTextMap }],
  ['session', text],
  ['video_url', text],
  ['deliveries', { required: false, expected: 'a list of places, each with its "to"', accepts: isDeliveryList }],
  ['thumbnails', { required: true, expected: 'a list of texts', accepts: isTextList }],
  [
    'rendered_at',
    {
      required: true,
      expected: 'a time in UTC, such as 2026-01-01T00:00:00.000Z',
      accepts: (value) => typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/.test(value),
    },
  ],
  ['sources', { required: false, expected: 'a map of texts', accepts: isTextMap }],
  ['lost', { required: false, expected: 'true', accepts: (value) => value === true }],
  // Added in a minor version, so at the end: an earlier version passes them on and writes them in this place.
  [
    'bytes',
    {
      required: false,
      expected: 'a whole number, 0 or more',
      accepts: (value) => Number.isSafeInteger(value) && (value as number) >= 0,
    },
  ],
  [
    'sha256',
    {
      required: false,
      expected: '64 hexadecimal digits',
      accepts: (value) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value),
    },
  ],
]);

function isTextMap(value: unknown): boolean {
  if (!isRecord(value)) return false;
  for (const name in value) if (typeof value[name] !== 'string') return false;
  return true;
}

function isTextList(value: unknown): boolean {
  return Array.isArray(value) && value.every((member) => typeof member === 'string');
}

function isDeliveryList(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.every(
      (one) => isRecord(one) && typeof one.to === 'string' && ['undefined', 'string'].includes(typeof one.url),
    )
  );
}
