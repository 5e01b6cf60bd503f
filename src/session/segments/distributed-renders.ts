import type { BoundScene } from '../bind-scene.ts';
import type { DistributedRenders, TenantId } from '../ports.ts';
import { type RenderTimeEstimate, renderWorkload } from '../render-time.ts';
import {
  type ChunkEvent,
  type ChunkFiles,
  type DistributedRenderStore,
  type PieceSpan,
  packPayload,
  type RenderLoad,
} from './chunk-ports.ts';
import { filesOf, pieceFrames, piecesOf } from './pieces.ts';

export interface DistributedRendersPorts {
  readonly renders: DistributedRenderStore;
  readonly files: ChunkFiles;
  readonly load: RenderLoad;
  readonly pace: RenderTimeEstimate;
  readonly rules: DistributionRules;
  /** Concurrent renders that a tenant may have; Infinity if unlimited. */
  slotsOf(tenant: TenantId): number;
  onEvent?(event: ChunkEvent): void;
}

/**
 * Distributes long videos over idle slots, and lets a session wait for another one that already renders the same scene.
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
}: DistributedRendersPorts): DistributedRenders {
  return {
    async take({ stored, scene, others, ...times }) {
      const { attempt } = stored;
      const { id } = stored.session;
      const of = { session: id, attempt };
      const video = { scene, others };
      const sceneFiles = filesOf(video);
      const frames = piecesOf(video).map((piece) => pieceFrames(piece, sceneFiles));
      const question = {
        pieceCount: frames.filter((count) => count > 0).length,
        videoSeconds: sceneFiles.reduce((sum, file) => sum + renderWorkload(file).frameCount / file.fps, 0),
        renderSeconds: sceneFiles.reduce((sum, file) => sum + pace.expect(renderWorkload(file)), 0),
        sceneBytes: bytesOf(scene),
      };
      // Short videos are decided without a database query.
      if (chunkCountOf({ ...question, idleSlots: frames.length }, rules) === 1) return false;
      if ((await renders.wait(of, 1)) === 'waits') {
        onEvent?.({ kind: 'session-waits', id, attempt });
        return true;
      }
      const { places, busy, queued } = await load.load();
      const idleSlots = Math.max(0, Math.min(places - busy - queued, slotsOf(stored.tenant) - 1));
      const rows = chunkSpans(frames, chunkCountOf({ ...question, idleSlots }, rules)).map((span) => {
        const frameCount = frames.slice(span.first, span.end).reduce((sum, count) => sum + count, 0);
        return { pieces: span, frameCount, sha256: null };
      });
      if (rows.length === 1) return false;
      const { bytes, sha256 } = packPayload(video);
      await files.putScene(of, bytes);
      if (await renders.begin(of, { ...times, sceneSha256: sha256, chunks: rows })) {
        onEvent?.({ kind: 'session-distributed', id, attempt, chunks: rows.length });
      } else {
        await files.remove(of);
      }
      return true;
    },
  };
}

function bytesOf({ fonts, images, clips, sounds }: BoundScene): number {
  return [...fonts, ...images, ...clips, ...sounds].reduce((sum, { bytes }) => sum + bytes.length, 0);
}

/** Thresholds for rendering in chunks. */
export interface DistributionRules {
  /** Minimum seconds of video in a chunk. */
  readonly chunkSeconds: number;
  /**
   * Minimum estimated seconds to render a chunk: the overhead of a chunk (process start, loading the scene, storing its
   * packets) is about a second.
   */
  readonly chunkRenderSeconds: number;
  /** Maximum bytes of the scene's files, which every chunk loads. */
  readonly sceneBytes: number;
}

export const DISTRIBUTION_RULES: DistributionRules = {
  chunkSeconds: 4,
  chunkRenderSeconds: 3,
  sceneBytes: 256 * 2 ** 20,
};

export interface DistributionQuestion {
  /** Pieces with frames. */
  readonly pieceCount: number;
  /** Of all files. */
  readonly videoSeconds: number;
  /** Estimate for one piece. */
  readonly renderSeconds: number;
  readonly sceneBytes: number;
  /** Idle slots without queued work, excluding the current one. */
  readonly idleSlots: number;
}

/**
 * Returns the number of chunks, 1 for one piece. Depends only on length and load, and never exceeds the available
 * slots.
 */
export function chunkCountOf(question: DistributionQuestion, rules: DistributionRules = DISTRIBUTION_RULES): number {
  const { pieceCount, videoSeconds, renderSeconds, sceneBytes, idleSlots } = question;
  if (sceneBytes > rules.sceneBytes) return 1;
  const byLength = atMost(videoSeconds, rules.chunkSeconds);
  const byWork = atMost(renderSeconds, rules.chunkRenderSeconds);
  return Math.max(1, Math.min(pieceCount, byLength, byWork, 1 + idleSlots));
}

/** Divides seconds; 0 seconds set no limit. */
function atMost(all: number, one: number): number {
  return one === 0 ? Number.POSITIVE_INFINITY : Math.floor(all / one);
}

/**
 * Divides pieces into consecutive chunks of about the same number of frames; into fewer chunks if some pieces are too large.
 *
 * @param frames of each piece
 */
export function chunkSpans(frames: readonly number[], chunkCount: number): PieceSpan[] {
  const total = frames.reduce((sum, count) => sum + count, 0);
  const spans: PieceSpan[] = [];
  let first = 0;
  let before = 0;
  for (const [at, count] of frames.entries()) {
    const target = ((spans.length + 1) * total) / chunkCount;
    // A chunk ends where it is nearest to its share.
    if (at > first && before > 0 && before + count - target > target - before) {
      spans.push({ first, end: at });
      first = at;
    }
    before += count;
  }
  return [...spans, { first, end: frames.length }];
}
