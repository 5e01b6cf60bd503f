/** `1 video`, `3 videos`; where an s does not make the plural, it is told. */
export function countNoun(count: number, noun: string, nouns = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : nouns}`;
}
