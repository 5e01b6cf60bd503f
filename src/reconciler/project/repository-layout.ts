import { statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { ReelformError } from '../../kernel/diagnostic.ts';
import { UNFINISHED } from '../../kernel/replace-file.ts';

export const CONFIG_FILE = 'reelform.yaml';
/** A name that is not read, to avoid two configurations in one folder. */
export const OTHER_CONFIG_FILE = 'reelform.yml';
/** Lines of .gitignore. A killed process leaves its unfinished file beside the file, also in `schemas/` and `videos/`. */
export const IGNORED_FILES: readonly string[] = ['renders/', '.reelform/', `${UNFINISHED}*`];
/** A new .gitignore. */
export const GITIGNORE = `${['node_modules/', ...IGNORED_FILES].join('\n')}\n`;

/**
 * Returns the absolute path of the nearest folder, from `cwd` upwards, that contains a reelform.yaml.
 *
 * @throws ReelformError `config_missing`
 */
export function findRoot(cwd: string): string {
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    if (statSync(join(folder, CONFIG_FILE), { throwIfNoEntry: false })?.isFile()) return folder;
    if (statSync(join(folder, OTHER_CONFIG_FILE), { throwIfNoEntry: false })?.isFile()) {
      throw new ReelformError('config_missing', `There is a ${OTHER_CONFIG_FILE} in ${folder}, and no ${CONFIG_FILE}`, {
        hint: `Rename it to ${CONFIG_FILE}`,
      });
    }
    if (folder === dirname(folder)) break;
  }
  throw new ReelformError('config_missing', `No ${CONFIG_FILE} in ${cwd} or its parent folders`, {
    hint: 'Run the command inside a reelform repository, or create one with reelform init',
  });
}

/** The lockfile. Committed to git. */
export const LOCK_FILE = 'reelform.lock.json';

/** Local journal of pending renders. Ignored by git. */
export const JOURNAL_FILE = '.reelform/journal.ndjson';

/** Cache of earlier lock entries in the git history. Ignored by git. */
export const HISTORY_FILE = '.reelform/history.idx';

/** Findings of videos that were linted. Ignored by git. */
export const LINT_FILE = '.reelform/lint.json';

/** Returns the path of a template's specification. */
export function specPath(template: string): string {
  return `schemas/${template}.spec.json`;
}

/** Returns the path of the JSON Schema that editors use for a template's definitions. */
export function schemaPath(template: string): string {
  return `schemas/${template}.schema.json`;
}

/** Path of the JSON Schema that editors use for definitions with scenes. No name of a template begins with `_`. */
export const SCENES_SCHEMA = 'schemas/_scenes.schema.json';

/** Path of the features of the service. Committed to git, so that plans need no service. */
export const FEATURES_FILE = 'schemas/service.json';
