import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isRecord } from '../../json.ts';
import type { Project } from '../../project/load-project.ts';
import { writeFileAtomic } from '../../project/write-file.ts';
import { workerBuild } from '../../server/workers/worker-registry.ts';
import { chooseEncoder } from '../../session/processes/render-pool.ts';
import { FolderSegmentStore } from '../../session/segments/folder-segment-store.ts';
import { SegmentCache } from '../../session/segments/segment-cache.ts';
import { BUILD, VERSION } from '../global-options.ts';
import type { Io } from '../io.ts';

const LAST_RUN = 'last-run.json';

/** Segments of the last run. */
export interface CacheRun {
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

/** The segment cache of a repository; null where it keeps none. */
export function openSegmentCache(
  project: Pick<Project, 'config' | 'root'>,
  io: Io,
  isOn: boolean,
): OpenSegmentCache | null {
  const { cacheBytes, encoder } = project.config;
  if (!isOn || cacheBytes === 0) return null;
  const folder = segmentFolder(project.root);
  const cache = new SegmentCache({
    store: new FolderSegmentStore({ folder, maxBytes: cacheBytes, now: () => io.now() }),
    build: workerBuild(`${VERSION} ${BUILD ?? 'from sources'}`, chooseEncoder(encoder, io.env)),
    onFailure(error) {
      const reason = error instanceof Error ? error.message : String(error);
      io.stderr.write(
        `warning: segments cannot be kept in .reelform/segments, and are rendered without it: ${reason}\n`,
      );
    },
  });
  return {
    cache,
    async close() {
      const { reused, rendered } = cache.figures;
      if (reused + rendered === 0) return;
      const text = `${JSON.stringify({ reused, rendered } satisfies CacheRun)}\n`;
      await writeFileAtomic(join(folder, LAST_RUN), Buffer.from(text)).catch(() => undefined);
    },
  };
}

/** Null where no run was recorded. */
export async function lastCacheRun(root: string): Promise<CacheRun | null> {
  try {
    const run: unknown = JSON.parse(await readFile(join(segmentFolder(root), LAST_RUN), 'utf8'));
    if (!isRecord(run) || typeof run.reused !== 'number' || typeof run.rendered !== 'number') return null;
    return { reused: run.reused, rendered: run.rendered };
  } catch {
    return null;
  }
}
