import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { EXIT, hasErrors, ReelformError } from '../../kernel/diagnostic.ts';
import { nullIfMissing } from '../../kernel/file-system-error.ts';
import {
  changedFiles,
  checkoutCommit,
  commonCommit,
  differInOne,
  fetchCommit,
  fileAt,
} from '../../reconciler/git/revisions.ts';
import { emptyLock, type Fingerprint, type Lock } from '../../reconciler/lock/lock.ts';
import { parseLock } from '../../reconciler/lock/lock-format.ts';
import { LOCK_FILE } from '../../reconciler/project/repository-layout.ts';
import { writeFileAtomic } from '../../reconciler/project/write-file.ts';
import { countNoun } from '../../report/wording/quantities.ts';
import { type DesiredState, loadDesiredState } from '../state/load-desired-state.ts';

/** Extensions of files that may define videos or hold their rows. */
const MAY_DEFINE = /\.(?:ya?ml|json|csv)$/;

/**
 * Rejects uncommitted changes of definitions. They would be recorded in the lockfile of the branch, and rendered again
 * by the next run.
 *
 * @throws ReelformError `checkout_stale` with status 6
 */
export async function rejectUncommitted({ root, desired, dependenciesOf }: DesiredState): Promise<void> {
  const changed = await changedFiles(root, 'HEAD');
  if (changed.size === 0) return;
  const used = new Set(desired.flatMap(dependenciesOf));
  const found: string[] = [];
  for (const file of [...changed].sort()) {
    const isGone = MAY_DEFINE.test(file) && (await nullIfMissing(stat(join(root, file)))) === null;
    if (used.has(file) || isGone) found.push(file);
  }
  const [first, ...rest] = found;
  if (first === undefined) return;
  const who = rest.length === 0 ? `${first} has` : `${first} and ${countNoun(rest.length, 'more file')} have`;
  throw new ReelformError('checkout_stale', `${who} uncommitted changes: nothing was rendered`, {
    hint: 'Commit and push first, or pass --allow-stale',
    exitCode: EXIT.stale,
  });
}

const MAX_ATTEMPTS = 5;

/** The branch that a run commits to, and the lockfile on it. */
interface LockLocation {
  readonly root: string;
  readonly remote: string;
  readonly branch: string;
  readonly path: string;
}

/** Returns the tip of the branch if it is checked out. @throws ReelformError `checkout_stale` with status 6 */
export async function tipCheckedOut(place: LockLocation, head: string, tipOf: () => Promise<string>): Promise<string> {
  for (let tip = await tipOf(), attempts = 1; ; attempts++) {
    if (await isTip(place, head, tip)) return tip;
    // Other runs may commit lockfiles meanwhile.
    const later = await tipOf();
    if (later === tip || attempts === MAX_ATTEMPTS) throw await stale(place, head, tip);
    tip = later;
  }
}

/**
 * True if the checked-out commit is the tip, or differs from it in the lockfile only. In that case the lockfile of the
 * tip is copied to the work tree, because commits of runs do not start another run.
 */
async function isTip({ root, remote, branch, path }: LockLocation, head: string, tip: string): Promise<boolean> {
  if (head === tip) return true;
  try {
    await fetchCommit(root, remote, branch, tip);
  } catch {
    return false;
  }
  if (!(await differInOne(root, head, tip, path))) return false;
  const here = await nullIfMissing(readFile(join(root, LOCK_FILE), 'utf8'));
  const there = await fileAt(root, tip, path);
  if (here === there) return true;
  if (there === null || here !== (await fileAt(root, head, path))) return false;
  await writeFileAtomic(join(root, LOCK_FILE), there);
  return true;
}

async function stale({ root, branch }: LockLocation, head: string, tip: string): Promise<ReelformError> {
  const isAhead = (await commonCommit(root, head, tip)) === tip;
  const [ours, theirs] = [head, tip].map((commit) => commit.slice(0, 12));
  const message = `${ours} is checked out, but ${branch} is at ${theirs}: nothing was rendered`;
  const hint = isAhead
    ? 'Push your commits first: git push. To apply without them on the branch, pass --allow-stale'
    : `Apply the tip: git pull, or "ref: ${branch}" for actions/checkout. The run for the newer commit also covers this commit. To apply anyway, pass --allow-stale`;
  return new ReelformError('checkout_stale', message, { hint, exitCode: EXIT.stale });
}

export async function lockAt(root: string, commit: string, path: string): Promise<Lock> {
  const text = await fileAt(root, commit, path);
  const read = text === null ? null : parseLock(text, LOCK_FILE);
  // The plan has reported an unreadable lockfile already.
  return read?.ok === true ? read.value : emptyLock;
}

/**
 * Returns the fingerprints of the definitions of a commit. If only the lockfile differs, these are the
 * fingerprints of the checkout.
 */
export async function fingerprintsAt(
  { root, remote, branch, path }: LockLocation,
  head: string,
  source: string,
  checkedOut: ReadonlyMap<string, Fingerprint>,
): Promise<ReadonlyMap<string, Fingerprint> | null> {
  if (source === head) return checkedOut;
  try {
    await fetchCommit(root, remote, branch, source);
    if (await differInOne(root, head, source, path)) return checkedOut;
    const files = await checkoutCommit(root, source);
    try {
      const { desired, diagnostics } = await loadDesiredState(files.root, { cache: false });
      // With errors, the definitions are incomplete.
      if (hasErrors(diagnostics)) return null;
      return new Map(desired.map(({ id, fingerprint }) => [id, fingerprint]));
    } finally {
      await files.remove();
    }
  } catch {
    // Without fingerprints, the entries themselves determine which is newer.
    return null;
  }
}
