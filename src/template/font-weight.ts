import type { LottieNode } from './lottie/lottie-layers.ts';

/** Weights of style names, as CSS counts them. */
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

/** Returns the weight in the name of a font or its style, from 100 to 900; null if it names none. */
export function weightNamed(name: string): number | null {
  const bare = name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
  return WEIGHTS.find(([pattern]) => pattern.test(bare))?.[1] ?? null;
}

/** Returns the weight that an animation asks for with an entry of `fonts.list`; null if it asks for none. */
export function weightAskedFor({ fWeight, fStyle }: LottieNode): number | null {
  const weight = typeof fWeight === 'string' && fWeight.trim() !== '' ? Number(fWeight) : fWeight;
  if (typeof weight === 'number' && weight >= 1 && weight <= 1000) return weight;
  return typeof fStyle === 'string' ? weightNamed(fStyle) : null;
}
