import { escapeControls } from './escape-controls.ts';

/** GitHub looks for these in the finished text as well, where an entity is a plain character again. */
const SHORTHANDS: readonly [RegExp, string][] = [
  // @mention, team, e-mail address
  [/@/g, '@\u200b'],
  // #123, owner/repository#123
  [/#(?=\d)/g, '#\u200b'],
  [/\b(GH-)(?=\d)/gi, '$1\u200b'],
  // :emoji:
  [/:(?=[\w+-]+:)/g, ':\u200b'],
];

/**
 * Text of the user's as words within a line of GitHub's Markdown, in a table, a heading or an HTML element alike: it
 * cannot become markup, a link, a mention or a reference. Where GitHub would see one of those nonetheless, a zero-width
 * space stands in it.
 *
 * @see https://github.github.com/gfm/#entity-and-numeric-character-references for why entities are never markup
 */
export function escapeMarkdown(text: string): string {
  let broken = escapeControls(text);
  for (const [shorthand, instead] of SHORTHANDS) broken = broken.replace(shorthand, instead);
  return encodePunctuation(broken);
}

/** Text of the user's as code, where GitHub looks for nothing: it can be copied as it is. */
export function markdownCode(text: string): string {
  return `<code>${encodePunctuation(escapeControls(text))}</code>`;
}

/**
 * The punctuation that means something inside a line, and `.` where it would make a link of `www`. What means something
 * at the beginning of a line alone is left, because text of the user's never stands there.
 */
function encodePunctuation(text: string): string {
  return text
    .replace(/[#$&*:<>@[\\\]_`|~]|(?<=www)\./gi, (character) => `&#${character.charCodeAt(0)};`)
    .replaceAll('\u200b', '&#8203;');
}
