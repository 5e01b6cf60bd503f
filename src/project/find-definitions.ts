import fastGlob from 'fast-glob';
import { byCodeUnit } from '../digest.ts';

/**
 * The definition files that a glob finds, repository-relative and sorted: `.yaml` and `.yml`, no links, no hidden files,
 * nothing below node_modules.
 *
 * @param root absolute
 * @param others files and folders that are no definitions, whatever the glob says
 */
export function findDefinitions(root: string, pattern: string, others: readonly string[] = []): string[] {
  const found = fastGlob.sync(pattern.replace(/^\.\//, ''), {
    cwd: root,
    followSymbolicLinks: false,
    dot: false,
    ignore: [
      '**/node_modules/**',
      ...others.flatMap((path) => [fastGlob.escapePath(path), `${fastGlob.escapePath(path)}/**`]),
    ],
    suppressErrors: false,
  });
  return found.filter((path) => /\.ya?ml$/i.test(path)).sort(byCodeUnit);
}

/** The folder below which a path becomes an id: the part of the glob before anything that varies; `''` for the root. */
export function fixedFolder(pattern: string): string {
  const segments = pattern.replace(/^\.\//, '').split('/');
  const first = segments.findIndex((segment) => /[*?{}[\]()!+@|]/.test(segment));
  return (first === -1 ? segments.slice(0, -1) : segments.slice(0, first)).join('/');
}
