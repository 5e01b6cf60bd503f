/** Names one after the other, for a sentence: the first of them where there are many. */
export function formatList(names: readonly string[], most = 12): string {
  if (names.length <= most) return names.join(', ');
  return `${names.slice(0, most - 2).join(', ')} and ${names.length - most + 2} more`;
}
