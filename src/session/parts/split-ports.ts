import type { Sha256 } from '../../digest.ts';
import type { RenderedSegment } from '../../engine/segments/render-segments.ts';
import type { RenderedSound } from '../../engine/segments/render-sound.ts';
import type { StoredSession } from '../ports.ts';
import type { SessionAttempt } from './part-job.ts';

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
