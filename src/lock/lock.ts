import type { Json } from '../digest.ts';
import { isRecord } from '../json.ts';

declare const brand: unique symbol;

/** The content hash of a video, `v1:` and 64 hexadecimal digits: see `desiredVideo` for what it covers. */
export type Fingerprint = string & { readonly [brand]: 'Fingerprint' };

/**
 * What was rendered for one video, and from what: an entry of the lockfile, in the file's own names. At run time an entry
 * may carry more fields than these, which a later minor version added; whoever rewrites an entry passes them on.
 */
export interface LockEntry {
  readonly fingerprint: Fingerprint;
  readonly title: string;
  /** Absent when there are none. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Absent unless true: protection has to outlive the definition that asked for it. */
  readonly protect?: true;
  /** `embedded`, or the origin of a remote service. */
  readonly service: string;
  /** The template's name in reelform.yaml. */
  readonly template: string;
  readonly style_version: string;
  /** By editable key, as `desiredVideo` writes them. For showing what changed, never for deciding whether. */
  readonly inputs: Readonly<Record<string, string>>;
  /** Id of the render session. */
  readonly session: string;
  /** As the service gave it: absolute, or relative to the repository for a local file. */
  readonly video_url: string;
  /** Where the finished file was delivered to, and arrived, by `to`; absent when that is nowhere. */
  readonly deliveries?: readonly Delivery[];
  readonly thumbnails: readonly string[];
  /** ISO 8601, UTC: the service's time, not ours. */
  readonly rendered_at: string;
  /**
   * By URL of a remote file that the video was made from: what its server said of the version, an ETag or the time of
   * Last-Modified. For `plan --refresh` alone; absent when no server said anything.
   */
  readonly sources?: Readonly<Record<string, string>>;
  /** A refresh found that the video cannot be had any more; absent unless true. */
  readonly lost?: true;
  /** Size of the video file, in bytes. Absent in entries of earlier versions, and where the service does not report it. */
  readonly bytes?: number;
  /** SHA-256 of the video file, in hexadecimal digits. Absent under the same conditions. */
  readonly sha256?: string;
}

/** A finished file that is where it was wanted. */
export interface Delivery {
  /** The place, whole: `s3://bucket/key` and the like. */
  readonly to: string;
  /** Under which everybody finds it, where the service said so. */
  readonly url?: string;
}

/** What an entry takes from a finished render session; `sources` where the rendering is that of another entry. */
export type Rendering = Pick<
  LockEntry,
  'session' | 'video_url' | 'thumbnails' | 'rendered_at' | 'sources' | 'bytes' | 'sha256'
>;

/** The lockfile's content. */
export interface Lock {
  /** By video id; in no particular order. */
  readonly videos: ReadonlyMap<string, LockEntry>;
  /** Fields beside `videos` that this version does not know; they are written back as they came. */
  readonly extra: Readonly<Record<string, Json>>;
}

/** The major version of the file's format. Additions leave it as it is; only a new meaning raises it. */
export const LOCKFILE_VERSION = 1;

/** What a repository without a lockfile has. */
export const emptyLock: Lock = { videos: new Map(), extra: {} };

/** The folder of the embedded service's finished videos, repository-relative; git ignores it. */
export const OUTPUTS_FOLDER = 'renders';

/** Endings of finished files, one for each output format. */
export const OUTPUT_ENDINGS = ['mp4', 'webm', 'gif', 'webp', 'png', 'zip'] as const;

const FORM = new RegExp(`^${OUTPUTS_FOLDER}/([\\w./-]{1,240})\\.(?:${OUTPUT_ENDINGS.join('|')})$`);

/** Whether the embedded service wrote it: a file below `renders/`, and nowhere else. */
export function isOutputPath(url: string): boolean {
  return FORM.test(url) && url.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}

/** The name below `renders/`, without ending, that gives this output again. */
export function outputNameOf(url: string): string {
  return FORM.exec(url)?.[1] ?? url;
}

/** How one field of an entry is recognised. */
interface EntryField {
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
