import { warningAt } from '../../kernel/diagnostic.ts';
import { formatList } from '../../kernel/hints.ts';
import { globBase, isFragment } from '../../reconciler/definition/video.ts';
import { isSparse, leftOutFiles } from '../../reconciler/git/sparse-checkout.ts';
import type { Lock } from '../../reconciler/lock/lock.ts';
import type { DesiredVideo } from '../../reconciler/plan/desired-video.ts';
import type { PlanDiagnostic } from '../../reconciler/plan/plan.ts';
import { countNoun } from '../../report/wording/quantities.ts';
import type { DesiredState } from '../state/load-desired-state.ts';

/**
 * Reports definitions that git has and leaves out of this checkout. An entry without a definition may belong
 * to one of these, so no entry is removed while there are any.
 */
export async function leftOutDefinitions(
  { root, config }: Pick<DesiredState, 'root' | 'config'>,
  desired: readonly DesiredVideo[],
  lock: Lock,
): Promise<PlanDiagnostic[]> {
  const ids = new Set<string>(desired.map(({ id }) => id));
  const removes = [...lock.videos.keys()].some((id) => !ids.has(id));
  // Git is asked only if something depends on it.
  if (!removes && !isSparse(root)) return [];
  const files = await leftOutFiles(root, globBase(config.videos));
  const paths = files.filter((path) => /\.ya?ml$/i.test(path) && !isFragment(path));
  if (paths.length === 0) return [];
  const message = `Git leaves ${countNoun(paths.length, 'definition')} out of this checkout, so their videos are not compared and no video is removed from the lockfile: ${formatList(paths, 5)}`;
  const hint = `Add their folder: git sparse-checkout add ${globBase(config.videos) || '.'}; or check out everything: git sparse-checkout disable`;
  return [warningAt('definitions_left_out', undefined, message, hint)];
}
