import { isPart } from '../definition/video-id.ts';
import type { Config } from './config.ts';
import { type FoundDefinitions, findDefinitions } from './find-definitions.ts';
import { CONFIG_FILE } from './find-root.ts';
import type { RepositoryFiles } from './repository-files.ts';

/** The files of all definitions and fragments, and those that the glob leaves out for their ending. */
export function findVideos(config: Config, { root, log }: RepositoryFiles): FoundDefinitions {
  const folders = [...config.templates.values()].flatMap((one) => (one.kind === 'package' ? [one.path] : []));
  const { paths, ignored } = findDefinitions(root, config.videos, [CONFIG_FILE, ...folders], log);
  return { paths, ignored: ignored.filter((path) => !isPart(path)) };
}
