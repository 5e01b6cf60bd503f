import type { Word } from '../../contract/captions/cue.ts';
import { alignGroups } from '../../kernel/align-groups.ts';
import { fliteText } from './flite-text.ts';

/** What Flite prints about a text. */
export interface FliteReport {
  /** The words that are spoken: numbers and abbreviations are several. */
  readonly words: readonly string[];
  /** Sounds in their order, with the end of each in seconds. `pau` is a pause. */
  readonly phones: readonly { readonly phone: string; readonly end: number }[];
}

/** What Flite says of texts alone. */
export interface AloneReports {
  /** The words of a text, like `twelve dollars` of `$12`. */
  words(text: string): readonly string[];
  /** The sounds of a word, without pauses. */
  phones(word: string): readonly string[];
}

const PAUSE = 'pau';

/** Returns the texts between spaces that `AloneReports.words` is asked for. */
export function unclearTexts(text: string): string[] {
  return [
    ...new Set(
      text
        .split(' ')
        .map(spoken)
        .filter((token) => token !== '' && !isPlainWord(token)),
    ),
  ];
}

/**
 * Returns when each word of a text is spoken. Flite tells only when each of its sounds ends, so the sounds of a word are those that it has
 * alone. Neighbours whose sounds cannot be told apart are given as one word; so is a sign that is not spoken, with the word before it.
 *
 * @param text without repeated spaces
 */
export function fliteWords(text: string, { words, phones }: FliteReport, alone: AloneReports): Word[] {
  const texts = text.split(' ');
  const expected = texts.map((token) => {
    const plain = spoken(token);
    if (plain === '') return [];
    return isPlainWord(plain) ? [plain.toLowerCase()] : alone.words(plain);
  });
  const ofTexts = alignGroups(expected, words);
  const sounds = phones.flatMap(({ phone, end }, index) => {
    return phone === PAUSE ? [] : [{ phone, start: phones[index - 1]?.end ?? 0, end }];
  });
  const phonesOfTexts = ofTexts.map(({ start, end }) => words.slice(start, end).flatMap((word) => alone.phones(word)));
  const ofSounds = alignGroups(
    phonesOfTexts,
    sounds.map(({ phone }) => phone),
  );
  return ofSounds.flatMap(({ from, to, start, end }): Word[] => {
    const [first, last] = [sounds[start], sounds[end - 1]];
    if (first === undefined || last === undefined || end <= start) return [];
    const shown = texts.slice(ofTexts[from]!.from, ofTexts[to - 1]!.to).join(' ');
    return [{ text: shown, start: first.start, end: last.end }];
  });
}

/** Returns a text without punctuation around it. */
function spoken(token: string): string {
  const { text } = fliteText(token);
  return /[A-Za-z0-9]/.test(text) ? text.replaceAll(/^["'([{<]+|["')\]}>,.:;!?]+$/g, '') : '';
}

/** Abbreviations and letters are spoken as other words. */
function isPlainWord(token: string): boolean {
  return /^[A-Za-z]?[a-z]{2,}$/.test(token);
}
