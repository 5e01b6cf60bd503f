/**
 * Undoes what git does to text files on Windows: returns the text with LF if all of its line breaks are CR LF. Other texts stay
 * the same. For comparisons with a text that this program writes.
 *
 * @see https://git-scm.com/docs/git-config#Documentation/git-config.txt-coreautocrlf
 */
export function asCommitted(text: string): string {
  return !text.includes('\r') || /(?<!\r)\n/.test(text) ? text : text.replaceAll('\r\n', '\n');
}
