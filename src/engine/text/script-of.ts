/** Scripts that are shaped in their own way, or that people write; characters of all others count as one. */
const SCRIPTS = [
  ...['Latin', 'Cyrillic', 'Greek', 'Arabic', 'Hebrew', 'Devanagari', 'Han', 'Hiragana', 'Katakana', 'Hangul', 'Thai'],
  ...['Bengali', 'Gurmukhi', 'Gujarati', 'Oriya', 'Tamil', 'Telugu', 'Kannada', 'Malayalam', 'Sinhala', 'Lao', 'Khmer'],
  ...['Myanmar', 'Tibetan', 'Georgian', 'Armenian', 'Ethiopic', 'Mongolian', 'Syriac', 'Thaana', 'Nko', 'Cherokee'],
  ...['Bopomofo', 'Javanese', 'Balinese', 'Sundanese', 'Tifinagh', 'Adlam', 'Canadian_Aboriginal', 'Phags_Pa'],
  ...['Mandaic', 'Hanifi_Rohingya'],
].map((name) => ({ name, pattern: new RegExp(`\\p{Script=${name}}`, 'u') }));
const SHARED = /\p{Script=Common}|\p{Script=Inherited}/u;
/** Their letters join: space between them would tear words apart. */
const CURSIVE = new Set(['Arabic', 'Syriac', 'Mongolian', 'Nko', 'Adlam', 'Phags_Pa', 'Mandaic', 'Hanifi_Rohingya']);

const known = new Map<string, string | null>();

/** The script of a character, by its Unicode name; null for what many scripts share: digits, punctuation, marks, spaces. */
export function scriptOf(character: string): string | null {
  let script = known.get(character);
  if (script === undefined) {
    script = SHARED.test(character) ? null : (SCRIPTS.find(({ pattern }) => pattern.test(character))?.name ?? 'other');
    known.set(character, script);
  }
  return script;
}

/** Whether a script's letters join, so that no tracking applies to them (as CSS Text 3, "letter-spacing", has it). */
export function isCursive(script: string | null): boolean {
  return script !== null && CURSIVE.has(script);
}
