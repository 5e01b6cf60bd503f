import type { Credential } from '../../delivery/credential.ts';
import type { EncoderChoice } from '../../engine/codec/video-encoder.ts';
import type { SandboxSetting } from '../../sandbox/sandbox.ts';
import type { ExternalUploadRequest } from '../../wire/render-session.ts';

/** Everything that can be said about a running service, with its defaults filled in. Numbers are positive. */
export interface Settings {
  /** Address to listen on. */
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** Folder of the database, outputs, packages and sources; absolute. */
  readonly dataDirectory: string;
  /** The URL under which clients reach the service, without a slash at its end; null: where it listens. */
  readonly publicUrl: string | null;
  /** A PostgreSQL connection string; null: a database in the data folder. */
  readonly databaseUrl: string | null;
  /** `s3://bucket/prefix` or `gs://bucket/prefix`; null: the data folder. */
  readonly storage: string | null;
  /** Null: Amazon's, or Google's. */
  readonly storageEndpoint: string | null;
  readonly storageRegion: string | null;
  /** Whether the bucket stands in the path of URLs. */
  readonly storagePathStyle: boolean;
  /** The name of the credential that has its keys; null: whatever the AWS SDK finds. */
  readonly storageCredential: string | null;
  /** Renders at once; 0: none here. */
  readonly concurrency: number;
  /** Sessions whose sources are fetched at once, beside those that are rendered, in each lane of a process. */
  readonly fetchConcurrency: number;
  /** Those of one tenant; null: as many as are free beside them. */
  readonly tenantFetchConcurrency: number | null;
  /** Deliveries at once, of a process that renders; of one tenant as many as are free beside them. */
  readonly deliveryConcurrency: number;
  /** Of H.264. */
  readonly encoder: EncoderChoice['h264'];
  readonly logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';
  /** Around the processes that read what clients send. */
  readonly sandbox: SandboxSetting;
  /** Days after which a finished session and its files are removed; null: never. */
  readonly retentionDays: number | null;
  /** Days after which a draft that nobody changed ends. */
  readonly draftDays: number;
  /** How long a `download_url` works. */
  readonly downloadMinutes: number;
  /** How long an access token of `POST /oauth/token` works. */
  readonly accessTokenMinutes: number;
  /** Requests of one tenant in 60 s; null: no limit. */
  readonly rateLimit: number | null;
  /** The same for single tenants. */
  readonly tenantRateLimits: ReadonlyMap<string, number>;
  /** Videos of one tenant that are rendered at once, by all workers together; null: as many as there are places. */
  readonly tenantConcurrency: number | null;
  /** The same for single tenants. */
  readonly tenantConcurrencies: ReadonlyMap<string, number>;
  /** Sessions of one tenant that may wait or be at work; null: any number. */
  readonly maxQueued: number | null;
  /** The same for single tenants. */
  readonly tenantMaxQueued: ReadonlyMap<string, number>;
  /** Renders of all tenants that may wait; null: any number. */
  readonly maxQueuedTotal: number | null;
  /** Uploads of one kind, or dry runs, of one tenant that may wait for their turn in a process. */
  readonly maxWaiting: number;
  /** Whether tenants share renderings, fetched sources and packages in memory, and can tell by time what others have used. */
  readonly shareBetweenTenants: boolean;
  /** Hosts, host:port, *.domain and CIDR ranges that sources may come from although they are not public. */
  readonly allowSources: readonly string[];
  /** The same of what webhooks may be sent to, also without TLS. */
  readonly allowWebhooks: readonly string[];
  /** Of one render: in all, without a finished frame, on all cores together. */
  readonly renderSeconds: number;
  readonly renderStallSeconds: number;
  readonly renderCpuSeconds: number;
  /** Resident memory of one render process. */
  readonly renderMemoryMb: number;
  /** For how long a database or a storage that does not answer is waited for at the start; 0: not at all. */
  readonly startSeconds: number;
  /** How long renders at work may go on after the first signal to stop. */
  readonly drainSeconds: number;
  /** Whether X-Forwarded-* of a proxy are believed. */
  readonly trustProxy: boolean;
  /** Whether `/metrics` is served. */
  readonly metrics: boolean;
  /** Port of `/metrics`, which the main port then does not serve; 0: any free one; null: the main port. */
  readonly metricsPort: number | null;
  /** Origins whose pages may call the service from a browser; `*` alone for all; empty for none. */
  readonly corsOrigins: readonly string[];
  /** Sockets at once. */
  readonly maxConnections: number;
  /** The right to deliver finished files, by name; without its secrets. */
  readonly credentials: ReadonlyMap<string, Credential>;
  /** Where a tenant's finished files go without being asked; `*` for those of all tenants. */
  readonly defaultUploads: ReadonlyMap<string, readonly ExternalUploadRequest[]>;
}
