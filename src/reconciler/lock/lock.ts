import type { SidecarFormat } from '../../contract/captions/write-captions.ts';
import type { SoundLength } from '../../contract/video-measures.ts';
import { isSoundMeasures, type SoundMeasures } from '../../contract/wire/loudness.ts';
import type { Json, Sha256 } from '../../kernel/digest.ts';
import { isRecord } from '../../kernel/json.ts';

declare const brand: unique symbol;

/** Content hash of a video, `v1:` and 64 hexadecimal digits. See `fingerprintOf` for its content. */
export type Fingerprint = string & { readonly [brand]: 'Fingerprint' };

/**
 * An entry of the lockfile, with the file's own field names: the rendering of one video and its inputs. At run time an
 * entry may have further fields of a later minor version; code that rewrites an entry keeps them.
 */
export interface LockEntry {
  readonly fingerprint: Fingerprint;
  readonly title: string;
  /** Absent when empty. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Absent unless true. Recorded, because protection must outlive the definition. */
  readonly protect?: true;
  /** `embedded`, or the origin of a remote service. */
  readonly service: string;
  /** The name of the template in reelform.yaml; of the first scene's in a video with `scenes`. */
  readonly template: string;
  readonly style_version: string;
  /** By editable key; only those of the whole video if there are `scenes`; in the form of `describeInputs`. For showing changes, never for deciding whether to render. */
  readonly inputs: Readonly<Record<string, string>>;
  /** Id of the render session. */
  readonly session: string;
  /** As returned by the service: absolute, or relative to the repository for a local file. */
  readonly video_url: string;
  /** Successful deliveries, sorted by `to`; absent when there are none. */
  readonly deliveries?: readonly Delivery[];
  readonly thumbnails: readonly string[];
  /** ISO 8601, UTC, by the clock of the service. */
  readonly rendered_at: string;
  /**
   * Versions of the remote files that the video was made from, by URL: an ETag or a Last-Modified time. Only for `plan
   * --refresh`; absent when no server reported any.
   */
  readonly sources?: Readonly<Record<string, string>>;
  /** A refresh found that the video no longer exists; absent unless true. */
  readonly lost?: true;
  /**
   * Size of the video file, in bytes. Absent in entries of earlier versions, and when the service does not report it.
   */
  readonly bytes?: number;
  /** SHA-256 of the video file, in hexadecimal digits. Absent under the same conditions. */
  readonly sha256?: string;
  /** Files beside the video, in the order of the definition; absent when there are none. */
  readonly outputs?: readonly (Pick<LockEntry, 'video_url' | 'bytes' | 'sha256' | 'loudness'> & {
    readonly name: string;
  })[];
  /** In their order. Absent for a template with values at its natural length. */
  readonly scenes?: readonly LockScene[];
  /** Files with captions beside the video, which the client writes; absent when there are none. */
  readonly caption_files?: readonly LockCaptionFile[];
  /**
   * Lengths of the remote sounds that decided how long its scenes are, by URL, so that a plan on another machine knows them. Absent when
   * there are none.
   */
  readonly sound_lengths?: Readonly<Record<string, SoundLength>>;
  /** Measured loudness of its sound, that of the first file with sound; absent without `loudness` in the definition, for a silent video, and if the service does not report it. */
  readonly loudness?: SoundMeasures;
}

/** A file with captions beside a video. */
export interface LockCaptionFile {
  readonly format: SidecarFormat;
  /** Repository-relative, below `renders/`. */
  readonly path: string;
  readonly sha256: Sha256;
  readonly bytes: number;
  /** As `captions.cues` of the inputs, in the first file of captions that no frame shows; absent otherwise. */
  readonly cues?: string;
}

/** A scene of a rendered video. */
export interface LockScene extends Pick<LockEntry, 'template' | 'style_version' | 'inputs'> {
  readonly id: string;
  /** Seconds, rounded to milliseconds; absent if it was not known. */
  readonly length?: number;
}

/** A successful delivery of a finished file. */
export interface Delivery {
  /** Complete destination, such as `s3://bucket/key`. */
  readonly to: string;
  /** Public URL; absent if the service did not report it. */
  readonly url?: string;
  /** SHA-256 of captions, which can change without a rendering; absent for a video. */
  readonly sha256?: Sha256;
}

/**
 * Fields of an entry that come from a finished render session; `sources` when the rendering is that of another entry.
 */
export type LockRendering = Pick<
  LockEntry,
  'session' | 'video_url' | 'thumbnails' | 'rendered_at' | 'sources' | 'bytes' | 'sha256' | 'outputs' | 'loudness'
>;

/** Content of the lockfile. */
export interface Lock {
  /** Keyed by video id, unordered. */
  readonly videos: ReadonlyMap<string, LockEntry>;
  /** Fields beside `videos` that this version does not know; they are written back unchanged. */
  readonly extra: Readonly<Record<string, Json>>;
}

/** Major version of the file format. Raised only when the meaning of a field changes, not for additions. */
export const LOCKFILE_VERSION = 1;

/** Lock of a repository without a lockfile. */
export const emptyLock: Lock = { videos: new Map(), extra: {} };

