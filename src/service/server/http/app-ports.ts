import type { Readable } from 'node:stream';
import type { FastifyBaseLogger } from 'fastify';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { Sessions } from '../../sessions/sessions.ts';
import type { OutputKey } from '../ports.ts';
import type { Settings } from '../settings/settings-table.ts';
import type { TokenStore } from '../store/token-table.ts';
import type { Usage } from '../store/usage-table.ts';
import type { ServiceMetrics } from '../telemetry/metrics.ts';
import type { SourceUploads } from '../templates/source-uploads.ts';
import type { StyleVersions } from '../templates/style-versions.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';
import type { HttpLimits } from './http-limits.ts';

/** A finished file that clients can download. */
export interface ServedFile {
  /** Size in bytes. */
  readonly size: number;
  /** MIME type, set by the service. */
  readonly contentType: string;
  /** Digest of the content: letters, digits, `-` and `_`. */
  readonly etag: string;
  readonly fileName: string;
  /** @param range bytes, half-open */
  stream(range?: { readonly start: number; readonly end: number }): Readable;
}

export interface ServedFiles {
  find(place: OutputKey, file: string): Promise<ServedFile | null>;
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

/** The public members of a class. */
type Port<Class> = Pick<Class, keyof Class>;

/** Everything that the HTTP layer needs. */
export interface AppPorts {
  readonly sessions: Port<Sessions>;
  readonly styleVersions: Pick<StyleVersions, 'list' | 'upload' | 'details' | 'stillcut'>;
  readonly uploads: SourceUploads;
  readonly outputs: ServedFiles;
  readonly webhooks: Port<Webhooks>;
  readonly tokens: Pick<TokenStore, 'authenticate' | 'issue'>;
  readonly usage: Pick<Usage, 'read'>;
  /** Refuses requests that create something. @throws ServiceError 503 while the service stops or its disk is full */
  requireWritable(): Promise<void>;
  readiness(): Promise<Readiness>;
  readonly settings: Settings;
  readonly logger: FastifyBaseLogger;
  /** Milliseconds since the epoch. */
  now(): number;
  readonly metrics: ServiceMetrics;
  /** Overrides for tests. */
  readonly limits?: Partial<HttpLimits>;
}
