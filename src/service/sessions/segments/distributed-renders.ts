import { deserialize, serialize } from 'node:v8';
import { inputFiles } from '../../../engine/packed-input.ts';
import { type Sha256, sha256 } from '../../../kernel/digest.ts';
import type { BoundInput } from '../bind-template.ts';
import type { SplitWork, StoredSession, TenantId } from '../ports.ts';
import { type RenderTimeEstimate, renderWorkload } from '../render-time.ts';
import { type FilePieces, filesOf, pieceFrames, piecesOf } from './pieces.ts';

/** Identifies a chunk of a session's video. */
export interface ChunkKey extends SessionAttempt {
  readonly chunk: number;
}

/** When a session was queued and when its attempt began, in milliseconds since the epoch. */
interface BegunTimes {
  readonly queuedAtMs: number;
  readonly begunAtMs: number;
}

/** A half-open range of the pieces returned by `piecesOf`. */
interface PieceSpan {
  readonly first: number;
  readonly end: number;
}

interface ChunkRow {
  readonly pieces: PieceSpan;
  /** Frames in all files: the chunk's share of the work. */
  readonly frameCount: number;
  /** Digest of the chunk's file; null until the chunk is rendered. */
  readonly sha256: Sha256 | null;
}

/** A session rendered in chunks. */
export interface DistributedRender extends BegunTimes {
  readonly stored: StoredSession;
  /** Digest of the input's file. */
  readonly inputSha256: Sha256;
  readonly chunks: readonly ChunkRow[];
}

/** Stores sessions rendered in chunks and queues their jobs. */
export interface DistributedRenderStore {
  /**
   * Creates the chunks of a session and their jobs in one transaction. Chunks of an earlier attempt are deleted.
   *
   * @returns false if the session no longer belongs to this attempt
   */
  begin(of: SessionAttempt, render: Omit<DistributedRender, 'stored'>): Promise<boolean>;
  /** Returns null if this attempt is not rendered in chunks, or the session has ended. */
  find(of: SessionAttempt): Promise<DistributedRender | null>;
  /**
   * Reports progress periodically and checks that the attempt is still current.
   *
   * @param work the chunk and its finished frames; null while joining
   * @param onLost called once if the attempt is obsolete
   * @returns a function that reports progress once more and stops
   */
  watch(
    of: SessionAttempt,
    work: { readonly chunk: number; framesDone(): number } | null,
    onLost: () => void,
  ): () => Promise<void>;
  /** Marks a chunk as rendered. The last mark creates the job that joins them. Idempotent. */
  finish(key: ChunkKey, sha256: Sha256): Promise<void>;
  /** Deletes the chunks of an attempt. */
  end(of: SessionAttempt): Promise<void>;
  /**
   * Lets a session wait for another session that renders the same input in chunks: copies its progress and queues a job
   * that checks again later.
   *
   * @returns `free` if no other session renders the input; `gone` if the session no longer belongs to this attempt
   */
  wait(of: SessionAttempt, count: number): Promise<'waits' | 'free' | 'gone'>;
}

/** Files of sessions rendered in chunks. */
export interface ChunkFiles {
  putInput(of: SessionAttempt, bytes: Uint8Array): Promise<void>;
  readInput(of: SessionAttempt): Promise<Uint8Array | null>;
  putChunk(key: ChunkKey, bytes: Uint8Array): Promise<void>;
  readChunk(key: ChunkKey): Promise<Uint8Array | null>;
  /** Removes all files of an attempt. */
  remove(of: SessionAttempt): Promise<void>;
}

/** Content of a chunk's file. */
export interface ChunkFile {
  /** Build of the process that rendered the chunk. Only chunks of the same build are joined. */
  readonly build: string;
  /** The pieces of the chunk for each file of the video. */
  readonly pieces: readonly FilePieces[];
}

/** Reports the load of all workers. */
export interface RenderLoad {
  /** Returns the numbers of slots, running renders and waiting renders; may be a second old. */
  load(): Promise<{ readonly places: number; readonly busy: number; readonly queued: number }>;
}

