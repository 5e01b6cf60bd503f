/** What a viewer would notice of a video, and its maker did not see coming. */
export const LINT_CODES = [
  'glyph_missing',
  'text_overflow',
  'low_contrast',
  'image_too_small',
  'clip_ends_early',
  'media_truncated',
] as const;
export type LintCode = (typeof LINT_CODES)[number];

export const LINT_SEVERITIES = ['error', 'warning', 'off'] as const;

/** How bad it is what a viewer would notice; `off` looks away. A code that is not here is a warning. */
export type LintSeverities = Readonly<Partial<Record<LintCode, (typeof LINT_SEVERITIES)[number]>>>;

/** Who says how severe a finding is: reelform.yaml, then the template's template.yaml. */
export interface LintRules {
  readonly repository: LintSeverities;
  readonly template: LintSeverities;
}

export function lintSeverity(code: LintCode, { repository, template }: LintRules): (typeof LINT_SEVERITIES)[number] {
  return repository[code] ?? template[code] ?? 'warning';
}

/** Whether a finding can be an error: then every video that is rendered has to be checked. */
export function canFailLint(rules: LintRules): boolean {
  return LINT_CODES.some((code) => lintSeverity(code, rules) === 'error');
}
