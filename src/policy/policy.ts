import type { PlanCheck } from '../plan/plan.ts';

/** What it means that a policy is not kept: `deny` refuses the plan, `warn` says so and goes on. */
export type PolicyLevel = 'warn' | 'deny';

/** Every rule that reelform.yaml may set, in the order in which they are told. */
export const POLICY_RULES = [
  'max_renders',
  'max_cost',
  'max_duration',
  'max_text_length',
  'forbid_words',
  'title_pattern',
  'require_label',
  'require_deliver',
  'allow_sources',
] as const;

export type PolicyRule = (typeof POLICY_RULES)[number];

/**
 * One rule of a repository, about the videos that a plan changes. `max_renders` and `max_cost` are about the plan as a whole.
 * Patterns are those of `matchesPattern`.
 */
export type Policy = { readonly level: PolicyLevel } & (
  | { readonly rule: 'max_renders'; readonly count: number }
  /** In the currency of the prices. */
  | { readonly rule: 'max_cost'; readonly amount: number }
  | { readonly rule: 'max_duration'; readonly seconds: number }
  /** Characters as people count them, of each text. */
  | { readonly rule: 'max_text_length'; readonly characters: number }
  | { readonly rule: 'forbid_words'; readonly words: readonly string[] }
  | { readonly rule: 'title_pattern'; readonly pattern: string }
  /** The label's name → the pattern of its value. */
  | { readonly rule: 'require_label'; readonly labels: Readonly<Record<string, string>> }
  | { readonly rule: 'require_deliver' }
  /** `example.com`, or `*.example.com` for every host below it. */
  | { readonly rule: 'allow_sources'; readonly hosts: readonly string[] }
);

/** What a rule, or a policy command, says of a plan. */
export interface PolicyFinding {
  /** A rule of reelform.yaml, or the name of a command. */
  readonly rule: string;
  readonly level: PolicyLevel;
  /** The id of the one video that it is about; null: the plan as a whole. */
  readonly video: string | null;
  /** Its definition's file, and where in there it stands: keys, from the outermost; null when no place is at fault. */
  readonly place: { readonly file: string; readonly path: readonly string[] } | null;
  readonly message: string;
  readonly hint?: string;
}

/**
 * What was found, rule by rule, as a plan's document has it: one `fail` for each finding, and one `pass` for a rule with
 * none.
 *
 * @param asked every rule and command that was asked
 */
export function planChecks(
  asked: readonly { readonly rule: string; readonly level: PolicyLevel }[],
  findings: readonly PolicyFinding[],
): PlanCheck[] {
  return asked.flatMap(({ rule, level }): PlanCheck[] => {
    const own = findings.filter((finding) => finding.rule === rule);
    if (own.length === 0) return [{ rule, status: 'pass', level, video: null, message: null }];
    return own.map((finding) => ({
      rule,
      status: 'fail',
      level: finding.level,
      video: finding.video,
      message: finding.message,
    }));
  });
}