/** Events of sessions rendered in chunks, for logs, metrics and traces. */
export type ChunkEvent =
  | { readonly kind: 'session-distributed'; readonly id: string; readonly attempt: number; readonly chunks: number }
  /** Another session renders the same input in chunks. */
  | { readonly kind: 'session-waits'; readonly id: string; readonly attempt: number }
  | {
      readonly kind: 'chunk-rendered';
      readonly id: string;
      readonly attempt: number;
      readonly chunk: number;
      readonly frames: number;
      readonly elapsedMs: number;
    }
  /** The chunks are lost or of several builds, so the video is rendered in one piece. */
  | { readonly kind: 'chunks-unfit'; readonly id: string; readonly attempt: number };

/** An attempt at a session. */
export interface SessionAttempt {
  readonly session: string;
  readonly attempt: number;
}

/** A job of a session rendered in chunks. */
export type ChunkJob = SessionAttempt &
  (
    | { readonly kind: 'chunk'; readonly chunk: number }
    | { readonly kind: 'join' }
    /** Waits for another session that renders the same input; counts the checks. */
    | { readonly kind: 'wait'; readonly count: number }
  );

const JOB_ID = /^(rs_[\w-]+)\/(\d+)\/(?:(\d+)|(join)|wait-(\d+))$/;

/** Returns the id of a job: `rs_…/<attempt>/<chunk>`, `rs_…/<attempt>/join` or `rs_…/<attempt>/wait-<n>`. */
export function chunkJobId(job: ChunkJob): string {
  const { session, attempt } = job;
  const what = job.kind === 'chunk' ? job.chunk : job.kind === 'join' ? 'join' : `wait-${job.count}`;
  return `${session}/${attempt}/${what}`;
}

/** Parses a job id; null for the id of a session. */
export function parseChunkJob(id: string): ChunkJob | null {
  const match = JOB_ID.exec(id);
  if (match === null) return null;
  const [, session, attempt, chunk, join, count] = match;
  const of = { session: session!, attempt: Number(attempt) };
  if (chunk !== undefined) return { ...of, kind: 'chunk', chunk: Number(chunk) };
  return join === undefined ? { ...of, kind: 'wait', count: Number(count) } : { ...of, kind: 'join' };
}

/** A serialised value and its digest. */
interface ChecksummedPayload {
  readonly bytes: Uint8Array;
  readonly sha256: Sha256;
}

/**
 * Serialises plain data (inputs and rendered chunks) in V8's format, which is unsafe for untrusted bytes and has no checksum.
 * The digest is therefore passed separately, through the database, and verified before reading.
 */
export function packPayload(value: unknown): ChecksummedPayload {
  const bytes = serialize(value);
  return { bytes, sha256: sha256(bytes) };
}

/** @returns null for bytes that are missing, changed or written by a newer V8 */
export function unpackPayload<T>(bytes: Uint8Array | null, digest: Sha256): { readonly value: T } | null {
  if (bytes === null || sha256(bytes) !== digest) return null;
  try {
    return { value: deserialize(bytes) as T };
  } catch {
    return null;
  }
}

interface DistributedRendersPorts {
  readonly renders: DistributedRenderStore;
  readonly files: ChunkFiles;
  readonly load: RenderLoad;
  readonly pace: RenderTimeEstimate;
  readonly rules: DistributionRules;
  /** Returns the concurrent renders allowed for a tenant; Infinity if unlimited. */
  slotsOf(tenant: TenantId): number;
  onEvent?(event: ChunkEvent): void;
}

export type DistributedRenders = ReturnType<typeof createDistributedRenders>;

/**
 * Distributes long videos over idle slots, and lets a session wait for another session that already renders the
 * same input.
 * `ChunkRunner` executes the jobs.
 */
