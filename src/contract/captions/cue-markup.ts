import { defined } from '../../kernel/defined.ts';
import type { Cue, CuePlace, Word } from './cue.ts';
import { readTime, TIME, type TimeNotation } from './cue-time.ts';

/** A text with the markup of its format removed. */
export interface PlainText extends Pick<Cue, 'text' | 'words' | 'speaker' | 'place'> {
  /** What is not kept, in words. */
  readonly changes: readonly MarkupChange[];
}

export interface MarkupChange {
  readonly message: string;
  readonly hint: string;
}

const STYLE_HINT = 'Set how captions look in their "style"';

/** Words of changes, shared by formats. */
export const MARKUP_CHANGES = {
  emphasis: { message: 'Italics, bold and underlines are not shown', hint: STYLE_HINT },
  look: { message: 'Colours, fonts and classes are not used', hint: STYLE_HINT },
  ruby: { message: 'The reading above a word (ruby) is left out', hint: 'Write it in brackets after the word' },
  speakers: {
    message: 'A cue has several speakers, of which only the first is kept',
    hint: 'Write a cue for each speaker',
  },
  stamp: {
    message: 'The time of a word is outside its cue or before an earlier one, and is not used',
    hint: 'Correct it',
  },
} as const satisfies Record<string, MarkupChange>;

/** A passage of a cue from a time on. */
export interface TimedText {
  readonly text: string;
  /** Seconds; null for the start of the cue. */
  readonly from: number | null;
}

/**
 * Returns the words that times inside a cue separate. A passage without letters, such as a space before the next time, is a pause.
 *
 * @param until end of the cue
 */
export function wordsOf(passages: readonly TimedText[], start: number, until: number): Word[] | undefined {
  if (passages.length < 2) return undefined;
  return passages.flatMap(({ text, from }, index): Word[] => {
    const word = {
      text: tidyText(text).replaceAll('\n', ' '),
      start: from ?? start,
      end: passages[index + 1]?.from ?? until,
    };
    return word.text === '' || word.start >= word.end ? [] : [word];
  });
}

/** Removes spaces at the ends of lines, and empty lines. */
export function tidyText(text: string): string {
  const lines = text.split('\n').map((line) => line.replaceAll(/^[ \t]+|[ \t]+$/g, ''));
  return lines.filter((line) => line !== '').join('\n');
}

const TAG = /<(\/?)([a-z]+)((?:\.[^\s<>.]*)*)(?:[ \t\n]+([^>]*))?\/?>/iy;
const STAMP = new RegExp(`<(${TIME.source})>`, 'y');
const ENTITY = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]+));/iy;
const OVERRIDE = /\{\\([^}]*)\}/y;

/** Named references that tools write. @see https://html.spec.whatwg.org/multipage/named-characters.html */
const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  lrm: '\u200e',
  rlm: '\u200f',
  hellip: '…',
  ndash: '–',
  mdash: '—',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
};

const EMPHASIS = ['i', 'b', 'u', 's', 'em', 'strong'];

/**
 * Removes the markup of a cue in WebVTT or SubRip.
 *
 * @param times of the cue, which times in its text must keep to
 * @see https://www.w3.org/TR/webvtt1/#webvtt-cue-text-parsing-rules
 */
export function plainText(
  written: string,
  { start, end }: Pick<Cue, 'start' | 'end'>,
  format: Extract<TimeNotation, 'vtt' | 'srt'>,
): PlainText {
  const found = new Map<string, MarkupChange>();
  const change = (what: MarkupChange): unknown => found.set(what.message, what);
  const passages: { text: string; from: number | null }[] = [{ text: '', from: null }];
  let speaker: string | undefined;
  let place: CuePlace | undefined;
  let isReading = false;
  const add = (text: string): void => {
    if (!isReading) passages.at(-1)!.text += text;
  };
  const match = (pattern: RegExp, at: number): RegExpExecArray | null => {
    pattern.lastIndex = at;
    return pattern.exec(written);
  };
  for (let at = 0; at < written.length; ) {
    const char = written[at]!;
    const markup =
      char === '<'
        ? (match(STAMP, at) ?? match(TAG, at))
        : char === '&'
          ? match(ENTITY, at)
          : char === '{' && format === 'srt'
            ? match(OVERRIDE, at)
            : null;
    if (markup === null) {
      if (char === '<' && format === 'vtt') change(literal('<'));
      add(char);
      at += 1;
      continue;
    }
    const [whole, first = '', second = '', classes = '', rest = ''] = markup;
    at += whole.length;
    if (char === '&') {
      const decoded = format === 'vtt' ? decodeEntity(markup) : null;
      if (decoded === null) change(literal(whole));
      add(decoded ?? whole);
    } else if (char === '{') {
      const alignment = /^an([1-9])$/.exec(first.trim());
      if (alignment === null) change(MARKUP_CHANGES.look);
      else place ??= placeOfNumpad(Number(alignment[1]));
    } else if (markup[2] === undefined) {
      const time = readTime(first, format)?.seconds ?? -1;
      const earlier = passages.at(-1)!.from ?? start;
      if (time < earlier || time > end) change(MARKUP_CHANGES.stamp);
      else passages.push({ text: '', from: time });
    } else {
      const name = second.toLowerCase();
      const isClosing = first === '/';
      if (EMPHASIS.includes(name)) change(MARKUP_CHANGES.emphasis);
      else if (name === 'font' || (name === 'c' && classes !== '')) change(MARKUP_CHANGES.look);
      else if (format === 'vtt' && name === 'v') {
        const named = decodeAll(rest).trim();
        if (!isClosing && speaker !== undefined && named !== speaker) change(MARKUP_CHANGES.speakers);
        if (!isClosing && named !== '') speaker ??= named;
      } else if (format === 'vtt' && name === 'rt') {
        isReading = !isClosing;
        change(MARKUP_CHANGES.ruby);
      } else if (format === 'vtt' && name === 'ruby') isReading = false;
      else if (name === 'br') add('\n');
      else if (format === 'srt') {
        change(literal(whole));
        add(whole);
      } else if (name !== 'c' && name !== 'lang') change(unknownTag(whole));
    }
  }
  const words = wordsOf(passages, start, end);
  const text = tidyText(passages.map((passage) => passage.text).join(''));
  return {
    text,
    ...defined({ words, speaker, place }),
    changes: [...found.values()],
  };
}

/** @param key of a numeric keypad, as `\an` counts */
export function placeOfNumpad(key: number): CuePlace | undefined {
  return key >= 7 ? 'top' : key >= 4 ? 'middle' : undefined;
}

function literal(text: string): MarkupChange {
  const hint = text === '<' ? 'Write &lt; for <' : 'Remove it if it is not meant as text';
  return { message: `${text} is shown as it is written`, hint };
}

function unknownTag(tag: string): MarkupChange {
  return { message: `The tag ${tag} is unknown and left out`, hint: 'Remove it, or write &lt; and &gt; around a text' };
}

function decodeEntity([, decimal, hexadecimal, name]: RegExpExecArray): string | null {
  if (name !== undefined) return ENTITIES[name] ?? null;
  const code = decimal === undefined ? Number.parseInt(hexadecimal!, 16) : Number(decimal);
  return code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ? null : String.fromCodePoint(code);
}

function decodeAll(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]+));/gi, (whole, ...groups) => {
    return decodeEntity([whole, ...groups.slice(0, 3)] as unknown as RegExpExecArray) ?? whole;
  });
}
