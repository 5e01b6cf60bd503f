import { lstatSync, realpathSync, type Stats, statSync } from 'node:fs';
import type { Head, States } from './index-format.ts';
import type { SeenOutputs } from './memory.ts';

/** What the tuples of files and folders do not show to be as it was. */
export interface Suspects {
  /** Repository-relative paths. */
  readonly files: readonly string[];
  readonly folders: readonly string[];
  /** Whether a path leads elsewhere than it did, or something is there that was not. */
  readonly isElsewhere: boolean;
}

/**
 * Looks at everything that was read, without opening it. EDGE.
 *
 * @param root absolute
 */
export function findSuspects(root: string, head: Head): Suspects {
  const { meta, files, folders, ways } = head;
  const isElsewhere =
    !ways.every((path) => lookAt(root, path)?.isDirectory()) ||
    meta.absent.some((path) => !isAbsent(root, path)) ||
    Object.entries(meta.reals).some(([path, real]) => realOf(root, path) !== real);
  return {
    files: suspectsOf(files, (path) => {
      const stats = lookAt(root, path);
      // Behind a link, whose end was looked at, there is a file like any other.
      return stats?.isSymbolicLink() && meta.reals[path] !== undefined ? behind(meta.reals[path]) : stats;
    }),
    folders: suspectsOf(folders, (path) => (path === '' ? behind(root) : lookAt(root, path))),
    isElsewhere,
  };
}

function suspectsOf({ paths, tuples, trust }: States, look: (path: string) => Stats | null): string[] {
  const suspects: string[] = [];
  for (let index = 0, at = 0; index < paths.length; index++, at += 5) {
    const stats = look(paths[index]!);
    const isSame =
      stats !== null &&
      trust[index] === 1 &&
      stats.ctimeMs === tuples[at + 4] &&
      stats.mtimeMs === tuples[at + 3] &&
      stats.size === tuples[at + 2] &&
      stats.ino === tuples[at + 1] &&
      stats.dev === tuples[at];
    if (!isSame) suspects.push(paths[index]!);
  }
  return suspects;
}

function lookAt(root: string, path: string): Stats | null {
  try {
    return lstatSync(`${root}/${path}`);
  } catch {
    return null;
  }
}

function behind(absolute: string): Stats | null {
  try {
    return statSync(absolute);
  } catch {
    return null;
  }
}

function isAbsent(root: string, path: string): boolean {
  try {
    return lstatSync(`${root}/${path}`, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}

function realOf(root: string, path: string): string | null {
  try {
    return realpathSync.native(`${root}/${path}`);
  } catch {
    return null;
  }
}

/** Whether all outputs are files of the sizes that they had. EDGE. */
export function haveSizes(root: string, { paths, sizes }: SeenOutputs): boolean {
  return paths.every((path, index) => {
    const stats = behind(`${root}/${path}`);
    return stats !== null && stats.size === sizes[index] && stats.isFile();
  });
}
