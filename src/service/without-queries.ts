/** The text with the query and fragment of every URL in it taken out: that is where signatures and keys stand. */
export function withoutQueries(text: string): string {
  return text.replaceAll(/(\b[a-z][a-z0-9+.-]*:\/\/[^\s?#"'<>]*)[?#][^\s"'<>]*/gi, '$1?…');
}
