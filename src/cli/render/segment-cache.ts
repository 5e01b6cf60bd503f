import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { renderBuild } from '../../engine/codec/video-encoder.ts';
import { EXIT } from '../../kernel/diagnostic.ts';
import { parseRecord } from '../../kernel/json.ts';
import { loadProject, type Project } from '../../reconciler/project/load-project.ts';
import { writeFileAtomic } from '../../reconciler/project/write-file.ts';
import { cacheText, prunedCacheText, verifiedCacheText } from '../../report/terminal/render-text.ts';
import { openObjectFolder } from '../../service/delivery/object-folder.ts';
import { chooseEncoder } from '../../service/sessions/processes/render-pool.ts';
import { BucketSegmentStore } from '../../service/sessions/segments/bucket-segment-store.ts';
import { FolderSegmentStore, type StoredSegment } from '../../service/sessions/segments/folder-segment-store.ts';
import { SegmentCache, type SegmentStore } from '../../service/sessions/segments/segment-cache.ts';
import { BUILD, type JsonOptions, VERSION, workingDirectory } from '../global-options.ts';
import type { Io } from '../io.ts';
import { printResult } from '../output.ts';

const LAST_RUN = 'last-run.json';
/** Maximum milliseconds of a request to a bucket. Rendering a segment takes less. */
const BUCKET_MS = 20_000;

interface CacheRun {
  readonly reused: number;
  readonly rendered: number;
}

export interface OpenSegmentCache {
  readonly cache: SegmentCache;
  /** Records how many segments were reused. Best effort. */
  close(): Promise<void>;
}

/** Absolute path of the folder with finished segments. */
export function segmentFolder(root: string): string {
  return join(root, '.reelform', 'segments');
}

/**
 * Opens the segment cache of a repository; null if it is disabled.
 *
 * @param warns whether a bucket that cannot be used is reported, once
 */
export function openSegmentCache(
  project: Pick<Project, 'config' | 'root'>,
  io: Io,
  { isOn = true, warns = true }: { readonly isOn?: boolean; readonly warns?: boolean } = {},
): OpenSegmentCache | null {
  const { cache: settings, encoder } = project.config;
  if (!isOn || (settings.maxBytes === 0 && settings.bucket === null)) return null;
  const folder = segmentFolder(project.root);
  const local = new FolderSegmentStore({ folder, maxBytes: settings.maxBytes, now: () => io.now() });
  const shared = openBucketStore(local, project.config, warns, io);
  const cache = new SegmentCache({
    store: shared ?? local,
    build: renderBuild(`${VERSION} ${BUILD ?? 'from sources'}`, chooseEncoder(encoder, io.env)),
    storesFiles: true,
    onFailure(error) {
      const reason = error instanceof Error ? error.message : String(error);
      io.stderr.write(
        `warning: segments cannot be stored in .reelform/segments; rendering without the cache: ${reason}\n`,
      );
    },
  });
  return {
    cache,
    async close() {
      await shared?.close();
      const { reused, rendered } = cache.figures;
      if (reused + rendered === 0) return;
      const text = `${JSON.stringify({ reused, rendered } satisfies CacheRun)}\n`;
      await writeFileAtomic(join(folder, LAST_RUN), Buffer.from(text)).catch(() => undefined);
    },
  };
}

/** Puts a bucket behind the folder. Null if none is configured. */
function openBucketStore(
  local: SegmentStore,
  { cache: { bucket }, credentials }: Project['config'],
  warns: boolean,
  io: Io,
): BucketSegmentStore | null {
  if (bucket === null) return null;
  const { url } = bucket;
  const credential = bucket.credential === null ? null : (credentials.get(bucket.credential) ?? null);
  return new BucketSegmentStore({
    local,
    bucket: openObjectFolder({ url, credential, env: io.env, timeoutMs: BUCKET_MS }),
    onFailure(error, failed) {
      const reason = error instanceof Error ? error.message : String(error);
      const effect =
        failed === 'read'
          ? `The segment cache ${url} is not used`
          : `Segments are read from ${url} but not stored there`;
      if (warns) io.stderr.write(`warning: ${effect}: ${reason}\n`);
    },
  });
}

async function lastCacheRun(root: string): Promise<CacheRun | null> {
  const run = parseRecord(await readFile(join(segmentFolder(root), LAST_RUN), 'utf8').catch(() => ''));
  if (typeof run?.reused !== 'number' || typeof run.rendered !== 'number') return null;
  return { reused: run.reused, rendered: run.rendered };
}

/** `reelform cache`: prints the number of cached segments, their size, and how many of the last run were reused. */
export async function cacheCommand(options: JsonOptions, io: Io): Promise<number> {
  const { store, folder, maxBytes, url, root } = await openStore(options, io);
  const files = await store.list();
  const found = {
    folder,
    segments: files.length,
    bytes: sizeOf(files),
    max_bytes: maxBytes,
    url,
    oldest_used_at: files.length === 0 ? null : new Date(files[0]!.usedAt).toISOString(),
    last_run: await lastCacheRun(root),
  };
  printResult(found, () => cacheText(found), options, io);
  return EXIT.ok;
}

/** `reelform cache prune`: removes the least recently used segments beyond the configured size. */
export async function pruneCacheCommand(options: JsonOptions, io: Io): Promise<number> {
  const { store, maxBytes } = await openStore(options, io);
  const removed = await store.prune(maxBytes);
  io.stdout.write(prunedCacheText(removed.length, sizeOf(removed)));
  return EXIT.ok;
}

/** `reelform cache verify`: reads every segment, and removes damaged segments. */
export async function verifyCacheCommand(options: JsonOptions, io: Io): Promise<number> {
  const { store } = await openStore(options, io);
  const damaged = await store.verify();
  io.stdout.write(verifiedCacheText((await store.list()).length, damaged.length));
  return EXIT.ok;
}

async function openStore(options: JsonOptions, io: Io) {
  const { root, config } = await loadProject({ cwd: workingDirectory(options, io) });
  const folder = segmentFolder(root);
  const { maxBytes, bucket } = config.cache;
  const url = bucket?.url ?? null;
  return { root, folder, maxBytes, url, store: new FolderSegmentStore({ folder, maxBytes, now: () => io.now() }) };
}

function sizeOf(files: readonly StoredSegment[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}
