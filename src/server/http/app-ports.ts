import type { Readable } from 'node:stream';
import type { FastifyBaseLogger } from 'fastify';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { TenantId } from '../../session/ports.ts';
import type { Sessions } from '../../session/sessions.ts';
import type { SourceUploadAnswer } from '../../wire/mapping.ts';
import type { StyleVersionDetails } from '../../wire/style-version.ts';
import type { OutputKey, TokenStore } from '../ports.ts';
import type { Settings } from '../settings/settings-table.ts';
import type { ServiceMetrics } from '../telemetry/metrics.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';
import type { HttpLimits } from './http-limits.ts';

/** Templates of a tenant as clients see them, with the URLs of their `stillcuts`. */
export interface StyleVersions {
  /** Newest first. */
  list(tenant: TenantId): Promise<StyleVersionDetails[]>;
  /** @throws ServiceError 422 `template_invalid` with all problems of the package */
  upload(
    tenant: TenantId,
    zip: Uint8Array,
  ): Promise<{ readonly details: StyleVersionDetails; readonly isNew: boolean }>;
  details(tenant: TenantId, id: string): Promise<StyleVersionDetails | null>;
  /** Returns a PNG. */
  stillcut(tenant: TenantId, id: string, name: string): Promise<Uint8Array | null>;
}

export interface SourceUploads {
  /** @throws ServiceError 422 `source_invalid` */
  put(tenant: TenantId, bytes: Uint8Array): Promise<{ readonly upload: SourceUploadAnswer; readonly isNew: boolean }>;
}

/** A finished file that clients can download. */
export interface OutputFile {
  /** Size in bytes. */
  readonly size: number;
  /** MIME type, set by the service. */
  readonly contentType: string;
  /** Digest of the content: letters, digits, `-` and `_`. */
  readonly etag: string;
  /** File name for downloads. */
  readonly fileName: string;
  /** @param range bytes, half-open */
  stream(range?: { readonly start: number; readonly end: number }): Readable;
}

export interface OutputFiles {
  find(place: OutputKey, file: string): Promise<OutputFile | null>;
  /** @param expiresAt milliseconds since the epoch, whole seconds @returns letters, digits, `-` and `_` */
  signDownload(sessionId: string, expiresAt: number): string;
  /** Checks a signature. Does not check whether it has expired. */
  verifyDownload(sessionId: string, expiresAt: number, signature: string): boolean;
}

/** Whether the service can process requests, with the result of each check. */
export interface Readiness {
  readonly ready: boolean;
  /** Name of a component → whether it works. */
  readonly checks: Readonly<Record<string, boolean>>;
  /** Sandbox around the processes that read untrusted files. */
  readonly sandbox: Sandbox['kind'];
}

/** Everything that the HTTP layer needs. */
export interface AppPorts {
  readonly sessions: Pick<
    Sessions,
    | 'styleVersion'
    | 'create'
    | 'dryRun'
    | 'get'
    | 'list'
    | 'changeMapping'
    | 'start'
    | 'cancel'
    | 'addUploads'
    | 'remove'
  >;
  readonly styleVersions: StyleVersions;
  readonly uploads: SourceUploads;
  readonly outputs: OutputFiles;
  readonly webhooks: Pick<
    Webhooks,
    'list' | 'get' | 'create' | 'change' | 'remove' | 'rotate' | 'deliveries' | 'redeliver' | 'test'
  >;
  readonly tokens: Pick<TokenStore, 'authenticate' | 'issue'>;
  readiness(): Promise<Readiness>;
  readonly settings: Settings;
  readonly logger: FastifyBaseLogger;
  /** Milliseconds since the epoch. */
  now(): number;
  readonly metrics: ServiceMetrics;
  /** Overrides for tests. */
  readonly limits?: Partial<HttpLimits>;
}
