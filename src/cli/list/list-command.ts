import { posix } from 'node:path';
import { EXIT, hasErrors } from '../../kernel/diagnostic.ts';
import { matricesOf } from '../../reconciler/plan/matrix-document.ts';
import type { Plan } from '../../reconciler/plan/plan.ts';
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

type ListOptions = JsonOptions &
  Pick<PlanFlags, 'target' | 'targetFile' | 'exclude' | 'excludeFile'> & { readonly verbose?: boolean };

/**
 * `reelform list [VIDEO…]`: lists videos with their state, from the same comparison as `plan`. A name selects the video
 * with this id, all videos whose id ends with it, and those of the definition: `dune` selects `launch/dune` and `dune/de`.
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
  const definitionOf = definitions(plan, others);
  const namesOf = (id: string): string[] => [id, definitionOf.get(id) ?? id].flatMap((name) => [name, ...endsOf(name)]);
  const unmatched = [
    ...unmatchedGlobs(globs, ids),
    ...unmatchedGlobs({ targets: names, excludes: [] }, [...new Set(ids.flatMap(namesOf))]),
  ];
  printDiagnostics(unmatched, repository.source, options, io);
  if (hasErrors(unmatched)) return EXIT.error;
  const isNamed = names.length === 0 ? () => true : idMatcher(names);
  const isChosen = isSelected(globs);
  const isShown = ({ id }: { readonly id: string }): boolean => isChosen(id) && namesOf(id).some(isNamed);
  const [changes, leftOut] = [plan.changes.filter(isShown), others.filter(isShown)];
  // A selection asks for its videos.
  const isWhole = names.length === 0 && changes.length + leftOut.length === ids.length;
  const folds = isWhole && options.verbose !== true ? { definitionOf, matrices: matricesOf(plan) } : null;
  printResult(listJson(changes, leftOut), (style) => listText(changes, leftOut, { ...style, folds }), options, io);
  return EXIT.ok;
}

/** Returns the definitions of videos that have variants or locales, by id. */
function definitions(
  { changes, texts = [] }: Plan,
  others: readonly { readonly id: string; readonly path: string }[],
): ReadonlyMap<string, string> {
  const placed = [
    ...changes.flatMap(({ id, desired }) => {
      return desired?.matrix === undefined ? [] : [{ id, path: desired.path, definition: desired.matrix.definition }];
    }),
    ...texts,
  ];
  const byPath = new Map(placed.map(({ path, definition }) => [path, definition]));
  const unplaced = others.flatMap(({ id, path }): [string, string][] => {
    const definition = byPath.get(path);
    return definition === undefined ? [] : [[id, definition]];
  });
  return new Map([...unplaced, ...placed.map(({ id, definition }): [string, string] => [id, definition])]);
}

/** Returns the shorter names of an id: `c` and `b/c` of `a/b/c`. */
function endsOf(id: string): string[] {
  const parts = id.split('/');
  return parts.slice(1).map((_, index) => posix.join(...parts.slice(index + 1)));
}
