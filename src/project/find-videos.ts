import type { Config } from './config.ts';
import { findDefinitions } from './find-definitions.ts';
import { CONFIG_FILE } from './find-root.ts';
import type { RepositoryFiles } from './repository-files.ts';

/** The files of all definitions and parts, sorted. */
export function findVideos(config: Config, { root, log }: RepositoryFiles): string[] {
  const folders = [...config.templates.values()].flatMap((one) => (one.kind === 'package' ? [one.path] : []));
  return findDefinitions(root, config.videos, [CONFIG_FILE, ...folders], log);
}
