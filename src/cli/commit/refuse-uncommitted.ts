import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { EXIT, ReelformError } from '../../diagnostic.ts';
import { nullIfMissing } from '../../file-system-error.ts';
import { changedFiles } from '../../git/revisions.ts';
import type { OpenDesired } from '../plan/open-desired.ts';

/** What may be a definition, or rows that definitions are made of. */
const MAY_DEFINE = /\.(?:ya?ml|json|csv)$/;

/**
 * What a branch's lockfile says has to be what the branch's definitions want: those of a work tree that nobody has committed
 * would be recorded, and rendered again by the next run.
 *
 * @throws ReelformError `checkout_stale` with status 6
 */
export async function refuseUncommitted({ root, desired, dependenciesOf }: OpenDesired): Promise<void> {
  const changed = await changedFiles(root, 'HEAD');
  if (changed.size === 0) return;
  const used = new Set(desired.flatMap(dependenciesOf));
  const found: string[] = [];
  for (const file of [...changed].sort()) {
    const isGone = MAY_DEFINE.test(file) && (await nullIfMissing(stat(join(root, file)))) === null;
    if (used.has(file) || isGone) found.push(file);
  }
  const [first, ...others] = found;
  if (first === undefined) return;
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  throw new ReelformError('checkout_stale', `${first}${more} is not as it was committed: nothing was rendered`, {
    hint: 'Commit and push it first; --allow-stale applies it all the same',
    exitCode: EXIT.stale,
  });
}
