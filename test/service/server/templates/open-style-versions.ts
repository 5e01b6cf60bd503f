import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { ObjectStorage } from '../../../../src/service/server/ports.ts';
import { createDiskStorage } from '../../../../src/service/server/storage/object-storage.ts';
import type { StyleVersionTable } from '../../../../src/service/server/store/style-version-table.ts';
import { StyleVersions, type StyleVersionsOptions } from '../../../../src/service/server/templates/style-versions.ts';
import type { RenderPool } from '../../../../src/service/sessions/processes/render-pool.ts';
import { writePackageZip } from '../../../../src/template/archive/write-zip.ts';
import { keptRenderPool } from '../../../support/kept-render-pools.ts';
import { createMemoryStyleVersions } from '../../../support/memory-tables.ts';
import { smallPackageFiles } from '../../../support/small-package.ts';

export const NEVER = new AbortController().signal;

export interface OpenStyleVersions {
  readonly versions: StyleVersions;
  readonly table: StyleVersionTable;
  readonly storage: ObjectStorage;
  readonly renderer: RenderPool;
  /** Ids in the order in which they were queued. */
  readonly queued: string[];
  /** Opens the same stores as the next start of the service does. */
  again(options?: Partial<StyleVersionsOptions>): StyleVersions;
}

/** The render process shared by all tests, because starting one per test would take longer than the tests. */
const shared = keptRenderPool({ size: 1 });

/** Style versions with real files and a real process; the files are removed after the test. */
export async function openStyleVersions(
  table = createMemoryStyleVersions(),
  renderer = shared,
): Promise<OpenStyleVersions> {
  const directory = await mkdtemp(join(tmpdir(), 'reelform-templates-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const storage = createDiskStorage(directory);
  const queued: string[] = [];
  const enqueue = async (id: string): Promise<void> => void queued.push(id);
  const again = (options: Partial<StyleVersionsOptions> = {}): StyleVersions =>
    new StyleVersions({
      table,
      storage,
      renderer,
      inspections: shared,
      enqueue,
      publicUrl: 'https://videos.example',
      now: () => Date.UTC(2026, 0, 2),
      ...options,
    });
  return { versions: again(), table, storage, renderer, queued, again };
}

/** The small package as a zip, with changes to single files. */
export function smallZip(changes: Readonly<Record<string, Uint8Array | string | null>> = {}): Uint8Array {
  return writePackageZip(smallPackageFiles(changes));
}
