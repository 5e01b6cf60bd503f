/**
 * What is made of the first things, as many as fit together; of the rest nothing is made.
 *
 * @param room for all of them, each with a line's end and a blank line behind it
 * @param measure UTF-16 code units when absent
 */
export function thatFit<T>(
  things: readonly T[],
  room: number,
  make: (thing: T) => string,
  measure: (text: string) => number = (text) => text.length,
): string[] {
  const blocks: string[] = [];
  let left = room;
  for (const thing of things) {
    const block = make(thing);
    left -= measure(block) + 2;
    if (left < 0) break;
    blocks.push(block);
  }
  return blocks;
}
