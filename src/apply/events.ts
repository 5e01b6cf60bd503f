import { sourceOf, type Video, type VideoId } from '../definition/video.ts';
import { ReelformError } from '../diagnostic.ts';
import { fileSystemError } from '../file-system-error.ts';
import type { Delivery } from '../lock/lock.ts';
import type { Action } from '../plan/plan.ts';
import { ServiceError } from '../service/service-error.ts';
import type { RenderSession } from '../wire/render-session.ts';

/** Why a video could not be rendered, as data. */
export interface Failure {
  /** Of this program or of the service; `errors` of a session keep their own. */
  readonly code: string;
  readonly message: string;
  readonly hint?: string | undefined;
  /** The editable that it is about, where there is one. */
  readonly editable?: string | undefined;
  /** The file of the repository that filled it. */
  readonly source?: string | undefined;
  readonly retryable: boolean;
}

/**
 * How a video comes by its rendering: `posted` asks for a new session; `resumed` waits for one that an earlier run asked
 * for; `resent` sends an earlier run's request again, under its key; `followed` waits for what another run is doing;
 * `found` has it, and only delivers it.
 */
export type Begin = 'posted' | 'resumed' | 'resent' | 'followed' | 'found';

/** Why a video was not begun: somebody asked to stop, a failure ended the run, the time was over. */
export type SkipReason = 'interrupted' | 'failure' | 'deadline';

/** All that can be told of a run, in the order in which it happens. Views render these and nothing else. */
export type ApplyEvent =
  /** `ids`: what will be rendered or delivered, in the order in which it is begun. */
  | { readonly kind: 'run-started'; readonly ids: readonly VideoId[]; readonly concurrency: number }
  | {
      readonly kind: 'video-recorded';
      readonly id: VideoId;
      readonly action: Action;
      readonly previousId: VideoId | null;
      /** Of an adopted video. */
      readonly videoUrl: string | null;
      /** Where it was delivered to just now; nowhere when absent. */
      readonly deliveries?: readonly Delivery[];
    }
  | { readonly kind: 'video-started'; readonly id: VideoId; readonly action: Action; readonly begin: Begin }
  /** The service has it: from now on the run can be left without losing it. */
  | { readonly kind: 'video-submitted'; readonly id: VideoId; readonly session: string }
  | { readonly kind: 'video-progressed'; readonly id: VideoId; readonly percent: number }
  /** Worth knowing, and no failure: the code of `CODES` and what to say. */
  | { readonly kind: 'video-warned'; readonly id: VideoId; readonly warning: Failure }
  /** It is finished, and on its way to these places. */
  | { readonly kind: 'video-delivering'; readonly id: VideoId; readonly to: readonly string[] }
  | {
      readonly kind: 'video-rendered';
      readonly id: VideoId;
      readonly videoUrl: string;
      /** Where it was delivered to; nowhere when absent. */
      readonly deliveries?: readonly Delivery[];
      /** Present for a restored video: whether its digest is the one in the lockfile; null where that is not recorded. */
      readonly restored?: { readonly isIdentical: boolean | null };
      readonly elapsedMs: number;
    }
  /** It is rendered and recorded, and not everywhere where it should be: the next run delivers it. */
  | { readonly kind: 'video-undelivered'; readonly id: VideoId; readonly failures: readonly Failure[] }
  | {
      readonly kind: 'video-failed';
      readonly id: VideoId;
      readonly failures: readonly Failure[];
      readonly elapsedMs: number;
    }
  /** A render was requested, and only a person can find out what became of it. `session`: the one that is missing, if any. */
  | {
      readonly kind: 'video-unknown';
      readonly id: VideoId;
      readonly failure: Failure;
      readonly askedAt: string;
      readonly session: string | null;
    }
  /** Left at work at the service; the next run takes it up. */
  | { readonly kind: 'video-left'; readonly id: VideoId; readonly session: string }
  | { readonly kind: 'video-skipped'; readonly id: VideoId; readonly reason: SkipReason }
  | { readonly kind: 'run-finished'; readonly outcome: ApplyOutcome };

/** How a run ended. */
export interface ApplyOutcome {
  readonly rendered: number;
  /** How many of the rendered videos were restored, and how many of these have other bytes than before; absent for none. */
  readonly restored?: { readonly videos: number; readonly differing: number };
  /** Changed in the lockfile alone: moves, labels, removals, adoptions. */
  readonly recorded: number;
  readonly failed: readonly { readonly id: VideoId; readonly failures: readonly Failure[] }[];
  /** Finished files that are everywhere where they were to be delivered to. */
  readonly delivered: number;
  /** Rendered and recorded, and not everywhere where they were to be delivered to. */
  readonly undelivered: readonly { readonly id: VideoId; readonly failures: readonly Failure[] }[];
  /** Requested, and not known whether the service took them on, or, with a `session`, what became of that. */
  readonly unknown: readonly { readonly id: VideoId; readonly askedAt: string; readonly session: string | null }[];
  /** At work at the service still. */
  readonly inProgress: readonly { readonly id: VideoId; readonly session: string }[];
  /** Not begun. */
  readonly skipped: readonly VideoId[];
  /** What ended the run before it was through; null: nothing did. */
  readonly endedBy: SkipReason | null;
  readonly elapsedMs: number;
}

/** Of a run that had nothing to do, or was kept from it. */
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

/** What a session that ended without a video says about it, and from which file or URL the trouble came. */
export function sessionFailures(session: RenderSession, video: Video): Failure[] {
  const errors = session.errors.filter((error) => error.severity !== 'warning');
  if (errors.length === 0) {
    return [
      {
        code: 'session_failed',
        message: `the session ended as ${session.status} and told no reason`,
        retryable: false,
      },
    ];
  }
  return errors.map(({ code, title, detail, editable, retryable }) => ({
    code,
    message: detail ?? title,
    editable,
    source: fileOf(video, editable),
    retryable: retryable ?? false,
  }));
}

/** The message names a URL already, without the query that may hold a signature. */
function fileOf(video: Video, editable: string | undefined): string | undefined {
  const source = editable === undefined ? null : sourceOf(video, editable);
  return source?.kind === 'file' ? source.path : undefined;
}

/** Whether every other video would fail too: a token that is refused, a service that is not there, a full disk. */
export function endsRun({ code }: Failure): boolean {
  return code === 'service_unauthorized' || code === 'service_unreachable' || code === 'disk_full';
}

/** Another apply may not meet these again. */
const TRANSIENT: ReadonlySet<string> = new Set(['service_unreachable', 'changed_since_plan']);

/** What was thrown while one video was at work; it stays with that video. */
export function thrownFailures(thrown: unknown): Failure[] {
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
