import { ServiceError } from '../../contract/service-error.ts';
import type { RenderedSegments, RenderSession } from '../../contract/wire/render-session.ts';
import { ReelformError } from '../../kernel/diagnostic.ts';
import { fileSystemError } from '../../kernel/file-system-error.ts';
import { sourceOf, type VideoId } from '../definition/video.ts';
import type { Delivery } from '../lock/lock.ts';
import type { DesiredVideo } from '../plan/desired-video.ts';
import type { Action } from '../plan/plan.ts';

/** Reason why a video could not be rendered or delivered. */
export interface VideoFailure {
  /** Code of this program or of the service. Entries of a session's `errors` keep their own codes. */
  readonly code: string;
  readonly message: string;
  readonly hint?: string | undefined;
  /** The editable that the failure is about; absent if it concerns none. */
  readonly editable?: string | undefined;
  /** Repository file that filled the editable. */
  readonly source?: string | undefined;
  readonly retryable: boolean;
}

/**
 * How a video gets its rendering: `posted` requests a new session; `resumed` waits for the session of an earlier run;
 * `resent` repeats the request of an earlier run under its key; `followed` waits for another run; `found` has the
 * rendering already and only delivers it.
 */
export type Begin = 'posted' | 'resumed' | 'resent' | 'followed' | 'found';

/** Why a video was not started: the run was interrupted, a failure stopped it, or its time limit passed. */
export type SkipReason = 'interrupted' | 'failure' | 'deadline';

/** Finished segments of a video, and those of them that were not rendered again. */
export type SegmentProgress = Readonly<RenderedSegments>;

/** All events of a run, in the order in which they happen. Views render nothing else. */
export type ApplyEvent =
  /** `ids`: videos to render or deliver, in starting order. */
  | { readonly kind: 'run-started'; readonly ids: readonly VideoId[]; readonly concurrency: number }
  | {
      readonly kind: 'video-recorded';
      readonly id: VideoId;
      readonly action: Action;
      readonly previousId: VideoId | null;
      /** Present for adopted videos. */
      readonly videoUrl: string | null;
      /** Deliveries that succeeded now; absent when there are none. */
      readonly deliveries?: readonly Delivery[];
    }
  | { readonly kind: 'video-started'; readonly id: VideoId; readonly action: Action; readonly begin: Begin }
  /** The service has accepted the session: the run can be left without losing it. */
  | { readonly kind: 'video-submitted'; readonly id: VideoId; readonly session: string }
  | {
      readonly kind: 'video-progressed';
      readonly id: VideoId;
      readonly percent: number;
      /** Present when the embedded service renders the video in segments. */
      readonly segments?: SegmentProgress;
    }
  /** A problem that is not a failure, with its code of `CODES` and message. */
  | { readonly kind: 'video-warned'; readonly id: VideoId; readonly warning: VideoFailure }
  /** The video is finished, and its delivery to these destinations begins. */
  | { readonly kind: 'video-delivering'; readonly id: VideoId; readonly to: readonly string[] }
  | {
      readonly kind: 'video-rendered';
      readonly id: VideoId;
      readonly videoUrl: string;
      /** Deliveries that succeeded; absent when there are none. */
      readonly deliveries?: readonly Delivery[];
      /**
       * Present for a restored video: whether its digest equals the digest in the lockfile; null when the lockfile has
       * none.
       */
      readonly restored?: { readonly isIdentical: boolean | null };
      /** Present if another run on the same journal requested the rendering. */
      readonly byOtherRun?: true;
      readonly elapsedMs: number;
    }
  /** Rendered and recorded, but some deliveries failed: the next run repeats them. */
  | { readonly kind: 'video-undelivered'; readonly id: VideoId; readonly failures: readonly VideoFailure[] }
  | {
      readonly kind: 'video-failed';
      readonly id: VideoId;
      readonly failures: readonly VideoFailure[];
      readonly elapsedMs: number;
    }
  /** A render was requested, and only a person can find out its result. `session`: the missing session, if known. */
  | {
      readonly kind: 'video-unknown';
      readonly id: VideoId;
      readonly failure: VideoFailure;
      readonly askedAt: string;
      readonly session: string | null;
    }
  /** Left running on the service; the next run resumes it. */
  | { readonly kind: 'video-left'; readonly id: VideoId; readonly session: string }
  | { readonly kind: 'video-skipped'; readonly id: VideoId; readonly reason: SkipReason }
  | { readonly kind: 'run-finished'; readonly outcome: ApplyOutcome };