/** Folder of the embedded service's finished videos, repository-relative; git ignores it. */
export const OUTPUTS_FOLDER = 'renders';

/** File extensions of finished videos, by output format. */
export const OUTPUT_ENDINGS = ['mp4', 'mov', 'webm', 'gif', 'webp', 'png', 'zip'] as const;

const FORM = new RegExp(`^${OUTPUTS_FOLDER}/([\\w./-]{1,240})\\.(?:${OUTPUT_ENDINGS.join('|')})$`);

/** True for paths that the embedded service writes: files below `renders/`. */
export function isOutputPath(url: string): boolean {
  return FORM.test(url) && url.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}

/** Returns the output name, below `renders/` and without extension, that produces this path. */
export function outputNameOf(url: string): string {
  return FORM.exec(url)?.[1] ?? url;
}

interface EntryField {
  readonly required: boolean;
  /** Description of valid values for messages: `expected …`. */
  readonly expected: string;
  readonly accepts: (value: unknown) => boolean;
}

type Accepts = EntryField['accepts'];

const isSize = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
const isText = (value: unknown): value is string => typeof value === 'string';
const matches =
  (form: RegExp): Accepts =>
  (value) =>
    isText(value) && form.test(value);
const isDigest = matches(/^[0-9a-f]{64}$/);
const listOf =
  (accepts: Accepts): Accepts =>
  (value) =>
    Array.isArray(value) && value.every(accepts);

const required = (expected: string, accepts: Accepts): EntryField => ({ required: true, expected, accepts });
const optional = (expected: string, accepts: Accepts): EntryField => ({ required: false, expected, accepts });
const text = required('a text', isText);

/**
 * All fields of a lock entry in the order in which they are written. Fields of later minor versions follow them. A test
 * keeps the published JSON Schema equal.
 */
export const ENTRY_FIELDS: ReadonlyMap<string, EntryField> = new Map<keyof LockEntry, EntryField>([
  [
    'fingerprint',
    required('a version and 64 hexadecimal digits, such as v1:4f0c…', matches(/^v[1-9]\d*:[0-9a-f]{64}$/)),
  ],
  ['title', text],
  ['labels', optional('a map of strings', isTextMap)],
  ['protect', optional('true or false', (value) => typeof value === 'boolean')],
  ['service', text],
  ['template', text],
  ['style_version', text],
  ['inputs', required('a map of strings', isTextMap)],
  ['session', text],
  ['video_url', text],
  ['deliveries', optional('a list of destinations, each with "to"', listOf(isDelivery))],
  ['thumbnails', required('a list of strings', listOf(isText))],
  [
    'rendered_at',
    required('a time in UTC, such as 2026-01-01T00:00:00.000Z', matches(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/)),
  ],
  ['sources', optional('a map of strings', isTextMap)],
  ['lost', optional('true', (value) => value === true)],
  // Added in a minor version, so at the end: an earlier version keeps them and writes them at this position.
  ['bytes', optional('a whole number, 0 or more', isSize)],
  ['sha256', optional('64 hexadecimal digits', isDigest)],
  ['outputs', optional('a list of files, each with "name" and "video_url"', listOf(isOutput))],
  ['scenes', optional('a list of scenes, each with "id", "template", "style_version" and "inputs"', listOf(isScene))],
  ['sound_lengths', optional('a map of lengths, each with "samples" and "rate"', isLengthMap)],
  [
    'caption_files',
    optional('a list of files, each with "format", "path", "sha256" and "bytes"', listOf(isCaptionFile)),
  ],
  ['loudness', optional('a map with the numbers "integrated" and "true_peak"', isSoundMeasures)],
]);

function isTextMap(value: unknown): boolean {
  if (!isRecord(value)) return false;
  for (const name in value) if (typeof value[name] !== 'string') return false;
  return true;
}

function isOutput(value: unknown): boolean {
  if (!isRecord(value) || !isText(value.name) || !isText(value.video_url)) return false;
  if (value.loudness !== undefined && !isSoundMeasures(value.loudness)) return false;
  return (value.bytes === undefined || isSize(value.bytes)) && (value.sha256 === undefined || isDigest(value.sha256));
}

function isCaptionFile(value: unknown): boolean {
  if (!isRecord(value) || !isText(value.format) || !isText(value.path)) return false;
  return isDigest(value.sha256) && isSize(value.bytes) && (value.cues === undefined || isText(value.cues));
}

function isScene(value: unknown): boolean {
  if (!isRecord(value) || !isText(value.id) || !isText(value.template) || !isText(value.style_version)) return false;
  return isTextMap(value.inputs) && (value.length === undefined || (isNumber(value.length) && value.length > 0));
}

function isLengthMap(value: unknown): boolean {
  const isCount = (count: unknown): boolean => isSize(count) && (count as number) > 0;
  return isRecord(value) && Object.values(value).every((l) => isRecord(l) && isCount(l.samples) && isCount(l.rate));
}

function isDelivery(value: unknown): boolean {
  const isOptional = (field: unknown): boolean => field === undefined || isText(field);
  return isRecord(value) && isText(value.to) && isOptional(value.url) && isOptional(value.sha256);
}
