import { statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { watch } from 'chokidar';
import { UNFINISHED } from '../kernel/replace-file.ts';
import { OUTPUTS_FOLDER } from '../reconciler/lock/lock.ts';
import { JOURNAL_FILE, LOCK_FILE } from '../reconciler/project/repository-layout.ts';

/** Milliseconds without another change before the changes are reported: editors write several files at once. */
const QUIET_MS = 25;
/** Maximum milliseconds for which a first change waits for others. */
const PATIENCE_MS = 250;

/**
 * Milliseconds after a report at which the reported files are looked at again. chokidar drops changes of a file within 50 ms of the
 * change before, so the last of several would never be seen.
 */
const SECOND_LOOK_MS = 60;

/** File of the run lock, repository-relative. */
export const RUN_LOCK_FILE = '.reelform/apply.pid';

interface RepositoryWatch {
  close(): Promise<void>;
}

/**
 * Reports changed files of a repository, several at once, except those of Git and of installed packages.
 *
 * @param root absolute
 * @param onChange gets repository-relative paths
 * @returns once later changes are noticed
 */
export async function watchRepository(
  root: string,
  onChange: (paths: ReadonlySet<string>) => void,
  onError: (error: unknown) => void,
): Promise<RepositoryWatch> {
  let changed = new Set<string>();
  let firstAt = 0;
  let timer: NodeJS.Timeout | undefined;
  const later = new Set<NodeJS.Timeout>();
  const flush = (): void => {
    const paths = changed;
    changed = new Set();
    const seen = new Map([...paths].map((path) => [path, versionOf(join(root, path))]));
    onChange(paths);
    const look = setTimeout(() => {
      later.delete(look);
      const missed = [...seen].filter(([path, version]) => versionOf(join(root, path)) !== version);
      for (const [path] of missed) report(path);
    }, SECOND_LOOK_MS);
    later.add(look);
  };
  const report = (path: string): void => {
    const now = performance.now();
    if (changed.size === 0) firstAt = now;
    changed.add(path);
    clearTimeout(timer);
    timer = setTimeout(flush, Math.max(0, Math.min(QUIET_MS, firstAt + PATIENCE_MS - now)));
  };
  const watcher = watch(root, {
    ignoreInitial: true,
    followSymlinks: false,
    ignored: (path) => isIgnored(relative(root, path).split(sep).join('/')),
  });
  watcher.on('all', (_, path) => report(relative(root, path).split(sep).join('/')));
  watcher.on('error', onError);
  await new Promise<void>((resolve) => watcher.once('ready', resolve));
  return {
    async close() {
      clearTimeout(timer);
      for (const look of later) clearTimeout(look);
      await watcher.close();
    },
  };
}

/** Returns what changes with a file's content; null for a file that is missing or cannot be read. */
function versionOf(path: string): string | null {
  try {
    const { ino, size, mtimeMs } = statSync(path);
    return `${ino} ${size} ${mtimeMs}`;
  } catch {
    return null;
  }
}

/** Only the run lock and the journal matter in Reelform's own folder. */
function isIgnored(path: string): boolean {
  if (path === '') return false;
  const [top = '', ...below] = path.split('/');
  if (top === '.reelform') return below.length > 0 && path !== RUN_LOCK_FILE && path !== JOURNAL_FILE;
  const name = below.at(-1) ?? top;
  if (name.startsWith(UNFINISHED)) return true;
  return path.split('/').some((part) => part === 'node_modules' || part === '.git' || part === '.hg');
}

/** Whether a run writes this file, rather than the user. */
export function isOfRun(path: string): boolean {
  return path === LOCK_FILE || path === JOURNAL_FILE || path.startsWith(`${OUTPUTS_FOLDER}/`);
}
