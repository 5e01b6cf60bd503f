import type { WrittenLoudness } from '../../contract/wire/loudness.ts';
import type { PlanCheck } from '../plan/plan.ts';

/** Consequence of a violated policy: `deny` rejects the plan, `warn` only reports it. */
export type PolicyLevel = 'warn' | 'deny';

/** Every rule that reelform.yaml may set, in the order in which they are reported. */
export const POLICY_RULES = [
  'max_renders',
  'max_cost',
  'max_duration',
  'max_text_length',
  'forbid_words',
  'title_pattern',
  'require_label',
  'require_deliver',
  'require_loudness',
  'require_translations',
  'allow_sources',
] as const;

export type PolicyRule = (typeof POLICY_RULES)[number];

/**
 * A rule of a repository, applied to the videos that a plan changes. `max_renders` and `max_cost` apply to the plan as a
 * whole, `require_translations` also to videos that wait or are unchanged. Patterns use the syntax of `matchesPattern`.
 */
export type Policy = { readonly level: PolicyLevel } & (
  | { readonly rule: 'max_renders'; readonly count: number }
  /** Amount in the currency of the configured prices. */
  | { readonly rule: 'max_cost'; readonly amount: number }
  | { readonly rule: 'max_duration'; readonly seconds: number }
  /** Maximum number of graphemes of each text. */
  | { readonly rule: 'max_text_length'; readonly characters: number }
  | { readonly rule: 'forbid_words'; readonly words: readonly string[] }
  | { readonly rule: 'title_pattern'; readonly pattern: string }
  /** Maps a label's name to the pattern of its value. */
  | { readonly rule: 'require_label'; readonly labels: Readonly<Record<string, string>> }
  | { readonly rule: 'require_deliver' }
  | {
      readonly rule: 'require_loudness';
      /** LUFS, the name of a profile, or both limits. */
      readonly loudness: WrittenLoudness;
      /** LU by which the target of a video may differ; 0 if absent. */
      readonly tolerance?: number;
      /** Only videos with all of these labels are checked; maps a label's name to the pattern of its value. All videos if absent. */
      readonly labels?: Readonly<Record<string, string>>;
    }
  | {
      readonly rule: 'require_translations';
      /** As in `require_loudness`. */
      readonly labels?: Readonly<Record<string, string>>;
    }
  /** `example.com`, or `*.example.com` for all of its subdomains. */
  | { readonly rule: 'allow_sources'; readonly hosts: readonly string[] }
);

/** A violation that a rule or a policy command reports. */
export interface PolicyFinding {
  /** Name of a rule in reelform.yaml, or of a policy command. */
  readonly rule: string;
  readonly level: PolicyLevel;
  /** Id of the video concerned; null for the plan as a whole. */
  readonly video: string | null;
  /** File of the definition and key path within it, outermost key first; null if no source location is at fault. */
  readonly place: { readonly file: string; readonly path: readonly string[] } | null;
  readonly message: string;
  readonly hint?: string;
}

/**
 * Converts findings to the checks of a plan document: one `fail` per finding, one `pass` per rule without findings.
 *
 * @param asked all rules and commands that were evaluated
 */
export function planChecks(
  asked: readonly { readonly rule: string; readonly level: PolicyLevel }[],
  findings: readonly PolicyFinding[],
): PlanCheck[] {
  return asked.flatMap(({ rule, level }): PlanCheck[] => {
    const ofRule = findings.filter((finding) => finding.rule === rule);
    if (ofRule.length === 0) return [{ rule, status: 'pass', level, video: null, message: null }];
    return ofRule.map((finding) => ({
      rule,
      status: 'fail',
      level: finding.level,
      video: finding.video,
      message: finding.message,
    }));
  });
}
