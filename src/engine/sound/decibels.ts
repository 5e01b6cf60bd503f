/** Converts an amplitude to decibels; -Infinity for 0. */
export function toDecibels(amplitude: number): number {
  return amplitude > 0 ? 20 * Math.log10(amplitude) : -Infinity;
}

/** Converts decibels to a factor of amplitudes. */
export function fromDecibels(decibels: number): number {
  return 10 ** (decibels / 20);
}
