/** Whether proofs run at their full count, as `npm run proof` requests. */
export const IS_WHOLE = process.env.REELFORM_PROOF === 'full';

/** Returns the number of runs of a proof. */
export function count(full: number, scaled: number): number {
  return IS_WHOLE ? full : scaled;
}

/** Prints a figure of a proof. */
export function tell(line: string): void {
  console.log(`  · ${line}`);
}

/** Nearest-rank percentile. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}
