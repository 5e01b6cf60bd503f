import type { LottieNode } from './lottie/lottie-layers.ts';

/** CSS weights of style names. */
const WEIGHTS: readonly (readonly [RegExp, number])[] = [
  [/thin|hairline/, 100],
  [/extralight|ultralight/, 200],
  [/semibold|demi/, 600],
  [/extrabold|ultrabold/, 800],
  [/black|heavy/, 900],
  [/light/, 300],
  [/medium/, 500],
  [/bold/, 700],
  [/regular|normal|book|roman/, 400],
];

/** Returns the weight in the name of a font or style, from 100 to 900; null if the name contains none. */
export function weightInName(name: string): number | null {
  const bare = name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
  return WEIGHTS.find(([pattern]) => pattern.test(bare))?.[1] ?? null;
}

/** Returns the weight of an entry of `fonts.list`; null if it specifies none. */
export function requestedWeight({ fWeight, fStyle }: LottieNode): number | null {
  const weight = typeof fWeight === 'string' && fWeight.trim() !== '' ? Number(fWeight) : fWeight;
  if (typeof weight === 'number' && weight >= 1 && weight <= 1000) return weight;
  return typeof fStyle === 'string' ? weightInName(fStyle) : null;
}
