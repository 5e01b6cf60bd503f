import type { Json } from '../digest.ts';

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
