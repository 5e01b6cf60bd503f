import type { RenderService } from '../service/render-service.ts';
import type { CreateRenderSession } from '../wire/render-session.ts';
import { createMemoryStore } from './memory-store.ts';
import type { OutputStore, Renderer, SessionEnvironment, SourceReader, TemplateRegistry, TenantId } from './ports.ts';
import { RenderPace } from './render-pace.ts';
import { SessionRunner } from './session-runner.ts';
import { Sessions } from './sessions.ts';
import { uploadUrl } from './sources/source-reader.ts';
import type { SourceStore } from './sources/source-store.ts';

export interface EmbeddedServicePorts {
  readonly templates: TemplateRegistry;
  readonly sources: SourceReader;
  readonly renderer: Renderer;
  readonly outputs: OutputStore;
  readonly environment: SessionEnvironment;
  readonly uploads: SourceStore;
}

/** Whoever runs the command: there is nobody else. */
const SELF = 'embedded' as TenantId;

/**
 * The rendering service inside this process: the port that a remote one is reached by, straight to the sessions, which
 * are those of `reelform serve` without HTTP, database and queue. Nothing outlives it, so an idempotency key has nothing
 * to protect.
 */
export function createEmbeddedService(ports: EmbeddedServicePorts): RenderService & { close(): Promise<void> } {
  const stopped = new AbortController();
  const atWork = new Set<Promise<void>>();
  const shared = { ...ports, pace: new RenderPace(), retentionMs: null };
  const store = createMemoryStore((id) => {
    const work = runner.run(id, stopped.signal).catch((error: unknown) => runner.fail(id, closed(error)));
    atWork.add(work);
    void work.finally(() => atWork.delete(work));
  });
  const runner = new SessionRunner({ ...shared, store, progressIntervalMs: 0 });
  const sessions = new Sessions({ ...shared, store, stop: (id) => runner.stop(id) });
  return {
    name: 'embedded',
    minPollMs: 50,
    outlivesProcess: false,
    keyLifetimeMs: () => null,
    getStyleVersion: (id) => sessions.styleVersion(SELF, id),
    async createRenderSession(body, { outputName }) {
      const request = JSON.parse(body) as CreateRenderSession;
      return (await sessions.create(SELF, request, { outputName })).session;
    },
    getRenderSession: async (id) => ({ session: await sessions.get(SELF, id), retryAfterMs: null }),
    async uploadSource({ bytes, sha256 }) {
      return { remote_url: uploadUrl(await ports.uploads.put(bytes, sha256)) };
    },
    /** Stops what is being rendered and waits for it to be recorded as failed. */
    async close() {
      stopped.abort();
      await Promise.all(atWork);
    },
  };
}

function closed(error: unknown): Parameters<SessionRunner['fail']>[1] {
  const detail = error instanceof Error ? error.message : String(error);
  return { code: 'canceled', title: 'The service was closed', detail, severity: 'error', retryable: true };
}
