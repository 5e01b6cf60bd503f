import { escapeControls } from '../wording/display-text.ts';

/**
 * GitHub and GitLab look for these in the finished text as well, where an entity is a plain character again. `|` stands for
 * where it is broken.
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

/** What could be the beginning of a commit's digest; it takes 7 digits. */
const DIGESTS = /\b[0-9a-f]{7,}\b/gi;

/** What some make a link of wherever it stands, in code too: a URL, a host, an address. */
const LINKS = /(?<=:)(?=\/\/)|(?<=www)(?=\.)|(?<=@)/gi;

/**
 * Text of the user's as words within a line of GitHub's or GitLab's Markdown, in a table, a heading or an HTML element
 * alike: it cannot become markup, a link, a mention or a reference. Where one of those would be seen nonetheless, a
 * zero-width space stands in it.
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
 * Text of the user's as code, where mentions and references are not looked for: it can be copied as it is. What could be a
 * link has an empty comment in it, which is nothing in the page.
 */
export function markdownCode(text: string): string {
  const broken = escapeControls(text).replace(LINKS, BREAK);
  return `<code>${encodePunctuation(broken).replace(/\u200b+/g, '<!-- -->')}</code>`;
}

/** `escapeControls` leaves none that is the user's. */
const BREAK = '\u200b';

/**
 * The punctuation that means something inside a line, and `.` where it would make a link of `www`. What means something
 * at the beginning of a line alone is left, because text of the user's never stands there.
 */
function encodePunctuation(text: string): string {
  return text.replace(/[#$&*:<>@[\\\]^_`|~]|(?<=www\u200b?)\./gi, (character) => `&#${character.charCodeAt(0)};`);
}

/** Longer ones are no address that anybody follows. */
const LONGEST = 2_000;

/**
 * A link to where something can be had, in a comment or a summary: to http and https alone, and to none that has a password
 * in it.
 *
 * @param words Markdown of ours, or escaped
 * @returns null where it may not be a link
 */
export function markdownLink(words: string, url: string): string | null {
  if (!URL.canParse(url) || url.length > LONGEST) return null;
  const { protocol, username, password, href } = new URL(url);
  if (!['http:', 'https:'].includes(protocol) || username + password !== '') return null;
  // What ends a cell of a table, the link or the code around it; `&` begins an entity there.
  const safe = href.replaceAll(/[|<>[\]\\`\p{C}]/gu, (character) => encodeURIComponent(character));
  return `[${words}](<${safe.replaceAll('&', '&amp;')}>)`;
}
