import { posix } from 'node:path';
import fastGlob from 'fast-glob';
import { byCodeUnit } from '../../kernel/digest.ts';
import { isMissing } from '../../kernel/file-system-error.ts';
import { globBase, isFragment } from '../definition/video.ts';
import type { Config } from './config.ts';
import type { ReadLog } from './read-log.ts';
import type { RepositoryFiles } from './repository-files.ts';
import { CONFIG_FILE } from './repository-layout.ts';

/** Repository-relative, sorted paths. */
interface FoundDefinitions {
  readonly paths: readonly string[];
  /** YAML files that match the glob except for their extension, such as `.yml` instead of `.yaml`. */
  readonly ignored: readonly string[];
}

/** Common spellings of the extension. */
const ENDINGS = ['yaml', 'yml', 'YAML', 'YML'];

/**
 * Finds the definition files of a glob: `.yaml` and `.yml`, without links, hidden files and node_modules.
 *
 * @param root absolute
 * @param excluded files and folders
 * @param log records every folder that was searched
 */
export function findDefinitions(
  root: string,
  pattern: string,
  excluded: readonly string[] = [],
  log: ReadLog | null = null,
): FoundDefinitions {
  if (log !== null) noteFolders(pattern, log);
  const [, stem, ending] = /^(.*\.)(ya?ml)$/i.exec(pattern) ?? [];
  const wide = stem === undefined ? pattern : `${stem}{${ENDINGS.join()}}`;
  const found = fastGlob.sync(wide.replace(/^\.\//, ''), {
    cwd: root,
    followSymbolicLinks: false,
    dot: false,
    ignore: [
      '**/node_modules/**',
      ...excluded.flatMap((path) => [fastGlob.escapePath(path), `${fastGlob.escapePath(path)}/**`]),
    ],
    suppressErrors: false,
  });
  log?.checkFolders();
  const yaml = found.filter((path) => /\.ya?ml$/i.test(path)).sort(byCodeUnit);
  const isFound = (path: string): boolean => ending === undefined || path.endsWith(`.${ending}`);
  return { paths: yaml.filter(isFound), ignored: yaml.filter((path) => !isFound(path)) };
}

/** Records the folders that the glob may search, because their content determines the result. */
function noteFolders(pattern: string, log: ReadLog): void {
  const base = globBase(pattern);
  const entersHidden = /(?:^|[/{,(|!])\./.test(pattern.slice(base.length));
  const folders = [base];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    try {
      for (const entry of log.list(folder)) {
        if (!entry.isDirectory() || entry.name === 'node_modules') continue;
        if (!entry.name.startsWith('.') || entersHidden) folders.push(posix.join(folder, entry.name));
      }
    } catch (error) {
      // The search reports the error.
      if (isMissing(error) && folder === base) log.readIfPresent(base);
      else log.spoil();
    }
  }
}

/** Finds all definitions and fragments of a repository, except in the folders of template packages. */
export function findDefinitionFiles(config: Config, { root, log }: RepositoryFiles): FoundDefinitions {
  const folders = [...config.templates.values()].flatMap((template) =>
    template.kind === 'package' ? [template.path] : [],
  );
  const { paths, ignored } = findDefinitions(root, config.videos, [CONFIG_FILE, ...folders], log);
  return { paths, ignored: ignored.filter((path) => !isFragment(path)) };
}
