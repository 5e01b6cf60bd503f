import { deserialize, serialize } from 'node:v8';
import { type Sha256, sha256 } from '../../digest.ts';
import type { RenderedSound } from '../../engine/scene-media.ts';
import type { RenderedSegment } from '../../engine/segments/render-segments.ts';
import type { StoredSession } from '../ports.ts';

/** One part of a session's video. */
export interface PartKey extends SessionAttempt {
  readonly part: number;
}

/** When a session was queued and taken up; milliseconds since the epoch. */
export interface BegunTimes {
  readonly queuedAtMs: number;
  readonly begunAtMs: number;
}

/** Segments in a row, by their indices: `first` up to, but without, `end`. */
export interface SegmentSpan {
  readonly first: number;
  readonly end: number;
}

export interface PartRow {
  readonly segments: SegmentSpan;
  readonly frameCount: number;
  /** Of its file; null until it is done. */
  readonly sha256: Sha256 | null;
}

/** A session that is rendered in parts. */
export interface Split extends BegunTimes {
  readonly stored: StoredSession;
  /** Of the scene's file. */
  readonly sceneSha256: Sha256;
  readonly parts: readonly PartRow[];
}

/** Keeps which sessions are rendered in parts and how far they are, and queues what follows. */
export interface SplitStore {
  /**
   * Hands a session over to its parts: they and their jobs come into being in one transaction. What an earlier attempt
   * left is forgotten.
   *
   * @returns false when the session is not this attempt's any more
   */
  begin(of: SessionAttempt, split: Omit<Split, 'stored'>): Promise<boolean>;
  /** Null when the session is not rendered in parts by this attempt, or has ended. */
  find(of: SessionAttempt): Promise<Split | null>;
  /**
   * Tells the session's progress from now on, and looks whether the attempt is still at it.
   *
   * @param work the part, or null for who joins them; how many of its frames are done
   * @param onLost called once, when it is not
   * @returns ends it, and tells the progress once more
   */
  watch(
    of: SessionAttempt,
    work: { readonly part: number; framesDone(): number } | null,
    onLost: () => void,
  ): () => Promise<void>;
  /** Marks a part as done; the job that joins them comes into being with the last mark. Nothing the second time. */
  finish(key: PartKey, sha256: Sha256): Promise<void>;
  /** Forgets an attempt's parts. */
  end(of: SessionAttempt): Promise<void>;
  /**
   * Lets a session wait for another one that renders the same scene in parts, whose progress it takes over: queues the
   * job that looks again a little later.
   *
   * @returns `free` when there is none, or none any more; `gone` when the session is not this attempt's any more
   */
  wait(of: SessionAttempt, count: number): Promise<'waits' | 'free' | 'gone'>;
}

/** Files of sessions that are rendered in parts. */
export interface PartFiles {
  putScene(of: SessionAttempt, bytes: Uint8Array): Promise<void>;
  readScene(of: SessionAttempt): Promise<Uint8Array | null>;
  putPart(key: PartKey, bytes: Uint8Array): Promise<void>;
  readPart(key: PartKey): Promise<Uint8Array | null>;
  /** All of an attempt's. */
  remove(of: SessionAttempt): Promise<void>;
}

/** Content of the file of a part. */
export interface PartFile {
  /** Of the process that rendered it: only parts of one build are joined. */
  readonly build: string;
  readonly segments: readonly RenderedSegment[];
  /** In the first part; null in the others. */
  readonly sound: RenderedSound | null;
}

/** How much there is to render, and with how many places. */
export interface RenderLoad {
  load(): Promise<{ readonly places: number; readonly busy: number; readonly queued: number }>;
}

/** What happens to sessions that are not rendered in one piece; for logs, metrics and traces. */
export type PartEvent =
  /** It is others' from here on. */
  | { readonly kind: 'session-split'; readonly id: string; readonly attempt: number; readonly parts: number }
  /** Another session renders the same scene in parts. */
  | { readonly kind: 'session-waits'; readonly id: string; readonly attempt: number }
  | {
      readonly kind: 'part-rendered';
      readonly id: string;
      readonly attempt: number;
      readonly part: number;
      readonly frames: number;
      readonly elapsedMs: number;
    }
  /** Its parts are lost, or of several builds; it is rendered in one piece after all. */
  | { readonly kind: 'parts-unfit'; readonly id: string; readonly attempt: number };

/** One attempt at a session. */
export interface SessionAttempt {
  readonly session: string;
  readonly attempt: number;
}

/** What there is to be done for a session that is not rendered in one piece. */
export type PartJob = SessionAttempt &
  (
    | { readonly kind: 'part'; readonly part: number }
    | { readonly kind: 'join' }
    /** Until another session has rendered the same scene; looked at for the n-th time. */
    | { readonly kind: 'wait'; readonly count: number }
  );

const FORM = /^(rs_[\w-]+)\/(\d+)\/(?:(\d+)|(join)|wait-(\d+))$/;

/** `rs_…/<attempt>/<part>`, `rs_…/<attempt>/join`, `rs_…/<attempt>/wait-<n>`. */
export function partJobId(job: PartJob): string {
  const { session, attempt } = job;
  const what = job.kind === 'part' ? job.part : job.kind === 'join' ? 'join' : `wait-${job.count}`;
  return `${session}/${attempt}/${what}`;
}

/** Null for the id of a session, whose job is the whole of it. */
export function parsePartJob(id: string): PartJob | null {
  const match = FORM.exec(id);
  if (match === null) return null;
  const [, session, attempt, part, join, count] = match;
  const of = { session: session!, attempt: Number(attempt) };
  if (part !== undefined) return { ...of, kind: 'part', part: Number(part) };
  return join === undefined ? { ...of, kind: 'wait', count: Number(count) } : { ...of, kind: 'join' };
}

/** A value as bytes that lie somewhere until another process reads them, and the digest by which it knows them. */
interface ChecksummedPayload {
  readonly bytes: Uint8Array;
  readonly sha256: Sha256;
}

/**
 * Packs plain data: scenes and rendered parts, which are trees of values and byte arrays, in the form in which V8 sends
 * them between processes. That form has no check of its own, and is made for what one's own processes wrote: hence the
 * digest, which goes another way than the bytes (through the database) and vouches for every field of them.
 */
export function packPayload(value: unknown): ChecksummedPayload {
  const bytes = serialize(value);
  return { bytes, sha256: sha256(bytes) };
}

/** @returns null for bytes that are missing, are not those that were packed, or were packed by a newer V8 */
export function unpackPayload<T>(bytes: Uint8Array | null, digest: Sha256): { readonly value: T } | null {
  if (bytes === null || sha256(bytes) !== digest) return null;
  try {
    return { value: deserialize(bytes) as T };
  } catch {
    return null;
  }
}
