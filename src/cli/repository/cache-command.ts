import { EXIT } from '../../diagnostic.ts';
import { loadProject } from '../../project/load-project.ts';
import { cacheText, prunedCacheText, verifiedCacheText } from '../../report/terminal/cache-text.ts';
import { FolderSegmentStore, type StoredSegment } from '../../session/segments/folder-segment-store.ts';
import { directoryOf } from '../diagnose.ts';
import type { GlobalOptions } from '../global-options.ts';
import type { Io } from '../io.ts';
import { lastCacheRun, segmentFolder } from '../service/open-segment-cache.ts';

export interface CacheOptions extends GlobalOptions {
  readonly json?: boolean;
}

/** `reelform cache`: prints the number of cached segments, their size, and how many of the last run were reused. */
export async function cacheCommand(options: CacheOptions, io: Io): Promise<number> {
  const { store, folder, maxBytes, root } = await openStore(options, io);
  const files = await store.list();
  const found = {
    ...{ folder, segments: files.length, bytes: sizeOf(files), max_bytes: maxBytes },
    oldest_used_at: files.length === 0 ? null : new Date(files[0]!.usedAt).toISOString(),
    last_run: await lastCacheRun(root),
  };
  io.stdout.write(options.json === true ? `${JSON.stringify(found, null, 2)}\n` : cacheText(found));
  return EXIT.ok;
}

/** `reelform cache prune`: removes the least recently used segments beyond the configured size. */
export async function pruneCacheCommand(options: CacheOptions, io: Io): Promise<number> {
  const { store, maxBytes } = await openStore(options, io);
  const removed = await store.prune(maxBytes);
  io.stdout.write(prunedCacheText(removed.length, sizeOf(removed)));
  return EXIT.ok;
}

/** `reelform cache verify`: reads every segment, and removes damaged ones. */
export async function verifyCacheCommand(options: CacheOptions, io: Io): Promise<number> {
  const { store } = await openStore(options, io);
  const damaged = await store.verify();
  io.stdout.write(verifiedCacheText((await store.list()).length, damaged.length));
  return EXIT.ok;
}

async function openStore(options: CacheOptions, io: Io) {
  const { root, config } = await loadProject({ cwd: directoryOf(options, io) });
  const folder = segmentFolder(root);
  const maxBytes = config.cacheBytes;
  return { root, folder, maxBytes, store: new FolderSegmentStore({ folder, maxBytes, now: () => io.now() }) };
}

function sizeOf(files: readonly StoredSegment[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}
