import type { Readable } from 'node:stream';
import type { FastifyBaseLogger } from 'fastify';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { TenantId } from '../../session/ports.ts';
import type { Sessions } from '../../session/sessions.ts';
import type { SourceUploadAnswer } from '../../wire/mapping.ts';
import type { StyleVersionDetails } from '../../wire/style-version.ts';
import type { OutputKey, TokenStore } from '../ports.ts';
import type { Settings } from '../settings/settings.ts';
import type { ServiceMetrics } from '../telemetry/metrics.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';
import type { HttpLimits } from './http-limits.ts';

/** The templates of a tenant, as clients see them. `stillcuts` of the details are filled in. */
export interface StyleVersions {
  /** Newest first. */
  list(tenant: TenantId): Promise<StyleVersionDetails[]>;
  /** @throws ServiceError 422 `template_invalid` with all that is wrong with the package */
  upload(
    tenant: TenantId,
    zip: Uint8Array,
  ): Promise<{ readonly details: StyleVersionDetails; readonly isNew: boolean }>;
  details(tenant: TenantId, id: string): Promise<StyleVersionDetails | null>;
  /** PNG. */
  stillcut(tenant: TenantId, id: string, name: string): Promise<Uint8Array | null>;
}

export interface SourceUploads {
  /** @throws ServiceError 422 `source_invalid` */
  put(tenant: TenantId, bytes: Uint8Array): Promise<{ readonly upload: SourceUploadAnswer; readonly isNew: boolean }>;
}

/** A finished file behind an unguessable name. */
export interface OutputFile {
  /** Bytes. */
  readonly size: number;
  /** MIME type, decided by us. */
  readonly contentType: string;
  /** A digest of the content: letters, digits, `-` and `_`. */
  readonly etag: string;
  /** What a browser saves it as. */
  readonly fileName: string;
  /** @param range bytes, half-open */
  stream(range?: { readonly start: number; readonly end: number }): Readable;
}

export interface OutputFiles {
  find(place: OutputKey, file: string): Promise<OutputFile | null>;
  /** @param expiresAt milliseconds since the epoch, whole seconds @returns letters, digits, `-` and `_` */
  signDownload(sessionId: string, expiresAt: number): string;
  /** Whether the signature is ours; that it has not expired is looked at apart. */
  verifyDownload(sessionId: string, expiresAt: number, signature: string): boolean;
}

/** Whether the service can do its work, and what that is known from. */
export interface Readiness {
  readonly ready: boolean;
  /** Name of a part → whether it works. */
  readonly checks: Readonly<Record<string, boolean>>;
  /** Around the processes that read untrusted files. */
  readonly sandbox: Sandbox['kind'];
}

/** All that the HTTP side is handed. */
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
  /** See `createLogger`. */
  readonly logger: FastifyBaseLogger;
  /** Milliseconds since the epoch. */
  now(): number;
  readonly metrics: ServiceMetrics;
  /** For tests; what is missing is as usual. */
  readonly limits?: Partial<HttpLimits>;
}
