import { listSome } from './quantities.ts';

/**
 * Escapes user text to a line that cannot control a terminal. Shows control characters, bidirectional marks, zero-width
 * characters and lone surrogates by their code, and line breaks as `⏎`.
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

/** Returns a URL that is safe to log: replaces credentials, query and fragment by `…`, because they may grant access. */
export function displayUrl(url: string): string {
  return escapeControls(url)
    .replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, '$1…@')
    .replace(/([?#]).*$/, '$1…');
}

/** Truncates a text to a number of UTF-16 code units and appends `…`. Never splits a surrogate pair. */
export function shortenText(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** Escapes text for an element or a quoted attribute. Control characters are shown by their code. */
export function escapeHtml(text: string): string {
  return escapeControls(text).replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Makes words a sentence: an upper-case letter at the beginning, and a full stop. */
export function sentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}

/** Joins the texts that are not empty. */
export function joinTexts(texts: readonly string[], separator = '\n\n'): string {
  return texts.filter((text) => text !== '').join(separator);
}

/** `a, b, c and 9 more`. */
export function listNames(names: readonly string[], most = 3): string {
  return listSome(names, most, escapeControls);
}

/**
 * Makes a text a link on terminals that support it; others show the text only.
 *
 * @see https://gist.github.com/egmontkob/eb114294efbcd5adb1944c9f3cb5feda "Hyperlinks in terminal emulators" (OSC 8)
 */
export function terminalLink(text: string, url: string): string {
  return `\u001b]8;;${escapeControls(url)}\u001b\\${text}\u001b]8;;\u001b\\`;
}
