import type { CommitOptions } from '../commit/commit-options.ts';
import type { GlobalOptions } from '../global-options.ts';
import type { PlanFlags } from '../plan/plan-flags.ts';
import type { ApplyFormat } from './apply-format.ts';

/** What a command line says about an apply. */
export interface ApplyOptions extends GlobalOptions, PlanFlags, CommitOptions {
  readonly autoApprove?: boolean;
  readonly expectPlan?: string;
  readonly concurrency?: number;
  readonly failFast?: boolean;
  /** Whether outputs of earlier renderings are removed at the end. */
  readonly prune?: boolean;
  /** Milliseconds. */
  readonly timeout?: number;
  /** `text` when absent. */
  readonly format?: ApplyFormat;
  /** Short for `--format json`. */
  readonly json?: boolean;
  readonly verbose?: boolean;
  /** False: all segments are rendered, and none is kept. */
  readonly segmentCache?: boolean;
  /** False: videos are rendered without being checked by lint. */
  readonly lint?: boolean;
}