/** Summary of a run. */
export interface ApplyOutcome {
  /** Number of videos that this run rendered. */
  readonly rendered: number;
  /** Number of videos that other runs on the journal rendered and this run recorded; absent when there are none. */
  readonly renderedByOtherRuns?: number;
  /** Number of restored videos, and of those whose bytes differ from the lost file; absent when none was restored. */
  readonly restored?: { readonly videos: number; readonly differing: number };
  /** Number of changes that only edited the lockfile: moves, labels, removals, adoptions. */
  readonly recorded: number;
  readonly failed: readonly { readonly id: VideoId; readonly failures: readonly VideoFailure[] }[];
  /** Number of videos for which every delivery succeeded. */
  readonly delivered: number;
  /** Rendered and recorded videos for which a delivery failed. */
  readonly undelivered: readonly { readonly id: VideoId; readonly failures: readonly VideoFailure[] }[];
  /**
   * Requested videos with an unknown result: the request got no clear answer, or the `session` has no usable video.
   * `code` of the failure.
   */
  readonly unknown: readonly {
    readonly id: VideoId;
    readonly askedAt: string;
    readonly session: string | null;
    readonly code: string;
  }[];
  /** Still running on the service. */
  readonly inProgress: readonly { readonly id: VideoId; readonly session: string }[];
  /** Videos that were not started. */
  readonly skipped: readonly VideoId[];
  /** Reason why the run stopped early; null when it finished. */
  readonly endedBy: SkipReason | null;
  readonly elapsedMs: number;
}

/** Outcome of a run that had nothing to do, or could not start. */
export const NOTHING_DONE: ApplyOutcome = {
  rendered: 0,
  recorded: 0,
  failed: [],
  delivered: 0,
  undelivered: [],
  unknown: [],
  inProgress: [],
  skipped: [],
  endedBy: null,
  elapsedMs: 0,
};

/** Returns the failures of a session that ended without a video, with the repository file that caused each. */
export function sessionFailures(session: RenderSession, video: DesiredVideo): VideoFailure[] {
  const errors = session.errors.filter((error) => error.severity !== 'warning');
  if (errors.length === 0) {
    const message = `the session ended as ${session.status} without a reason`;
    return [{ code: 'session_failed', message, retryable: false }];
  }
  return errors.map((error) => ({ ...failureOf(error), source: fileOf(video, error.editable) }));
}

/** Converts a problem of a session to a failure of its video. */
export function failureOf(problem: Omit<RenderSession['errors'][number], 'occurred_at'>): VideoFailure {
  const { code, title, detail, editable, retryable = false } = problem;
  return { code, message: detail ?? title, editable, retryable };
}

/** Only local files: a message names its URL already, without the query, which may hold a signature. */
function fileOf(video: DesiredVideo, editable: string | undefined): string | undefined {
  const source = editable === undefined ? null : sourceOf(video, editable);
  return source?.kind === 'file' ? source.path : undefined;
}

/** Whether every other video would fail too: the token is refused, the service is unreachable, or the disk is full. */
export function endsRun({ code }: VideoFailure): boolean {
  return code === 'service_unauthorized' || code === 'service_unreachable' || code === 'disk_full';
}

/** Codes of failures that may not happen again on the next apply. */
const TRANSIENT: ReadonlySet<string> = new Set(['service_unreachable', 'changed_since_plan']);

/** Converts an error that was thrown while one video was processed. It affects no other video. */
export function thrownFailures(thrown: unknown): VideoFailure[] {
  const error = fileSystemError(thrown) ?? thrown;
  if (error instanceof ReelformError) {
    return [{ code: error.code, message: error.message, hint: error.hint, retryable: TRANSIENT.has(error.code) }];
  }
  if (error instanceof ServiceError) {
    const retryable = error.status === 429 || error.status >= 500;
    if (error.problems.length === 0) return [{ code: error.code, message: error.message, retryable }];
    return error.problems.map(({ code, detail, pointer }) => ({
      code,
      message: pointer === '#' ? detail : `${detail} (${pointer})`,
      retryable,
    }));
  }
  const message = error instanceof Error ? error.message : String(error);
  return [{ code: 'internal', message: `Internal error: ${message}`, hint: 'Please report it', retryable: false }];
}
