import type { RenderService } from '../service/render-service.ts';
import { type SessionPorts, Sessions } from './sessions.ts';
import { uploadUrl } from './source-reader.ts';
import type { SourceStore } from './source-store.ts';

/**
 * The rendering service inside this process: the port that a remote one is reached by, straight to the sessions.
 * Nothing outlives it, so an idempotency key has nothing to protect.
 */
export function createEmbeddedService(ports: SessionPorts & { readonly uploads: SourceStore }): RenderService & {
  close(): Promise<void>;
} {
  const sessions = new Sessions(ports);
  return {
    name: 'embedded',
    pollIntervalMs: 100,
    async getStyleVersion(id) {
      return sessions.styleVersion(id);
    },
    createRenderSession: (request, { outputName }) => sessions.create(request, outputName),
    getRenderSession: (id) => sessions.get(id),
    async uploadSource({ bytes, sha256 }) {
      return { remote_url: uploadUrl(await ports.uploads.put(bytes, sha256)) };
    },
    close: () => sessions.close(),
  };
}
