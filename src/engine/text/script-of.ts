/** Scripts in common use or with special shaping rules; all remaining scripts count as the same script. */
const SCRIPTS = [
  ...['Latin', 'Cyrillic', 'Greek', 'Arabic', 'Hebrew', 'Devanagari', 'Han', 'Hiragana', 'Katakana', 'Hangul', 'Thai'],
  ...['Bengali', 'Gurmukhi', 'Gujarati', 'Oriya', 'Tamil', 'Telugu', 'Kannada', 'Malayalam', 'Sinhala', 'Lao', 'Khmer'],
  ...['Myanmar', 'Tibetan', 'Georgian', 'Armenian', 'Ethiopic', 'Mongolian', 'Syriac', 'Thaana', 'Nko', 'Cherokee'],
  ...['Bopomofo', 'Javanese', 'Balinese', 'Sundanese', 'Tifinagh', 'Adlam', 'Canadian_Aboriginal', 'Phags_Pa'],
  ...['Mandaic', 'Hanifi_Rohingya'],
].map((name) => ({ name, pattern: new RegExp(`\\p{Script=${name}}`, 'u') }));
const SHARED = /\p{Script=Common}|\p{Script=Inherited}/u;

const cachedScripts = new Map<string, string | null>();

/**
 * Returns the script of a character by its Unicode name; null for characters that scripts share: digits, punctuation,
 * marks, spaces.
 */
export function scriptOf(character: string): string | null {
  let script = cachedScripts.get(character);
  if (script === undefined) {
    script = SHARED.test(character) ? null : (SCRIPTS.find(({ pattern }) => pattern.test(character))?.name ?? 'other');
    cachedScripts.set(character, script);
  }
  return script;
}
