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
