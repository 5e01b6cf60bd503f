import type { Sha256 } from '../../digest.ts';
import { SessionFailure, type SourceReader, type TenantId } from '../ports.ts';
import { checkSource, type InspectSource } from './check-source.ts';
import { fetchFailure } from './fetch-failure.ts';
import type { SourceCache } from './source-cache.ts';
import { SOURCE_LIMITS } from './source-limits.ts';
import type { UploadStore } from './source-store.ts';

const UPLOAD = /^urn:sha256:([0-9a-f]{64})$/;

/** The `remote_url` of uploaded bytes. */
export function uploadUrl(digest: Sha256): string {
  return `urn:sha256:${digest}`;
}

export interface SourceReaderPorts {
  readonly uploads: UploadStore;
  readonly cache: SourceCache;
  readonly inspect: InspectSource;
  /** Whether the tenant uploaded these bytes: to know a digest is not to have them. */
  readonly mayRead: (tenant: TenantId, digest: Sha256) => Promise<boolean>;
  /** Tenants of one scope share what was fetched; absent: all tenants share it. */
  readonly scopeOf?: ((tenant: TenantId) => string) | undefined;
}

/** Reads uploads from the store and http(s) URLs through the cache; what comes back is safe to decode. */
export function createSourceReader({
  uploads,
  cache,
  inspect,
  mayRead,
  scopeOf = () => '',
}: SourceReaderPorts): SourceReader {
  return {
    async read(tenant, { remoteUrl, kind }, signal) {
      const digest = UPLOAD.exec(remoteUrl)?.[1] as Sha256 | undefined;
      if (digest !== undefined) {
        const bytes = (await mayRead(tenant, digest)) ? await uploads.get(digest, scopeOf(tenant)) : null;
        if (bytes !== null) return checkSource(bytes, kind, { inspect, owner: tenant, signal, digest });
        throw new SessionFailure({
          code: 'asset_unreachable',
          title: 'Asset could not be fetched',
          detail: `There is no upload ${digest}`,
        });
      }
      if (!/^https?:/i.test(remoteUrl.trimStart())) {
        throw fetchFailure('asset_forbidden_host', remoteUrl, 'is neither http nor https');
      }
      const { bytes, sha256 } = await cache.read(
        { url: remoteUrl, scope: scopeOf(tenant) },
        signal,
        SOURCE_LIMITS[kind],
      );
      return checkSource(bytes, kind, { inspect, owner: tenant, signal, digest: sha256 });
    },
  };
}
