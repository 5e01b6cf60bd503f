import { CAPTION_RULE_CODES, type CaptionRuleCode } from '../contract/captions/rule-profiles.ts';

/** Margins that an app's interface or an old screen may cover, as shares of the picture's width and height. */
interface SafeMargins {
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly left: number;
}

/** Areas that stay visible on platforms. Sources and dates: docs/reference/lint.md. */
export const SAFE_AREAS = {
  broadcast: { top: 0.05, right: 0.05, bottom: 0.05, left: 0.05 },
  'instagram-reels': { top: 0.14, right: 0.06, bottom: 0.35, left: 0.06 },
  'instagram-stories': { top: 0.14, right: 0, bottom: 0.2, left: 0 },
  tiktok: { top: 150 / 1920, right: 150 / 1080, bottom: 440 / 1920, left: 120 / 1080 },
  'youtube-shorts': { top: 288 / 1920, right: 192 / 1080, bottom: 672 / 1920, left: 48 / 1080 },
} as const satisfies Readonly<Record<string, SafeMargins>>;

export type SafeAreaName = keyof typeof SAFE_AREAS;

export const SAFE_AREA_NAMES = Object.keys(SAFE_AREAS) as SafeAreaName[];

/** Codes of defects that viewers of a video would notice. */
export const LINT_CODES = [
  'glyph_missing',
  'text_overflow',
  'text_too_small',
  'text_shrunk',
  'text_hidden',
  'text_collision',
  'text_leftover',
  'text_direction',
  'outside_safe_area',
  'low_contrast',
  'flashes',
  'image_too_small',
  'clip_ends_early',
  'clip_cut',
  'sound_cut',
  'sound_unused',
  'sound_silent',
  'sound_clipped',
  'sound_out_of_phase',
  'level_missed',
  'words_unheard',
  'mix_too_loud',
  'loudness_missed',
  'media_truncated',
  'hold_moves',
  'transition_from_empty',
  'caption_over_text',
  'caption_outside_safe_area',
  'caption_low_contrast',
  ...CAPTION_RULE_CODES,
] as const;
export type LintCode = (typeof LINT_CODES)[number];

export const LINT_SEVERITIES = ['error', 'warning', 'off'] as const;

/** Severities of findings; `off` ignores them. Codes without an entry are warnings. */
type LintSeverities = Readonly<Partial<Record<LintCode, (typeof LINT_SEVERITIES)[number]>>>;

/** Severities of findings, and the area in which texts must lie. */
export type LintSettings = LintSeverities & { readonly safe_area?: SafeAreaName };

/** Settings in reelform.yaml, which take precedence, and in template.yaml. A scene is judged by those of its own template. */
export interface LintRules {
  readonly repository: LintSettings;
  readonly template: LintSettings;
}

export function lintSeverity(code: LintCode, { repository, template }: LintRules): (typeof LINT_SEVERITIES)[number] {
  return repository[code] ?? template[code] ?? 'warning';
}

/** Returns the area in which texts must lie; null for the whole picture. */
export function safeAreaOf({ repository, template }: LintRules): SafeAreaName | null {
  return repository.safe_area ?? template.safe_area ?? null;
}

/** Returns whether any finding that is made from frames is an error, so that all rendered videos must be checked. */
export function canFailLint(rules: LintRules): boolean {
  return LINT_CODES.some((code) => !isCaptionRule(code) && lintSeverity(code, rules) === 'error');
}

/** Returns whether a finding needs no frames: rules of captions are checked for every video. */
function isCaptionRule(code: LintCode): code is CaptionRuleCode {
  return CAPTION_RULE_CODES.some((rule) => rule === code);
}
