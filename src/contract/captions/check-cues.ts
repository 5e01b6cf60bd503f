import { defined } from '../../kernel/defined.ts';
import { type Cue, toMilliseconds } from './cue.ts';
import type { CaptionRuleCode, CaptionRules } from './rule-profiles.ts';
import { characterCount, wrapLines } from './text-width.ts';

/** A cue that does not keep to a rule. */
export interface CueFinding {
  readonly code: CaptionRuleCode;
  /** Index of the cue. */
  readonly index: number;
  /** In `unit`. */
  readonly found: number;
  readonly limit: number;
  readonly unit: 'characters' | 'characters a second' | 'words a minute' | 'lines' | 'seconds' | 'frames';
  /** Where a time belongs, if the rule is about a time. */
  readonly fix?: CueFix;
}

export interface CueFix {
  readonly edge: 'start' | 'end';
  /** Seconds. */
  readonly to: number;
}

/** What rules depend on beside the cues. */
export interface RuleContext {
  readonly rules: CaptionRules;
  /** BCP 47; the default numbers of the rules if absent. */
  readonly lang?: string | undefined;
  /** Frames per second. */
  readonly rate: number;
  /** Seconds of the cuts, in ascending order. */
  readonly cuts: readonly number[];
}

/** Half a millisecond: times of files are rounded to milliseconds. */
const TOLERANCE = 0.0005;

/** Checks cues against rules. @param cues in the order of their start */
export function checkCues(cues: readonly Cue[], context: RuleContext): CueFinding[] {
  return cues.flatMap((cue, index) => [
    ...checkText(cue, index, context),
    ...checkLength(cue, index, context.rules),
    ...checkGap(cue, cues[index + 1], index, context),
    ...checkCuts(cue, index, context),
  ]);
}

/** Returns the number of a rule for a language. */
function forLanguage(limits: { readonly default: number; readonly [language: string]: number }, lang = ''): number {
  const [language = ''] = lang.toLowerCase().split('-');
  return Object.hasOwn(limits, language) ? limits[language]! : limits.default;
}

function checkText(cue: Cue, index: number, { rules, lang }: RuleContext): CueFinding[] {
  const longest = forLanguage(rules.lineLength, lang);
  const lines = linesOf(cue, longest);
  const counts = lines.map(characterCount);
  const seconds = cue.end - cue.start;
  const findings: CueFinding[] = [];
  const length = Math.max(...counts);
  if (length > longest) findings.push({ code: 'caption_line_too_long', index, found: length, limit: longest, unit: 'characters' }); // biome-ignore format: one line
  if (lines.length > rules.lines) findings.push({ code: 'caption_too_many_lines', index, found: lines.length, limit: rules.lines, unit: 'lines' }); // biome-ignore format: one line
  if (rules.charactersPerSecond !== undefined) {
    const limit = forLanguage(rules.charactersPerSecond, lang);
    // A line feed stands for a space.
    const found = (counts.reduce((sum, count) => sum + count, 0) + lines.length - 1) / seconds;
    if (found > limit + 1e-6) findings.push({ code: 'caption_too_fast', index, found, limit, unit: 'characters a second' }); // biome-ignore format: one line
  }
  const words = wordCount(cue.text);
  if (rules.wordsPerMinute !== undefined) {
    const found = (words * 60) / seconds;
    if (found > rules.wordsPerMinute + 1e-6) findings.push({ code: 'caption_too_fast', index, found, limit: rules.wordsPerMinute, unit: 'words a minute' }); // biome-ignore format: one line
  }
  return findings;
}

/** Lines as they are written. A cue that is made from words is broken when it is drawn. */
function linesOf({ text, words }: Cue, longest: number): string[] {
  return words !== undefined && !text.includes('\n') ? wrapLines(text, longest) : text.split('\n');
}

function wordCount(text: string): number {
  return text.split(/\s+/).filter((word) => word !== '').length;
}

function checkLength({ start, end, text }: Cue, index: number, rules: CaptionRules): CueFinding[] {
  const seconds = end - start;
  const least = Math.max(rules.minSeconds ?? 0, (rules.secondsPerWord ?? 0) * wordCount(text));
  const { maxSeconds: most = Number.POSITIVE_INFINITY } = rules;
  if (seconds < least - TOLERANCE) return [{ code: 'caption_too_short', index, found: seconds, limit: least, unit: 'seconds' }]; // biome-ignore format: one line
  if (seconds > most + TOLERANCE) return [{ code: 'caption_too_long', index, found: seconds, limit: most, unit: 'seconds' }]; // biome-ignore format: one line
  return [];
}

