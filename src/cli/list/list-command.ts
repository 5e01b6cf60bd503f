import { posix } from 'node:path';
import { EXIT, hasErrors } from '../../kernel/diagnostic.ts';
import { idMatcher, isSelected, unmatchedGlobs } from '../../reconciler/plan/select-changes.ts';
import { listJson } from '../../report/json/command-json.ts';
import { listText } from '../../report/terminal/list-text.ts';
import { untranslatedVideos } from '../../report/wording/text-words.ts';
import { type JsonOptions, workingDirectory } from '../global-options.ts';
import type { Io } from '../io.ts';
import { printDiagnostics, printResult } from '../output.ts';
import { openWholePlan } from '../plan/open-plan.ts';
import type { PlanFlags } from '../plan/plan-options.ts';
import { readGlobs } from '../plan/select-videos.ts';

type ListOptions = JsonOptions & Pick<PlanFlags, 'target' | 'targetFile' | 'exclude' | 'excludeFile'>;

/**
 * `reelform list [VIDEO…]`: lists videos with their state, from the same comparison as `plan`. A name selects the video
 * with this id, and all videos whose id ends with it: `dune` selects `launch/dune`.
 */
export async function listCommand(names: readonly string[], options: ListOptions, io: Io): Promise<number> {
  const directory = workingDirectory(options, io);
  const globs = await readGlobs(options, directory, io);
  const whole = await openWholePlan(options, io);
  if (whole === null) return EXIT.error;
  const { repository, plan } = whole;
  const ofChanges = new Set<string>(plan.changes.map(({ id }) => id));
  const unplanned = [...(plan.leftOutVideos ?? []), ...(plan.waiting ?? []), ...untranslatedVideos(plan)];
  const others = unplanned.filter(({ id }) => !ofChanges.has(id));
  const ids = [...ofChanges, ...others.map(({ id }) => id)];
  const unmatched = [
    ...unmatchedGlobs(globs, ids),
    ...unmatchedGlobs({ targets: names, excludes: [] }, [...ids, ...ids.flatMap(endsOf)]),
  ];
  printDiagnostics(unmatched, repository.source, options, io);
  if (hasErrors(unmatched)) return EXIT.error;
  const isNamed = names.length === 0 ? () => true : idMatcher(names);
  const isChosen = isSelected(globs);
  const isShown = ({ id }: { readonly id: string }): boolean => isChosen(id) && [id, ...endsOf(id)].some(isNamed);
  const [changes, leftOut] = [plan.changes.filter(isShown), others.filter(isShown)];
  printResult(listJson(changes, leftOut), (style) => listText(changes, leftOut, style), options, io);
  return EXIT.ok;
}

/** Returns the shorter names of an id: `c` and `b/c` of `a/b/c`. */
function endsOf(id: string): string[] {
  const parts = id.split('/');
  return parts.slice(1).map((_, index) => posix.join(...parts.slice(index + 1)));
}
