import { randomBytes } from 'node:crypto';
import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';
import { ReelformError } from '../diagnostic.ts';
import { OUTPUTS_FOLDER } from '../lock/output-path.ts';
import type { Project } from '../project/load-project.ts';
import { writeFileAtomic } from '../project/write-file.ts';
import type { RenderService } from '../service/render-service.ts';
import { createDirectoryOutputs } from '../session/directory-outputs.ts';
import { createEmbeddedService } from '../session/embedded-service.ts';
import { fetchSource } from '../session/fetch-source.ts';
import { createMemoryStore } from '../session/memory-store.ts';
import { createRenderPool } from '../session/render-pool.ts';
import { createSourceReader } from '../session/source-reader.ts';
import { createSourceStore } from '../session/source-store.ts';

/** What one render of 1080p takes, twice over: the machine has other work too. */
const MEMORY_PER_RENDER_BYTES = 1e9;

/** A service that a command opened, and has to close. */
export type OpenService = RenderService & {
  /** Renders that are worth having at work at once. */
  readonly capacity: number;
  close(): Promise<void>;
};

/**
 * The rendering service that reelform.yaml names.
 *
 * @throws ReelformError `service_unsupported`
 */
export function openService(project: Project, now: () => number): OpenService {
  if (project.config.service !== 'embedded') {
    throw new ReelformError('service_unsupported', `This version renders with "service: embedded" only`, {
      hint: 'Set "service: embedded" in reelform.yaml, with template packages of this repository',
    });
  }
  const packages = new Map([...project.templates.values()].map((template) => [template.spec.id, template.package]));
  const uploads = createSourceStore(join(project.root, '.reelform', 'sources'));
  const capacity = Math.max(1, Math.min(availableParallelism(), Math.floor(totalmem() / MEMORY_PER_RENDER_BYTES)));
  const pool = createRenderPool({ size: capacity });
  const service = createEmbeddedService({
    templates: { find: (id) => packages.get(id) ?? null },
    sources: createSourceReader(uploads, fetchSource),
    renderer: pool,
    outputs: createDirectoryOutputs(join(project.root, OUTPUTS_FOLDER), OUTPUTS_FOLDER, writeFileAtomic),
    store: createMemoryStore(),
    environment: { now, randomId: () => randomBytes(12).toString('hex') },
    uploads,
  });
  return {
    ...service,
    capacity,
    async close() {
      await service.close();
      await pool.close();
      await uploads.clear();
    },
  };
}
