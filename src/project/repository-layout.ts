import { statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { ReelformError } from '../diagnostic.ts';

export const CONFIG_FILE = 'reelform.yaml';

/**
 * The absolute path of the nearest folder, from `cwd` upwards, that holds a reelform.yaml.
 *
 * @throws ReelformError `config_missing`
 */
export function findRoot(cwd: string): string {
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    if (statSync(join(folder, CONFIG_FILE), { throwIfNoEntry: false })?.isFile()) return folder;
    if (folder === dirname(folder)) break;
  }
  throw new ReelformError('config_missing', `There is no ${CONFIG_FILE} in ${cwd} or above`, {
    hint: `Run the command inside a repository of videos, or create a ${CONFIG_FILE} with "templates:"`,
  });
}

/** What was rendered, and from what. Committed. */
export const LOCK_FILE = 'reelform.lock.json';

/** Where the journal of this machine lies. Ignored by git. */
export const JOURNAL_FILE = '.reelform/journal.ndjson';

/** What the lockfile had in the history of a commit. Ignored by git. */
export const HISTORY_FILE = '.reelform/history.idx';
