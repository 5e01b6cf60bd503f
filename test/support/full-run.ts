/**
 * Whether the tests run whole, as in .ci/run. Otherwise `npm test` leaves out PostgreSQL, `FULL_ONLY`, and nine of ten
 * runs of properties and rows of corpora. Proofs have counts of their own: REELFORM_PROOF.
 */
export const IS_FULL = process.env.REELFORM_TESTS === 'full';

/** Returns the number of runs of a property: a tenth outside a full run. */
export function runs(full: number): number {
  return IS_FULL ? full : Math.ceil(full / 10);
}

/** Returns the cases of a corpus: every tenth outside a full run. */
export function some<Case>(cases: readonly Case[]): readonly Case[] {
  return IS_FULL ? cases : cases.filter((_, index) => index % 10 === 0);
}

/**
 * Test files of full runs alone, by what covers the same code locally. A file that is named on the command line runs,
 * too.
 */
export const FULL_ONLY: readonly string[] = [
  // Whole workflows over a forge and a git remote. Their steps have tests of their own in test/cli and test/reconciler.
  'test/workflows/flow.test.ts',
  'test/cli/commit/github-lock-branch.test.ts',
  'test/cli/commit/merge-flow.test.ts',
  'test/cli/commit/pull-request.test.ts',
  'test/cli/plan/find-reviews.test.ts',
  'test/cli/apply/two-jobs.test.ts',
  'test/reconciler/lock/git-merge.test.ts',
  // Checkouts that are shallow, sparse or without the content of Git LFS, and galleries behind a registry.
  'test/cli/apply/unsearched-history.test.ts',
  'test/cli/check/lfs-pointers.test.ts',
  'test/cli/plan/left-out-definitions.test.ts',
  'test/cli/plan/read-history.test.ts',
  'test/cli/template/gallery.test.ts',
  // The commands of render-shard.test.ts and render-segments.test.ts, and of test/report/preview, with real renders.
  'test/cli/apply/apply-shard.test.ts',
  'test/cli/plan/draw-preview.test.ts',
  // Files of many megabytes, full disks, killed and hostile processes. Limits have small cases beside their checks.
  'test/cli/apply/full-disk.test.ts',
  'test/service/server/disk-room.test.ts',
  'test/service/server/inspection.test.ts',
  'test/service/sessions/isolation.test.ts',
  'test/service/sessions/processes/taken-over-process.test.ts',
  'test/cli/serve/server-process.test.ts',
  // Slow clients and networks, and the shares of tenants under load.
  'test/service/server/fair-shares.test.ts',
  'test/service/server/http/slow-clients.test.ts',
  'test/reconciler/service-client/fault-matrix.test.ts',
  // Budgets, priorities and capacity of a whole service, its move to another URL, and sources that fail or wait for a long time.
  // Routes, the queue and retries have tests of their own.
  'test/service/server/session-options.test.ts',
  'test/service/server/moved-service.test.ts',
  'test/service/server/source-faults.test.ts',
  'test/cli/apply/limited-sources.test.ts',
];
