/** Code points, inclusive, in ascending order. Tables of this package, because Node versions carry different Unicode data. */
type Ranges = readonly (readonly [from: number, to: number])[];

/** Ranges of characters that are as wide as two Latin letters. @see https://www.unicode.org/reports/tr11/ */
const WIDE: Ranges = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xa000, 0xa4cf],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe4f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x1f300, 0x1faff],
  [0x20000, 0x3fffd],
];

/** Scripts that write no spaces between words: Thai, Lao, Burmese, Khmer, kana and Han. */
const UNSPACED: Ranges = [
  [0x0e00, 0x0eff],
  [0x1000, 0x109f],
  [0x1780, 0x17ff],
  [0x2e80, 0x30ff],
  [0x31f0, 0x31ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xf900, 0xfaff],
  [0xff00, 0xffef],
  [0x20000, 0x3fffd],
];

/** Marks that combine with the character before: they have no width. */
const COMBINING: Ranges = [
  [0x0300, 0x036f],
  [0x0483, 0x0489],
  [0x0591, 0x05bd],
  [0x05bf, 0x05c7],
  [0x0610, 0x061a],
  [0x064b, 0x065f],
  [0x0670, 0x0670],
  [0x0900, 0x0902],
  [0x093a, 0x093a],
  [0x093c, 0x093c],
  [0x0941, 0x0948],
  [0x094d, 0x094d],
  [0x0e31, 0x0e31],
  [0x0e34, 0x0e3a],
  [0x0e47, 0x0e4e],
  [0x200b, 0x200f],
  [0x202a, 0x202e],
  [0x2066, 0x2069],
  [0x20d0, 0x20ff],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
];

/** Returns whether a character belongs to a script without spaces between words. */
export function isUnspaced(char: string): boolean {
  return isIn(UNSPACED, char.codePointAt(0)!);
}

/** Returns the number of characters of a line as viewers count them, without combining marks. */
export function characterCount(line: string): number {
  let count = 0;
  for (const char of line) if (!isIn(COMBINING, char.codePointAt(0)!)) count += 1;
  return count;
}

/** Returns the width of a line in Latin letters: wide characters count twice, combining marks not at all. */
export function textWidth(line: string): number {
  let width = 0;
  for (const char of line) {
    const code = char.codePointAt(0)!;
    if (!isIn(COMBINING, code)) width += isIn(WIDE, code) ? 2 : 1;
  }
  return width;
}

function isIn(ranges: Ranges, code: number): boolean {
  return code >= ranges[0]![0] && ranges.some(([from, to]) => code >= from && code <= to);
}

/**
 * Breaks a text into lines that are filled one after another. A word that is wider than a line is a line.
 *
 * @param measure width of a text
 */
export function wrapLines(text: string, longest: number, measure: (text: string) => number = characterCount): string[] {
  const lines: string[] = [];
  for (const unit of unitsOf(text)) {
    const last = lines.at(-1);
    if (last === undefined || measure(last + unit.trimEnd()) > longest) lines.push(unit);
    else lines[lines.length - 1] = last + unit;
  }
  return lines.map((line) => line.trimEnd());
}

/** Splits a text where a line can end: after spaces, and between characters of scripts without spaces. */
function unitsOf(text: string): string[] {
  return text.split(/(?<=\s)/).flatMap((word) => {
    const units: string[] = [];
    for (const char of word) {
      if (units.length > 0 && !(isUnspaced(char) && isUnspaced(lastChar(units.at(-1)!))))
        units[units.length - 1] += char;
      else units.push(char);
    }
    return units;
  });
}

export function lastChar(text: string): string {
  return [...text.slice(-2)].at(-1) ?? '';
}
