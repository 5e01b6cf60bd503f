/** Random numbers determined by a seed, so that a failure can be reproduced. */
export interface SeededRandom {
  /** Returns an integer in 0..limit-1. */
  below(limit: number): number;
  pick<T>(values: readonly T[]): T;
}

/** @see https://gist.github.com/tommyettinger/46a874533244883189143505d203312c (mulberry32, public domain) */
export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const below = (limit: number): number => next() % limit;
  return { below, pick: (values) => values[below(values.length)]! };
}
