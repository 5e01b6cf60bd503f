import { ReelformError } from '../../kernel/diagnostic.ts';
import type { Shard } from '../../service/sessions/segments/render-shard.ts';
import type { CommitOptions } from '../commit/commit-options.ts';
import { type GlobalOptions, rejectConflictingOptions } from '../global-options.ts';
import type { PlanFlags } from '../plan/plan-options.ts';

/** Options of `reelform apply`. */
export interface ApplyOptions extends GlobalOptions, PlanFlags, CommitOptions {
  readonly autoApprove?: boolean;
  readonly expectPlan?: string;
  /** True to pay for videos that the lockfile's history may have, where it cannot be searched. */
  readonly allowUnsearched?: boolean;
  readonly concurrency?: number;
  readonly failFast?: boolean;
  /** True to remove unused outputs at the end. */
  readonly prune?: boolean;
  /** Milliseconds. */
  readonly timeout?: number;
  /** `text` when absent. */
  readonly format?: ApplyFormat;
  /** Short for `--format json`. */
  readonly json?: boolean;
  readonly verbose?: boolean;
  /** False to render all segments and keep none. */
  readonly segmentCache?: boolean;
  /** Renders a share of the segments into the segment cache, and records nothing. */
  readonly shard?: Shard;
  readonly lint?: boolean;
}

/** Output formats of an apply. */
export const APPLY_FORMATS = ['text', 'json', 'github'] as const;

type ApplyFormat = (typeof APPLY_FORMATS)[number];

/**
 * Returns the requested output format.
 *
 * @throws ReelformError `options_conflict`
 */
export function applyFormat(options: {
  readonly format?: ApplyFormat;
  readonly json?: boolean;
  readonly refreshOnly?: boolean;
}): ApplyFormat {
  const { format, json } = options;
  if (json === true && format !== undefined && format !== 'json') {
    throw new ReelformError('options_conflict', `--format ${format} and --json exclude each other`, {
      hint: 'Choose one output format',
    });
  }
  if (format === 'github') rejectConflictingOptions('--format github', options, { refreshOnly: '--refresh-only' });
  return json === true ? 'json' : (format ?? 'text');
}
