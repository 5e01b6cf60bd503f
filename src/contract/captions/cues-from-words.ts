import { type Cue, toMilliseconds, type Word } from './cue.ts';
import { isUnspaced, lastChar, textWidth, wrapLines } from './text-width.ts';

/** How much text a cue shows at once. */
export interface CueLimits {
  /** Width of a line in Latin letters; see `textWidth`. */
  readonly lineWidth: number;
  readonly lines: number;
  /** Words of a cue; any number if absent. */
  readonly words?: number;
}

/** Seconds between two words that begin a new cue. */
const PAUSE = 0.5;
/** Seconds that a cue stays after its last word; a shorter gap to the next cue is closed. */
const LINGER = 0.5;

/**
 * Splits spoken words into cues: at pauses, at the ends of sentences, and where a style shows no more. Of the ways to split a
 * sentence the one with the fewest cues is chosen, then the one with cues of equal length that end at punctuation.
 *
 * @param words in the order of their start
 */
export function cuesFromWords(words: readonly Word[], limits: CueLimits): Cue[] {
  const groups = sentencesOf(words).flatMap((sentence) => splitSentence(sentence, limits));
  return groups.map((group, index): Cue => {
    const [first, last] = [group[0]!, group.at(-1)!];
    const next = groups[index + 1]?.[0]?.start ?? Number.POSITIVE_INFINITY;
    const end = next - last.end < 2 * LINGER ? Math.max(next, first.start) : last.end + LINGER;
    return {
      start: toMilliseconds(first.start),
      end: toMilliseconds(end),
      text: joinWords(group),
      words: group.map((word) => ({ ...word, start: toMilliseconds(word.start), end: toMilliseconds(word.end) })),
    };
  });
}

/** Joins words to a text: with spaces, except in scripts that have none and before punctuation. */
export function joinWords(words: readonly Pick<Word, 'text'>[]): string {
  let text = '';
  for (const { text: word } of words) {
    const isJoined = text === '' || /^[,.;:!?…)\]}%»”’]/.test(word) || (isUnspaced(lastChar(text)) && isUnspaced(word));
    text += isJoined ? word : ` ${word}`;
  }
  return text;
}

/** Ends of sentences, before closing quotes and brackets. */
const SENTENCE_END = /[.!?…。！？｡؟।॥။។]["'”’»)\]」』）]*$/;
/** Words with a full stop that end no sentence: initials, and titles before a name. */
const ABBREVIATION = /^["'“‘«(]*(?:[A-ZÀ-Þ]|Mr|Mrs|Ms|Dr|Prof|St|No|vs|Hr|Fr|Nr|M|Mme|Sr|Sra)\.$/;

function isSentenceEnd(text: string): boolean {
  return SENTENCE_END.test(text) && !ABBREVIATION.test(text);
}

function sentencesOf(words: readonly Word[]): Word[][] {
  const sentences: Word[][] = [];
  for (const word of words) {
    const last = sentences.at(-1)?.at(-1);
    const begins = last === undefined || word.start - last.end >= PAUSE || isSentenceEnd(last.text);
    if (begins) sentences.push([word]);
    else sentences.at(-1)!.push(word);
  }
  return sentences;
}

/** A way to split the words from an index on. */
interface Split {
  readonly cues: number;
  readonly cost: number;
  /** Index of the first word of the next cue. */
  readonly next: number;
}

function splitSentence(words: readonly Word[], limits: CueLimits): Word[][] {
  const best: Split[] = new Array(words.length + 1);
  best[words.length] = { cues: 0, cost: 0, next: words.length };
  for (let from = words.length - 1; from >= 0; from--) {
    for (let to = from + 1; to <= words.length; to++) {
      const group = words.slice(from, to);
      // A word that is wider than a line is a cue of its own.
      if (to > from + 1 && !fits(group, limits)) break;
      const rest = best[to]!;
      const split = { cues: rest.cues + 1, cost: rest.cost + costOf(group, limits, to === words.length), next: to };
      const known = best[from];
      if (known === undefined || split.cues < known.cues || (split.cues === known.cues && split.cost < known.cost)) best[from] = split; // biome-ignore format: one line
    }
  }
  const groups: Word[][] = [];
  for (let at = 0; at < words.length; at = best[at]!.next) groups.push(words.slice(at, best[at]!.next));
  return groups;
}

/** Equal lengths have the least sum of squares; a break after punctuation may make them differ. */
function costOf(group: readonly Word[], { lineWidth }: CueLimits, isLast: boolean): number {
  const isNatural = isLast || /[,;:、，；：–—-]["'”’»)\]」』）]*$/.test(group.at(-1)!.text);
  return textWidth(joinWords(group)) ** 2 + (isNatural ? 0 : lineWidth ** 2 / 2);
}

function fits(group: readonly Word[], { lineWidth, lines, words = Number.POSITIVE_INFINITY }: CueLimits): boolean {
  return group.length <= words && wrapLines(joinWords(group), lineWidth, textWidth).length <= lines;
}
