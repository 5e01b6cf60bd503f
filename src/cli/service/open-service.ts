import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { OUTPUTS_FOLDER } from '../../lock/lock.ts';
import type { Project } from '../../project/load-project.ts';
import { compactOutputRecords, recordOutput } from '../../project/output-records.ts';
import { writeFileAtomic } from '../../project/write-file.ts';
import { sandboxFromEnvironment } from '../../sandbox/sandbox.ts';
import type { RenderService } from '../../service/render-service.ts';
import { pushStyleVersion } from '../../service/style-version-pusher.ts';
import type { FinishedFiles } from '../../session/delivery-runner.ts';
import { createDirectoryOutputs } from '../../session/directory-outputs.ts';
import { createEmbeddedService } from '../../session/embedded-service.ts';
import type { OutputStore } from '../../session/ports.ts';
import { chooseEncoder, createRenderPool, renderCapacity } from '../../session/processes/render-pool.ts';
import { createSegmentRenderer } from '../../session/segments/segment-renderer.ts';
import { createDestinations } from '../../session/session-deliveries.ts';
import { ALLOW_EVERYTHING } from '../../session/sources/allow-list.ts';
import { describeSource } from '../../session/sources/describe-source.ts';
import { createSources } from '../../session/sources/sources.ts';
import type { Io } from '../io.ts';
import { openRemoteService, uploadOf } from './open-remote-service.ts';
import { openSegmentCache } from './open-segment-cache.ts';
import { publishSources } from './publish-sources.ts';

/** A service that a command opened, and has to close. */
export interface OpenService {
  readonly service: RenderService;
  /** Renders that are worth having at work at once. */
  readonly capacity: number;
  /** See the port of apply. */
  ensureStyleVersion(id: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * The rendering service that reelform.yaml names.
 *
 * @param cache whether finished segments are kept and reused where this process renders
 * @param keyLifetimeMs for how long earlier runs saw it keep idempotency keys; null: they did not
 * @throws ReelformError `token_missing`, `token_origin`; `encoder_missing`, `settings_invalid` of the encoder
 */
export function openService(project: Project, io: Io, keyLifetimeMs: number | null, cache?: boolean): OpenService {
  return project.config.service === 'embedded'
    ? openEmbedded(project, io, cache ?? true)
    : openRemote(project, io, keyLifetimeMs);
}

function openRemote(project: Project, io: Io, keyLifetimeMs: number | null): OpenService {
  const service = openRemoteService(project, io, { keyLifetimeMs, publish: publishSources(project, io) });
  return {
    service,
    capacity: Number.POSITIVE_INFINITY,
    async ensureStyleVersion(id) {
      const template = [...project.templates.values()].find(({ spec }) => spec.id === id);
      const upload = template === undefined ? null : uploadOf(template);
      // Without a package the style version is the service's own.
      if (upload !== null) await pushStyleVersion(service, upload, (milliseconds) => setTimeout(milliseconds));
    },
    close: async () => undefined,
  };
}

function openEmbedded(project: Project, io: Io, usesCache: boolean): OpenService {
  const packages = new Map([...project.templates.values()].map((template) => [template.spec.id, template.package]));
  const sources = createSources({
    directory: join(project.root, '.reelform', 'sources'),
    // Whoever runs the command wrote the URLs, or took them over in a review.
    allow: ALLOW_EVERYTHING,
    mayRead: async () => true,
    inspect: describeSource,
    isOneRun: true,
    now: () => io.now(),
  });
  const capacity = renderCapacity();
  const cache = openSegmentCache(project, io, usesCache);
  const pool = (io.createRenderPool ?? createRenderPool)({
    size: capacity,
    sandbox: sandboxFromEnvironment(io.env),
    encoder: chooseEncoder(project.config.encoder, io.env),
  });
  const service = createEmbeddedService({
    templates: { find: async (_, id) => packages.get(id) ?? null },
    sources: sources.reader,
    renderer: createSegmentRenderer({ runner: pool, parallel: capacity, cache: cache?.cache ?? null }),
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
      wait: (milliseconds, signal) => setTimeout(milliseconds, undefined, { signal }),
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

/** The outputs folder. Records the size and digest of each file that is written, by which plans know it again. */
function recordedOutputs(root: string): OutputStore & FinishedFiles {
  const outputs = createDirectoryOutputs(join(root, OUTPUTS_FOLDER), OUTPUTS_FOLDER, writeFileAtomic);
  return {
    ...outputs,
    async save(scene, name, rendering) {
      const output = await outputs.save(scene, name, rendering);
      await recordOutput(root, output.video_url, output);
      return output;
    },
  };
}
