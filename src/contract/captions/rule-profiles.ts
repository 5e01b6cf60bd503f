/** Limits of captions by the language of their text. */
interface PerLanguage {
  /** For languages without a value of their own. */
  readonly default: number;
  /** Primary subtag of BCP 47 → value. */
  readonly [language: string]: number;
}

/** What captions must keep to. A rule without a number is not checked. */
export interface CaptionRules {
  /** Characters of a line. */
  readonly lineLength: PerLanguage;
  readonly lines: number;
  /** Characters a second, with spaces and punctuation. */
  readonly charactersPerSecond?: PerLanguage;
  readonly wordsPerMinute?: number;
  readonly minSeconds?: number;
  /** Least seconds of each word. */
  readonly secondsPerWord?: number;
  readonly maxSeconds?: number;
  /** Frames between two cues; a smaller gap is too small. */
  readonly minGapFrames?: number;
  /** A gap above the smallest and below this many seconds is closed to the smallest. */
  readonly closedGapSeconds?: number;
  /** Seconds around a cut within which a cue starts and ends at the cut. */
  readonly cutSeconds?: number;
}

/**
 * Rules by the name of their profile. docs/reference/captions.md names the source of each number; a test compares them. `social` follows
 * no standard: one to three words may be shown at once.
 */
export const RULE_PROFILES = {
  netflix: {
    lineLength: { default: 42, ja: 23, ko: 16, zh: 16, th: 35, ru: 39 },
    lines: 2,
    charactersPerSecond: { default: 17, en: 20, ar: 20, hi: 22, ja: 4, ko: 12, zh: 9 },
    minSeconds: 5 / 6,
    maxSeconds: 7,
    minGapFrames: 2,
    closedGapSeconds: 0.5,
    cutSeconds: 0.5,
  },
  bbc: {
    lineLength: { default: 37 },
    lines: 2,
    wordsPerMinute: 180,
    secondsPerWord: 0.3,
    closedGapSeconds: 1,
    cutSeconds: 0.5,
  },
  social: {
    lineLength: { default: 32, ko: 16, zh: 16 },
    lines: 2,
    charactersPerSecond: { default: 20, ar: 23, hi: 25, ja: 7, ko: 14, zh: 11 },
    minSeconds: 0.3,
    maxSeconds: 6,
  },
} as const satisfies Readonly<Record<string, CaptionRules>>;

export type RuleProfile = keyof typeof RULE_PROFILES;

/** Codes of the rules. */
export const CAPTION_RULE_CODES = [
  'caption_too_fast',
  'caption_line_too_long',
  'caption_too_many_lines',
  'caption_too_short',
  'caption_too_long',
  'caption_gap',
  'caption_at_cut',
] as const;
export type CaptionRuleCode = (typeof CAPTION_RULE_CODES)[number];
