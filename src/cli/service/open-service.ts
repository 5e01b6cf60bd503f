import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { RenderService } from '../../contract/render-service.ts';
import { OUTPUTS_FOLDER } from '../../reconciler/lock/lock.ts';
import { type Change, delivers, renders } from '../../reconciler/plan/plan.ts';
import type { Project } from '../../reconciler/project/load-project.ts';
import { compactOutputRecords, recordOutput } from '../../reconciler/project/local-outputs.ts';
import { writeFileAtomic } from '../../reconciler/project/write-file.ts';
import { pushStyleVersion } from '../../reconciler/service-client/style-version-pusher.ts';
import { createDirectoryOutputs } from '../../service/sessions/directory-outputs.ts';
import { createEmbeddedService } from '../../service/sessions/embedded-service.ts';
import type { OutputStore } from '../../service/sessions/ports.ts';
import { type RenderPool, renderCapacity } from '../../service/sessions/processes/render-pool.ts';
import { createSegmentRenderer } from '../../service/sessions/segments/segment-renderer.ts';
import { createDestinations } from '../../service/sessions/session-deliveries.ts';
import type { Io } from '../io.ts';
import { openLocalSources } from '../render/open-inputs.ts';
import { withEncoder } from '../render/open-pool.ts';
import { openSegmentCache } from '../render/segment-cache.ts';
import { openRemoteService, packageUpload } from './open-remote-service.ts';
import { createSourcePublisher } from './publish-sources.ts';

/**
 * Name of the folder below `.reelform/` for fetched sources of a run. Lint and the count of segments fetch into the same folder, so that
 * the service only asks whether a file has changed since.
 */
export const SOURCES_FOLDER = 'sources';

/** A service that a command opened and has to close. */
export interface OpenService {
  readonly service: RenderService;
  /** Number of renders that can usefully run in parallel. */
  readonly capacity: number;
  /** See `ApplyPorts`. */
  ensureStyleVersion(id: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens the rendering service that reelform.yaml names.
 *
 * @throws ReelformError `token_missing`, `token_origin`; `engine_missing`, `sandbox_missing`, and `settings_invalid` of the encoder
 */
export async function openService(project: Project, io: Io, options: ServiceOptions): Promise<OpenService> {
  return project.config.service === 'embedded'
    ? openEmbedded(project, io, options)
    : openRemote(project, io, options.keyLifetimeMs);
}

interface ServiceOptions {
  /** How long the service keeps idempotency keys, as observed by earlier runs; null if it does not. */
  readonly keyLifetimeMs: number | null;
  /** False to neither reuse nor keep segments of the embedded service. */
  readonly cache: boolean;
  /** Opens the processes of the embedded service, which it closes. */
  pool(): Promise<RenderPool>;
}

function openRemote(project: Project, io: Io, keyLifetimeMs: number | null): OpenService {
  const service = openRemoteService(project, io, { keyLifetimeMs, publish: createSourcePublisher(project, io) });
  return {
    service,
    capacity: Number.POSITIVE_INFINITY,
    async ensureStyleVersion(id) {
      const template = [...project.templates.values()].find(({ spec }) => spec.id === id);
      const upload = template === undefined ? null : packageUpload(template);
      // Without a package, only the service has the style version.
      if (upload !== null) await pushStyleVersion(service, upload, io.wait);
    },
    close: async () => undefined,
  };
}

async function openEmbedded(project: Project, io: Io, options: ServiceOptions): Promise<OpenService> {
  const packages = new Map([...project.templates.values()].map((template) => [template.spec.id, template.package]));
  const sources = openLocalSources(project.root, io, SOURCES_FOLDER);
  const capacity = renderCapacity();
  const cache = openSegmentCache(project, io, { isOn: options.cache });
  const pool = await options.pool();
  const runner = withEncoder(pool, project.config.encoder, io);
  const service = createEmbeddedService({
    templates: { find: async (_, id) => packages.get(id) ?? null },
    sources: sources.reader,
    renderer: createSegmentRenderer({ runner, parallel: capacity, cache: cache?.cache ?? null }),
    outputs: recordedOutputs(project.root),
    destinations: createDestinations({
      credentials: project.config.credentials,
      isServer: false,
      env: io.env,
      directory: project.root,
    }),
    environment: {
      now: () => io.now(),
      monotonicNow: () => io.monotonicNow(),
      randomId: () => randomBytes(12).toString('hex'),
      wait: io.wait,
      random: () => Math.random(),
    },
    uploads: sources.uploads,
  });
  return {
    service,
    capacity,
    ensureStyleVersion: async () => undefined,
    async close() {
      await service.close();
      await pool.close();
      await cache?.close();
      await sources.clear();
      await compactOutputRecords(project.root);
    },
  };
}

/** Returns the outputs folder. Records the size and digest of each written file, so that plans recognize it. */
function recordedOutputs(root: string): OutputStore {
  const outputs = createDirectoryOutputs(join(root, OUTPUTS_FOLDER), OUTPUTS_FOLDER, writeFileAtomic);
  return {
    ...outputs,
    async save(...rendered) {
      const files = await outputs.save(...rendered);
      for (const file of files) await recordOutput(root, file.video_url, file);
      return files;
    },
  };
}

/** True if a change needs the service: for a render, a delivery, or to verify an adopted video. */
export function needsService(change: Change): boolean {
  if (delivers(change)) return true;
  if (change.action !== 'adopt') return renders(change);
  return change.source.kind === 'history' || change.source.kind === 'journal';
}

/** Returns a service that is never called, for changes of the lockfile alone. Needs no token. */
export function noopService(name: string): OpenService {
  const refuse = async (): Promise<never> => {
    throw new Error('Internal error: a plan without renders used the service');
  };
  return {
    service: {
      name,
      getStyleVersion: refuse,
      createRenderSession: refuse,
      getRenderSession: refuse,
      uploadSource: refuse,
      outlivesProcess: true,
      keyLifetimeMs: () => null,
      accountDigest: () => '',
      features: refuse,
      serviceTime: async () => null,
    },
    capacity: 1,
    ensureStyleVersion: refuse,
    close: async () => undefined,
  };
}
