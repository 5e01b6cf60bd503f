import type { RemoteRenderService } from '../../contract/render-service.ts';
import type { ServiceFeatures } from '../../contract/wire/features.ts';
import { type ConnectionOptions, ServiceConnection } from './connection.ts';
import { deliverSession } from './deliver-session.ts';
import { accountDigest } from './exchange.ts';
import { getFeatures } from './get-features.ts';
import { SessionCreator } from './session-creator.ts';
import { listSessions, readSession } from './session-reader.ts';
import { type PublishSource, SourceUploader } from './source-uploader.ts';
import { findStyleVersion, getStyleVersion, specsPath, uploadStyleVersion } from './style-version-calls.ts';
import type { StyleVersionPusher } from './style-version-pusher.ts';

export interface HttpServiceOptions extends ConnectionOptions {
  /** Key lifetime observed in earlier runs. */
  readonly keyLifetimeMs?: number | null;
  /** Configured capabilities; override what the service reports. */
  readonly capabilities?: RemoteCapabilities;
  /** Publishes a file at a URL if the service does not accept uploads. */
  readonly publish?: PublishSource | undefined;
}

/** Optional features of a service; detected if absent. */
interface RemoteCapabilities {
  /** 0 if it keeps none. */
  readonly keyLifetimeMs?: number;
  readonly list?: boolean;
  readonly externalUploads?: boolean;
}

/**
 * Connects to a rendering service at a URL. Requires only the three calls of the interface document; other features are
 * used if the service has them. Reads are repeated when the service is busy or silent. A session is posted once, unless
 * the service keeps idempotency keys or certainly did nothing.
 *
 * Methods throw ServiceError for rejections, and ReelformError `service_unreachable`, `service_unauthorized` and
 * `service_answer_invalid`, none of which contains the token.
 */
export function createHttpService(options: HttpServiceOptions): RemoteRenderService & StyleVersionPusher {
  const { url, token, publish, capabilities = {} } = options;
  const connection = new ServiceConnection(options);
  const uploader = new SourceUploader(connection, publish);
  const creator = new SessionCreator(connection, {
    configuredMs: capabilities.keyLifetimeMs,
    observedMs: options.keyLifetimeMs ?? null,
  });
  let timeRequest: Promise<unknown> | null = null;
  let featureRequest: Promise<ServiceFeatures> | null = null;
  return {
    name: new URL(url).origin,
    outlivesProcess: true,
    accountDigest: (idempotencyKey) => accountDigest(token, idempotencyKey),
    async serviceTime(styleVersion) {
      const { clock } = connection;
      // An answer with any status has a Date.
      if (clock.time() === null) {
        timeRequest ??= connection.sendOnce({ method: 'GET', path: specsPath(styleVersion) });
        await timeRequest;
      }
      return clock.time();
    },

    features() {
      featureRequest ??= getFeatures(connection);
      return featureRequest;
    },

    keyLifetimeMs: () => creator.keyLifetimeMs(),
    createRenderSession: (body, request) => creator.create(body, request),
    getRenderSession: (id) => readSession(connection, id),
    ...(capabilities.list === false ? {} : { listRenderSessions: (count: number) => listSessions(connection, count) }),
    ...(capabilities.externalUploads === false
      ? {}
      : { deliverVideo: ({ id }, uploads) => deliverSession(connection, id, uploads) }),

    uploadSource: (source) => uploader.upload(source),

    getStyleVersion: (id) => getStyleVersion(connection, id),
    findStyleVersion: (id) => findStyleVersion(connection, id),
    uploadStyleVersion: (zip) => uploadStyleVersion(connection, zip),
  };
}
