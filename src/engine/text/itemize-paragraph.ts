import bidiFactory from 'bidi-js';
import { graphemeClusters } from '../../kernel/graphemes.ts';
import { type FontStack, fontFor } from './font-stack.ts';
import type { OpenFont } from './harfbuzz-font.ts';
import { scriptOf } from './script-of.ts';

/** A piece of a paragraph that is shaped as a unit. Indices are UTF-16 units of the paragraph's text. */
export interface TextRun {
  readonly start: number;
  readonly end: number;
  /** Null when no font has the characters; the run is then a single grapheme cluster. */
  readonly font: OpenFont | null;
  readonly script: string | null;
  /** Bidirectional embedding level; odd levels run from right to left. */
  readonly level: number;
  /** Scale of the letters, in (0, 1]: below 1 for small capitals. */
  readonly scale: number;
}

/** Text without forced line breaks, with a single base direction. */
export interface Paragraph {
  readonly text: string;
  /** The text's first font, which draws the box for missing glyphs. */
  readonly firstFont: OpenFont;
  /** 0 for left to right, 1 for right to left. */
  readonly baseLevel: number;
  /** In text order, without gaps. */
  readonly runs: readonly TextRun[];
}

const RTL = /[\u0590-\u08ff\u200f\u202b\u202e\u2067\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const bidi = bidiFactory();

/**
 * Divides a paragraph into runs with the same direction, script, font and size. The first letter determines its base
 * direction.
 *
 * @param scaleAt scale of the character at an index of the text, 1 for full size
 * @see Unicode Standard Annex #9 (levels), #24 (scripts), #29 (grapheme clusters)
 */
export function itemizeParagraph(text: string, stack: FontStack, scaleAt: (index: number) => number): Paragraph {
  const { levels, baseLevel } = levelsOf(text);
  const runs: TextRun[] = [];
  for (const { segment, index } of graphemeClusters(text)) {
    const last = runs.at(-1);
    const end = index + segment.length;
    const font = fontFor(segment, stack);
    const script = scriptOf(String.fromCodePoint(segment.codePointAt(0)!));
    const next: TextRun = {
      start: index,
      end,
      // An invisible cluster joins the previous run.
      font: font === undefined ? (last?.font ?? stack[0]!) : font,
      script,
      level: levels?.[index] ?? 0,
      scale: scaleAt(index),
    };
    const joined = last === undefined ? undefined : joinRuns(last, next);
    if (joined === undefined) runs.push(next);
    else runs[runs.length - 1] = joined;
  }
  return { text, firstFont: stack[0]!, baseLevel, runs };
}

/** Joins two neighbouring runs; undefined if they must be shaped separately. */
function joinRuns(run: TextRun, next: TextRun): TextRun | undefined {
  if (run.font === null || run.font !== next.font) return undefined;
  if (run.level !== next.level || run.scale !== next.scale) return undefined;
  if (run.script !== null && next.script !== null && run.script !== next.script) return undefined;
  return { ...run, end: next.end, script: run.script ?? next.script };
}

/** Returns whether a text has letters or marks that are written from right to left. */
export function hasRightToLeft(text: string): boolean {
  return RTL.test(text);
}

/** Returns the base direction of a paragraph: 0 for left to right, 1 for right to left. */
export function baseLevelOf(text: string): number {
  return levelsOf(text).baseLevel;
}

function levelsOf(text: string): { levels: Uint8Array | null; baseLevel: number } {
  if (!RTL.test(text)) return { levels: null, baseLevel: 0 };
  const { levels, paragraphs } = bidi.getEmbeddingLevels(text, 'auto');
  return { levels, baseLevel: paragraphs[0]?.level ?? 0 };
}

/** Letters of these scripts join, so tracking would break words apart. */
const CURSIVE = new Set(['Arabic', 'Syriac', 'Mongolian', 'Nko', 'Adlam', 'Phags_Pa', 'Mandaic', 'Hanifi_Rohingya']);

/** Returns whether the letters of a script join, so that tracking does not apply. @see CSS Text 3, "letter-spacing" */
export function isCursive(script: string | null): boolean {
  return script !== null && CURSIVE.has(script);
}
