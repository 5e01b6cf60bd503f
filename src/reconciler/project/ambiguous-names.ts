import { type Diagnostic, startOf, warningAt } from '../../kernel/diagnostic.ts';
import { type FileUse, inRow } from '../definition/read-scene.ts';
import type { Resolved } from '../definition/resolve-definitions.ts';
import type { Config } from './config.ts';
import type { RepositoryFiles, Twins } from './repository-files.ts';

/**
 * Warns of files and folders of a repository whose names differ only in their Unicode form, once for each pair. Covers the
 * local files of videos, definitions, fragments, data files and template packages, and the folders that contain them.
 */
export function ambiguousNames(
  { videos, otherFiles, origins }: Pick<Resolved, 'videos' | 'otherFiles' | 'origins'>,
  { templates }: Pick<Config, 'templates'>,
  files: RepositoryFiles,
): Diagnostic[] {
  const packages = [...templates.values()].filter((template) => template.kind === 'package');
  const referenced = [...origins.values()].flatMap(([, ...fragments]) => fragments);
  const named: FileUse[] = [
    ...videos.flatMap((video) => video.files),
    ...otherFiles,
    ...packages,
    ...referenced.map((path) => ({ path, at: startOf(path) })),
  ];
  const known = new Set<string>();
  const warnings = (uses: readonly FileUse[], isChosen: boolean): Diagnostic[] => {
    return uses.flatMap((use) => {
      const twins = files.twinsOn(use.path);
      if (twins === null || known.has(twins.path.normalize('NFC'))) return [];
      known.add(twins.path.normalize('NFC'));
      return [ambiguous(use, twins, isChosen)];
    });
  };
  return [
    ...warnings(named, true),
    // The search for definitions finds both.
    ...warnings(
      [...origins.keys()].map((path) => ({ path, at: startOf(path) })),
      false,
    ),
  ];
}

/** @param isChosen whether a reference names one of the two */
function ambiguous({ at, row }: FileUse, { path, twin }: Twins, isChosen: boolean): Diagnostic {
  const form = (name: string): string => (name === name.normalize('NFC') ? 'composed' : 'decomposed');
  const used = isChosen ? `; the ${form(path)} one is used` : '';
  const message = `Two files or folders are named ${JSON.stringify(path)} and differ only in the Unicode form of their letters${used}`;
  const hint = `Remove or rename one of them; one is ${form(path)}, the other one is ${form(twin)}`;
  return warningAt('ambiguous_path', at, inRow(message, row), hint);
}