/** Checks the gap to the next cue. Cues that overlap are reported when they are read. */
function checkGap(cue: Cue, next: Cue | undefined, index: number, { rules, rate }: RuleContext): CueFinding[] {
  const { minGapFrames = 0, closedGapSeconds = 0 } = rules;
  if (next === undefined || closedGapSeconds === 0) return [];
  const gap = next.start - cue.end;
  const least = minGapFrames / rate;
  const isRight = gap < -TOLERANCE || Math.abs(gap - least) <= TOLERANCE || gap > closedGapSeconds - TOLERANCE;
  // Less than a frame more is the same gap in frames.
  if (isRight || (gap > least && gap - least < 1 / rate - TOLERANCE)) return [];
  const fix: CueFix = { edge: 'end', to: next.start - least };
  return [{ code: 'caption_gap', index, found: gap * rate, limit: minGapFrames, unit: 'frames', fix }];
}

/**
 * Checks the times of a cue near cuts.
 *
 * @see SubtitleEdit NetflixCheckShotChange: a start up to half a second after a cut, or up to 3/8 of a second before, moves to the cut; a
 * start further before, to half a second before it. An end up to half a second after a cut, on it, or less than the smallest gap
 * before it moves to the smallest gap before the cut
 */
function checkCuts({ start, end }: Cue, index: number, { rules, rate, cuts }: RuleContext): CueFinding[] {
  const { cutSeconds: near, minGapFrames = 0 } = rules;
  if (near === undefined) return [];
  const least = minGapFrames / rate;
  const findings: CueFinding[] = [];
  const add = (edge: CueFix['edge'], found: number, to: number): void => {
    if (Math.abs(found - to) > TOLERANCE) findings.push({ code: 'caption_at_cut', index, found, limit: to, unit: 'seconds', fix: { edge, to } }); // biome-ignore format: one line
  };
  const startCut = cuts.find((cut) => Math.abs(start - cut) < near - TOLERANCE);
  const isAtStart = startCut !== undefined && end > startCut;
  if (isAtStart) {
    const before = startCut - start;
    const isFar = before > near * 0.75 - 1 / rate + TOLERANCE;
    add('start', start, isFar ? startCut - near : startCut);
  }
  const endCut = cuts.find((cut) => end > cut - least + TOLERANCE && end < cut + near - TOLERANCE);
  // A cue that begins at the cut does not end at it.
  if (endCut !== undefined && endCut - least > start + TOLERANCE && !(isAtStart && startCut === endCut)) {
    add('end', end, endCut - least);
  }
  return findings;
}

/** A changed time of a cue. */
export interface CueMove {
  readonly index: number;
  readonly start?: number;
  readonly end?: number;
}

/**
 * Moves times to cuts and closes gaps, where no other rule breaks by it that held before. Texts stay as they are.
 *
 * @returns the changed times of the cues that change, in their order
 */
export function fixCues(cues: readonly Cue[], context: RuleContext): CueMove[] {
  const fixed: Cue[] = cues.map((cue) => ({ ...cue }));
  const others = (all: readonly Cue[]): number =>
    checkCues(all, context).filter(({ fix }) => fix === undefined).length + overlaps(all);
  // Times at cuts decide gaps.
  for (const code of ['caption_at_cut', 'caption_gap'] as const) {
    for (const finding of checkCues(fixed, context).filter((found) => found.code === code)) {
      const { index, fix } = finding;
      if (fix === undefined) continue;
      const [from, neighbours] = [Math.max(0, index - 1), fixed.slice(Math.max(0, index - 1), index + 2)];
      const moved: Cue = { ...fixed[index]!, [fix.edge]: toMilliseconds(fix.to) };
      const after = neighbours.map((cue, at) => (from + at === index ? moved : cue));
      if (moved.end - moved.start > TOLERANCE && others(after) <= others(neighbours)) fixed[index] = moved;
    }
  }
  return fixed.flatMap(({ start, end }, index): CueMove[] => {
    const before = cues[index]!;
    if (start === before.start && end === before.end) return [];
    const changed = { start: start === before.start ? undefined : start, end: end === before.end ? undefined : end };
    return [{ index, ...defined(changed) }];
  });
}

function overlaps(cues: readonly Cue[]): number {
  return cues.filter((cue, index) => cues[index + 1] !== undefined && cue.end > cues[index + 1]!.start + TOLERANCE)
    .length;
}
