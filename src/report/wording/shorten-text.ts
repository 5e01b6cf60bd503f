/** The beginning of a text with `…` behind it where it is longer than so many UTF-16 code units; never half a character. */
export function shortenText(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest).replace(/[\ud800-\udbff]$/, '')}…`;
}
