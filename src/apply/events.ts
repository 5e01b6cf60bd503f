import type { VideoId } from '../definition/video.ts';
import type { Action } from '../plan/plan.ts';

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

/** All that can be told of a run, in the order in which it happens. Views render these and nothing else. */
export type ApplyEvent =
  /** `ids`: what will be rendered, in the order in which it is begun. */
  | { readonly kind: 'run-started'; readonly ids: readonly VideoId[]; readonly concurrency: number }
  | {
      readonly kind: 'video-recorded';
      readonly id: VideoId;
      readonly action: Action;
      readonly previousId: VideoId | null;
    }
  | { readonly kind: 'video-started'; readonly id: VideoId; readonly action: Action }
  | { readonly kind: 'video-progressed'; readonly id: VideoId; readonly percent: number }
  | { readonly kind: 'video-rendered'; readonly id: VideoId; readonly videoUrl: string; readonly elapsedMs: number }
  | {
      readonly kind: 'video-failed';
      readonly id: VideoId;
      readonly failures: readonly Failure[];
      readonly elapsedMs: number;
    }
  | { readonly kind: 'video-skipped'; readonly id: VideoId }
  | { readonly kind: 'run-finished'; readonly outcome: ApplyOutcome };

/** How a run ended. */
export interface ApplyOutcome {
  readonly rendered: number;
  /** Changed in the lockfile alone: moves, labels, removals. */
  readonly recorded: number;
  readonly failed: readonly { readonly id: VideoId; readonly failures: readonly Failure[] }[];
  /** Not begun, because the run was asked to stop. */
  readonly skipped: readonly VideoId[];
  readonly elapsedMs: number;
}