export function createDistributedRenders({
  renders,
  files,
  load,
  pace,
  rules,
  slotsOf,
  onEvent,
}: DistributedRendersPorts) {
  return {
    /**
     * @returns true if other jobs finish the session, and this attempt must no longer write to it; false if it has to be
     * rendered here in one piece
     */
    async take({ stored, renderInput, others, ...times }: SplitWork): Promise<boolean> {
      const { attempt } = stored;
      const { id } = stored.session;
      const of = { session: id, attempt };
      const video = { renderInput, others };
      const inputFiles = filesOf(video);
      const frames = piecesOf(video).map((piece) => pieceFrames(piece, inputFiles));
      const input = {
        pieceCount: frames.filter((count) => count > 0).length,
        videoSeconds: inputFiles.reduce((sum, file) => sum + renderWorkload(file).frameCount / file.fps, 0),
        renderSeconds: inputFiles.reduce((sum, file) => sum + pace.expect(renderWorkload(file)), 0),
        inputBytes: bytesOf(renderInput),
      };
      // Short videos need no database query.
      if (chunkCountOf({ ...input, idleSlots: frames.length }, rules) === 1) return false;
      if ((await renders.wait(of, 1)) === 'waits') {
        onEvent?.({ kind: 'session-waits', id, attempt });
        return true;
      }
      const { places, busy, queued } = await load.load();
      const idleSlots = Math.max(0, Math.min(places - busy - queued, slotsOf(stored.tenant) - 1));
      const rows = chunkSpans(frames, chunkCountOf({ ...input, idleSlots }, rules)).map((span) => {
        const frameCount = frames.slice(span.first, span.end).reduce((sum, count) => sum + count, 0);
        return { pieces: span, frameCount, sha256: null };
      });
      if (rows.length === 1) return false;
      const { bytes, sha256 } = packPayload(video);
      await files.putInput(of, bytes);
      if (await renders.begin(of, { ...times, inputSha256: sha256, chunks: rows })) {
        onEvent?.({ kind: 'session-distributed', id, attempt, chunks: rows.length });
      } else {
        await files.remove(of);
      }
      return true;
    },
  };
}

function bytesOf(renderInput: BoundInput): number {
  return [...new Set(inputFiles(renderInput))].reduce((sum, bytes) => sum + bytes.length, 0);
}

/** Thresholds for rendering in chunks. */
export interface DistributionRules {
  /** Minimum seconds of video in a chunk. */
  readonly chunkSeconds: number;
  /**
   * Minimum estimated seconds to render a chunk, whose overhead (starting a process, loading the input, storing packets) is
   * about a second.
   */
  readonly chunkRenderSeconds: number;
  /** Maximum bytes of the input's files, which every chunk loads. */
  readonly inputBytes: number;
}

export const DISTRIBUTION_RULES: DistributionRules = {
  chunkSeconds: 4,
  chunkRenderSeconds: 3,
  inputBytes: 256 * 2 ** 20,
};

export interface DistributionInput {
  /** Number of pieces with frames. */
  readonly pieceCount: number;
  /** Total length of all files. */
  readonly videoSeconds: number;
  /** Estimated time to render the video in one piece. */
  readonly renderSeconds: number;
  readonly inputBytes: number;
  /** Idle slots without queued work, excluding the current one. */
  readonly idleSlots: number;
}

/**
 * Returns the number of chunks; 1 to render in one piece. Depends only on length and load, and does not exceed the available
 * slots.
 */
export function chunkCountOf(input: DistributionInput, rules: DistributionRules = DISTRIBUTION_RULES): number {
  const { pieceCount, videoSeconds, renderSeconds, inputBytes, idleSlots } = input;
  if (inputBytes > rules.inputBytes) return 1;
  const byLength = maxChunks(videoSeconds, rules.chunkSeconds);
  const byWork = maxChunks(renderSeconds, rules.chunkRenderSeconds);
  return Math.max(1, Math.min(pieceCount, byLength, byWork, 1 + idleSlots));
}

/** Returns how many chunks of a minimum length fit; Infinity without a minimum. */
function maxChunks(totalSeconds: number, chunkSeconds: number): number {
  return chunkSeconds === 0 ? Number.POSITIVE_INFINITY : Math.floor(totalSeconds / chunkSeconds);
}

/**
 * Divides pieces into consecutive chunks with about the same number of frames; into fewer chunks if some pieces are too large.
 *
 * @param frames number of frames of each piece
 */
export function chunkSpans(frames: readonly number[], chunkCount: number): PieceSpan[] {
  const total = frames.reduce((sum, count) => sum + count, 0);
  const spans: PieceSpan[] = [];
  let first = 0;
  let before = 0;
  for (const [at, count] of frames.entries()) {
    const target = ((spans.length + 1) * total) / chunkCount;
    // Ends a chunk at the piece whose end is nearest to the chunk's share.
    if (at > first && before > 0 && before + count - target > target - before) {
      spans.push({ first, end: at });
      first = at;
    }
    before += count;
  }
  return [...spans, { first, end: frames.length }];
}
