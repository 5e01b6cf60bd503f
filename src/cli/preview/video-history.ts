import { tryGit } from '../../git/run-git.ts';
import { parseLock } from '../../lock/parse-lock.ts';
import type { HistoryEntry } from '../../preview-server/protocol.ts';
import { LOCK_FILE } from '../../project/repository-layout.ts';

/** Versions of the lockfile that are read. */
const COMMITS = 40;
const TIME_MS = 3_000;

/**
 * Returns the earlier renderings of a video from the versions of the lockfile in Git, the newest first. Best effort: without Git or time
 * there are fewer.
 *
 * @param root absolute
 */
export async function videoHistory(root: string, id: string): Promise<readonly HistoryEntry[]> {
  const until = performance.now() + TIME_MS;
  const log = await tryGit(root, ['log', `-n${COMMITS}`, '--format=%H', '--', LOCK_FILE], { timeoutMs: TIME_MS });
  const found = new Map<string, HistoryEntry>();
  for (const commit of (log ?? '').split('\n').filter((line) => line !== '')) {
    if (performance.now() > until) break;
    const text = await tryGit(root, ['cat-file', 'blob', `${commit}:./${LOCK_FILE}`], { timeoutMs: TIME_MS });
    // Parsing takes longer than searching.
    if (text === null || !text.includes(JSON.stringify(id))) continue;
    const lock = parseLock(text, LOCK_FILE);
    const entry = lock.ok ? lock.value.videos.get(id) : undefined;
    // The oldest commit with an entry is the one that recorded it.
    if (entry !== undefined) {
      const { rendered_at: renderedAt, title, session } = entry;
      found.set(session, { renderedAt, commit, title });
    }
  }
  return [...found.values()].sort((a, b) => (a.renderedAt < b.renderedAt ? 1 : -1));
}
