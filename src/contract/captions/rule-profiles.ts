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
  readonly lineLength?: PerLanguage;
  readonly lines?: number;
  /** Characters a second, with spaces and punctuation. */
  readonly charactersPerSecond?: PerLanguage;
  readonly wordsPerMinute?: number;
  readonly minSeconds?: number;
  /** Least seconds of each word, which decide the length of short cues. */
  readonly secondsPerWord?: number;
  readonly maxSeconds?: number;
  /** Frames between two cues; a shorter gap is too short. */
  readonly minGapFrames?: number;
  /** A gap from `minGapFrames` + 1 frame up to this many seconds is closed. */
  readonly closedGapSeconds?: number;
  /** Times near a cut are moved to it: seconds around the cut. */
  readonly cutSeconds?: number;
}

/**
 * Rules by the name of their profile.
 *
 * - `netflix`: Timed Text Style Guide, General Requirements 360051554394 and 215758617: reading speed and line length per language, two
 *   lines, 5/6 of a second to 7 seconds, two frames between cues, gaps up to half a second are closed, and times within half a second of a
 *   cut are moved to it. Per language as in the guides of the languages; SubtitleEdit's `NetflixQualityController` has the same numbers.
 * - `bbc`: Subtitle Guidelines: 160 to 180 words a minute, 0.3 seconds a word at least, 37 characters of a teletext line, two lines; gaps
 *   shorter than a second are closed; a caption starts on the first frame of its shot and ends on its last.
 * - `social`: short captions as they are common on phones. There is no standard; the numbers keep captions readable: 20 characters
 *   a second, 32 a line (DCMP Captioning Key, 601), two lines, 0.3 seconds at least.
 */
export const RULE_PROFILES = {
  netflix: {
    lineLength: { default: 42, ja: 13, ko: 16, zh: 16, th: 35, ru: 39 },
    lines: 2,
    charactersPerSecond: { default: 17, en: 20, ar: 20, hi: 22, ja: 4, ko: 12, zh: 9 },
    minSeconds: 5 / 6,
    maxSeconds: 7,
    minGapFrames: 2,
    closedGapSeconds: 0.5,
    cutSeconds: 0.5,
  },
  bbc: {
    lineLength: { default: 37, ja: 16, ko: 16, zh: 16 },
    lines: 2,
    wordsPerMinute: 180,
    secondsPerWord: 0.3,
    closedGapSeconds: 1,
    cutSeconds: 0.5,
  },
  social: {
    lineLength: { default: 32, ja: 13, ko: 16, zh: 16 },
    lines: 2,
    charactersPerSecond: { default: 20, ja: 8, ko: 14, zh: 11 },
    minSeconds: 0.3,
    maxSeconds: 6,
  },
} as const satisfies Readonly<Record<string, CaptionRules>>;

export type RuleProfile = keyof typeof RULE_PROFILES;
