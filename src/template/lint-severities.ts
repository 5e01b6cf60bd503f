/** Codes of defects that viewers of a video would notice. */
export const LINT_CODES = [
  'glyph_missing',
  'text_overflow',
  'text_too_small',
  'text_hidden',
  'text_collision',
  'low_contrast',
  'flashes',
  'image_too_small',
  'clip_ends_early',
  'media_truncated',
] as const;
export type LintCode = (typeof LINT_CODES)[number];

export const LINT_SEVERITIES = ['error', 'warning', 'off'] as const;

/** Severities of findings; `off` ignores them. Codes without an entry are warnings. */
export type LintSeverities = Readonly<Partial<Record<LintCode, (typeof LINT_SEVERITIES)[number]>>>;

/** Severities from reelform.yaml, which take precedence, and from the template's template.yaml. */
export interface LintRules {
  readonly repository: LintSeverities;
  readonly template: LintSeverities;
}

export function lintSeverity(code: LintCode, { repository, template }: LintRules): (typeof LINT_SEVERITIES)[number] {
  return repository[code] ?? template[code] ?? 'warning';
}

/** Returns whether a finding can be an error, so that every rendered video must be checked. */
export function canFailLint(rules: LintRules): boolean {
  return LINT_CODES.some((code) => lintSeverity(code, rules) === 'error');
}
