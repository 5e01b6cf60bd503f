/**
 * Whether tests run at their full counts and on PostgreSQL, too, as in .ci/run. Proofs decide by REELFORM_PROOF.
 */
export const IS_FULL = process.env.REELFORM_TESTS === 'full';

/** Returns the number of runs of a property. A local run makes a tenth of them. */
export function runs(full: number): number {
  return IS_FULL ? full : Math.ceil(full / 10);
}
