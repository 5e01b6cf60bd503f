import { escapeControls, shortenText } from '../wording/display-text.ts';

/**
 * Positions at which GitHub and GitLab detect shorthands in the rendered text, where an entity is a plain character again. A
 * zero-width space is inserted there.
 */
const SHORTHANDS: readonly RegExp[] = [
  // @mention, team, e-mail address
  /(?<=@)/g,
  // #123, owner/repository#123; of GitLab: !123, $123, &123, ~label, %milestone, ^alert
  /(?<=[#!$&~^])(?=\d)|(?<=[~%^])(?=["\w])/g,
  // GH-123, GL-123
  /(?<=\bG[HL]-)(?=\d)/gi,
  // :emoji:
  /(?<=:)(?=[\w+-]+:)/g,
];

/** Possible commit digests: at least 7 hexadecimal digits. */
const DIGESTS = /\b[0-9a-f]{7,}\b/gi;

/** Positions in URLs, hosts and addresses, which some renderers link even in code. */
const LINKS = /(?<=:)(?=\/\/)|(?<=www)(?=\.)|(?<=@)/gi;

/**
 * Escapes user text for a line of GitHub or GitLab Markdown, including tables, headings and HTML elements. It cannot become
 * markup, a link, a mention or a reference; a zero-width space breaks whatever would still be detected.
 *
 * @see https://github.github.com/gfm/#entity-and-numeric-character-references for why entities are never markup
 */
export function escapeMarkdown(text: string): string {
  let broken = escapeControls(text).replace(LINKS, BREAK);
  for (const shorthand of SHORTHANDS) broken = broken.replace(shorthand, BREAK);
  broken = broken.replace(DIGESTS, (digits) => digits.replace(/.{6}(?=.)/g, `$&${BREAK}`));
  return encodePunctuation(broken).replace(/(?:&#8203;)+|\u200b+/g, '&#8203;');
}

/**
 * Formats user text as code, in which mentions and references are not detected, so that it can be copied unchanged. An empty
 * HTML comment breaks possible links.
 */
export function markdownCode(text: string): string {
  const broken = escapeControls(text).replace(LINKS, BREAK);
  return `<code>${encodePunctuation(broken).replace(/\u200b+/g, '<!-- -->')}</code>`;
}

/** Formats an id, path or name as code, truncated to a number of UTF-16 code units. */
export function shortCode(text: string, longest = 200): string {
  return markdownCode(shortenText(text, longest));
}

/** Cannot occur in user text, because `escapeControls` replaces it. */
const BREAK = '\u200b';

/**
 * Encodes inline punctuation, and the `.` of `www.`. Characters that matter only at the start of a line stay, because
 * lines never start with user text.
 */
function encodePunctuation(text: string): string {
  return text.replace(/[#$&*:<>@[\\\]^_`|~]|(?<=www\u200b?)\./gi, (character) => `&#${character.charCodeAt(0)};`);
}

/** Longer URLs are not linked. */
const LONGEST = 2_000;

/**
 * Formats a link for a comment or summary. Accepts only http and https URLs without credentials.
 *
 * @param words own Markdown, or escaped text
 * @returns null if the URL must not be linked
 */
export function markdownLink(words: string, url: string): string | null {
  if (!URL.canParse(url) || url.length > LONGEST) return null;
  const { protocol, username, password, href } = new URL(url);
  if (!['http:', 'https:'].includes(protocol) || username + password !== '') return null;
  // Characters that end a table cell, the link or surrounding code; `&` starts an entity.
  const safe = href.replaceAll(/[|<>[\]\\`\p{C}]/gu, (character) => encodeURIComponent(character));
  return `[${words}](<${safe.replaceAll('&', '&amp;')}>)`;
}

/** Formats a link, or only its words if there is no URL or it must not be linked. */
export function linkedWords(words: string, url: string | null | undefined): string {
  return (url ? markdownLink(words, url) : null) ?? words;
}

/**
 * Collapses blocks behind a summary line.
 *
 * @param summary inline HTML
 * @returns empty without blocks
 */
export function foldMarkdown(summary: string, blocks: readonly string[]): string {
  if (blocks.length === 0) return '';
  return [`<details><summary>${summary}</summary>`, ...blocks, '</details>'].join('\n\n');
}

/** Tables with more rows collapse the rows after the first `OPEN` ones. */
const MAX_OPEN = 15;
const OPEN = 10;

/**
 * Formats a table, collapsing the end of a long table. @param columns its first two lines @param what returns the summary of
 * the collapsed rows
 */
export function foldedTable(columns: string, rows: readonly string[], what: (missing: number) => string): string {
  const shown = rows.length > MAX_OPEN ? OPEN : rows.length;
  if (shown === 0) return '';
  const table = (some: readonly string[]): string => [columns, ...some].join('\n');
  if (shown === rows.length) return table(rows);
  return `${table(rows.slice(0, shown))}\n\n${foldMarkdown(what(rows.length - shown), [table(rows.slice(shown))])}`;
}

/**
 * Formats items until the room is used up; later items are not formatted.
 *
 * @param room for all results, each followed by a line break and an empty line
 * @param measure UTF-16 code units by default
 */
export function takeWhileFits<T>(
  items: readonly T[],
  room: number,
  make: (item: T) => string,
  measure: (text: string) => number = (text) => text.length,
): string[] {
  const blocks: string[] = [];
  let left = room;
  for (const item of items) {
    const block = make(item);
    left -= measure(block) + 2;
    if (left < 0) break;
    blocks.push(block);
  }
  return blocks;
}
