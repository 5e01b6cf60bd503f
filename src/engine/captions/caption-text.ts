import type { FullCaptionStyle } from '../../contract/captions/caption-style.ts';
import { isUnspaced } from '../../contract/captions/text-width.ts';
import type { CueWord, InputCue } from '../../template/render-input.ts';

/** A text that is shown at once. */
export interface CaptionPart extends Pick<InputCue, 'text' | 'to' | 'from'> {
  /** Empty if only the times of the whole are known. */
  readonly words: readonly CueWord[];
}

/** Languages in which i has a capital with a dot. */
const DOTTED = /^(?:tr|az)\b/i;

/** Changes the case of a cue, whose words stay the same ranges of letters. */
export function casedCue(
  { from, to, text, words = [] }: InputCue,
  { case: wanted }: Pick<FullCaptionStyle, 'case'>,
  lang: string | null,
): CaptionPart {
  if (wanted === 'none') return { from, to, text, words };
  // A letter may have two capitals, so each piece between the edges of words is changed by itself.
  const edges = [...new Set([0, ...words.flatMap(({ start, end }) => [start, end]), text.length])].sort(
    (a, b) => a - b,
  );
  const moved = new Map([[0, 0]]);
  let cased = '';
  for (const [index, edge] of edges.entries()) {
    if (index > 0) cased += caseOf(text.slice(edges[index - 1], edge), wanted, lang);
    moved.set(edge, cased.length);
  }
  return {
    from,
    to,
    text: cased,
    words: words.map((word) => ({ ...word, start: moved.get(word.start)!, end: moved.get(word.end)! })),
  };
}

/** The methods for locales depend on the version of Node.js. */
function caseOf(text: string, wanted: 'upper' | 'lower', lang: string | null): string {
  const isDotted = lang !== null && DOTTED.test(lang);
  if (wanted === 'upper') return (isDotted ? text.replaceAll('i', 'İ') : text).toUpperCase();
  return (isDotted ? text.replaceAll('I', 'ı').replaceAll('İ', 'i') : text).toLowerCase();
}

/** Divides a cue into parts of about equally many words, each shown until the next begins. @param max words of a part */
export function dividedByWords(part: CaptionPart, max: number | undefined): CaptionPart[] {
  const { words } = part;
  if (max === undefined || words.length <= max) return [part];
  const count = Math.ceil(words.length / max);
  return dividedAt(
    part,
    Array.from({ length: count - 1 }, (_, index) => Math.round(((index + 1) * words.length) / count)),
  );
}

/** Divides a cue before some of its words. @param starts indices of words, ascending, without 0 */
export function dividedAt(part: CaptionPart, starts: readonly number[]): CaptionPart[] {
  const { text, words } = part;
  const bounds = [0, ...starts, words.length];
  return bounds.slice(1).map((end, index) => {
    const first = bounds[index]!;
    const isLast = end === words.length;
    const textStart = index === 0 ? 0 : words[first]!.start;
    const textEnd = isLast ? text.length : words[end]!.start;
    return {
      from: index === 0 ? part.from : words[first]!.from,
      to: isLast ? part.to : words[end]!.from,
      text: text.slice(textStart, textEnd).trimEnd(),
      words: words
        .slice(first, end)
        .map((word) => ({ ...word, start: word.start - textStart, end: word.end - textStart })),
    };
  });
}

/** Joins the lines of a text, of which none is a paragraph. Indices in the text stay the same. */
export function joinedLines(text: string): string {
  return text.replaceAll('\n', (_, index: number) => {
    return isUnspaced(text.charAt(index - 1)) && isUnspaced(text.charAt(index + 1)) ? '\u200b' : ' ';
  });
}

/** Returns whether each line of a text is the line of a speaker, so that lines must not be joined. */
export function isDialogue(text: string): boolean {
  const lines = text.split('\n');
  return lines.length > 1 && lines.every((line) => /^\s*(?:[-–—]|>>)/.test(line));
}
