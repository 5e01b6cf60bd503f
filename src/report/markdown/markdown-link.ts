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
