/**
 * User text as one line that no terminal obeys: control characters, bidirectional marks, what has no width and half
 * characters are shown by their code, line breaks as `⏎`.
 */
export function escapeControls(text: string): string {
  return text
    .replaceAll(/\r\n?|\n/g, '⏎')
    .replaceAll(
      /[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]/gu,
      (character) => {
        return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
      },
    );
}

/**
 * A URL as a log may have it: without user, password, query and fragment, which may grant something; `…` stands for each of
 * them.
 */
export function placeOfUrl(url: string): string {
  return escapeControls(url)
    .replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, '$1…@')
    .replace(/([?#]).*$/, '$1…');
}

/** The beginning of a text with `…` behind it where it is longer than so many UTF-16 code units; never half a character. */
export function shortenText(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest).replace(/[\ud800-\udbff]$/, '')}…`;
}
