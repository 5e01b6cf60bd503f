import { H264_ENCODERS } from '../../../engine/codec/video-encoder.ts';
import { SANDBOX_SETTINGS } from '../../sandbox/sandbox.ts';
import { DEFAULT_LIMITS } from '../../sessions/processes/process-limits.ts';
import type { DeliverySettings } from './delivery-settings.ts';
import {
  absent,
  allowedHosts,
  always,
  baseUrl,
  bucketPrefix,
  choice,
  connectionString,
  type Machine,
  NO_NUMBERS,
  numbersByTenant,
  onOff,
  origins,
  type SettingKind,
  type SettingNames,
  type SettingRow,
  text,
  wholeNumber,
} from './setting-row.ts';

/** Name of the setting whose relative paths start at its source's folder. */
export const FOLDER = 'data';

/**
 * All settings. Flags, environment variables, the file format and the documentation are derived from this table, and the names
 * from its keys, @see namesOf.
 */
const SETTINGS_TABLE = {
  host: {
    kind: text('<address>', 'an address or a host name', /^[A-Za-z0-9.:_-]+$/),
    ...always('127.0.0.1'),
    sentence: 'address to listen on; 0.0.0.0 or :: for all network interfaces',
  },
  port: {
    kind: wholeNumber(0, 65_535),
    ...always(4400),
    sentence: 'port to listen on; 0 for any free port',
    workerSentence: 'port that serves /healthz, /readyz and /metrics; 0 for any free port; none by default',
  },
  dataDirectory: {
    name: FOLDER,
    flag: '--data',
    environment: 'REELFORM_DATA',
    kind: text('<folder>', 'a folder', /^[^\0]+$/),
    defaultOn: ({ directory }) => `${directory}/.reelform/server`,
    defaultText: '`.reelform/server`',
    sentence: 'folder for the database, finished videos, templates and sources',
    workerSentence: 'folder for finished videos, templates and sources, shared with the service',
  },
  publicUrl: {
    kind: baseUrl,
    ...absent('the listening address'),
    sentence: 'URL under which clients reach the service, if it differs from the listening address',
    workerSentence: 'URL under which clients reach the service, if it differs from the URL that the service has stored',
  },
  databaseUrl: {
    flag: null,
    environment: 'DATABASE_URL',
    kind: connectionString,
    ...absent('a database in the data folder'),
    sentence: 'PostgreSQL database for everything except files',
  },
  storage: {
    kind: bucketPrefix,
    ...absent('the data folder'),
    sentence: 'bucket for finished videos, templates and source uploads: s3://bucket/prefix or gs://bucket/prefix',
  },
  storageEndpoint: {
    kind: baseUrl,
    ...absent('Amazon S3 or Google Cloud Storage'),
    sentence: 'URL of an S3-compatible service, if the bucket is not on Amazon S3',
  },
  storageRegion: {
    kind: text('<region>', 'a region such as eu-central-1, or auto', /^[a-z0-9-]{1,64}$/),
    ...absent('from the environment'),
    sentence: 'region of the bucket',
  },
  storagePathStyle: {
    kind: onOff,
    ...always(false),
    sentence: 'put the bucket name in the URL path instead of the host name',
  },
  storageCredential: {
    kind: text('<name>', 'the name of a credential', /^[A-Za-z0-9][\w.-]{0,63}$/),
    ...absent('the default chain of the AWS SDK'),
    sentence: 'credential with the access keys of the bucket',
  },
  concurrency: {
    kind: wholeNumber(0, 64),
    defaultOn: ({ capacity }) => capacity,
    defaultText: 'one per core and GB of memory',
    sentence: 'maximum number of concurrent renders; 0 to render only on workers',
    workerSentence: 'maximum number of concurrent renders, at least 1',
  },
  fetchConcurrency: {
    kind: wholeNumber(2, 256),
    ...always(8),
    sentence:
      'sessions whose sources are fetched concurrently, in addition to renders; a tenant uses at most as many slots as remain free',
  },
  tenantFetchConcurrency: {
    kind: wholeNumber(1, 256),
    ...absent('none'),
    sentence: 'sessions of one tenant whose sources are fetched concurrently',
  },
  deliveryConcurrency: {
    kind: wholeNumber(1, 64),
    ...always(4),
    sentence: 'concurrent deliveries per rendering process; a tenant uses at most as many slots as remain free',
    workerSentence: 'concurrent deliveries; a tenant uses at most as many slots as remain free',
  },
  encoder: {
    kind: choice('<name>', H264_ENCODERS),
    ...always('x264'),
    sentence: 'H.264 encoder; videotoolbox and nvenc use hardware, and their output is not reproducible',
  },
  sandbox: {
    kind: choice('<name>', SANDBOX_SETTINGS),
    ...always('auto'),
    sentence:
      'sandbox for processes that read untrusted files: landlock, bubblewrap, auto (first available), required (auto, but fail to start without a sandbox) or none',
  },
  logLevel: {
    kind: choice('<level>', ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
    ...always('info'),
    sentence: 'minimum level of log messages: fatal, error, warn, info, debug, trace or silent',
  },
  logFormat: {
    kind: choice('<format>', ['auto', 'json', 'pretty']),
    ...always('auto'),
    sentence: 'json, pretty, or auto (pretty on a terminal, otherwise json)',
  },
  retentionDays: {
    kind: wholeNumber(1, 36_500),
    ...absent('none'),
    sentence: 'days after which a finished session and its files are removed',
  },
  segmentDays: {
    kind: wholeNumber(0, 36_500),
    ...always(7),
    sentence:
      'days that finished segments are kept after their last use, at most retention_days, so that an edited video renders only what changed; 0 to keep none',
  },
  segmentGb: {
    kind: wholeNumber(1, 1_000_000),
    ...always(10),
    sentence: 'maximum size of the kept segments of all tenants, in GB; the least recently used ones are removed',
  },
  draftDays: {
    kind: wholeNumber(1, 36_500),
    ...always(30),
    sentence: 'days after which an unused draft fails with draft_expired',
  },
  downloadMinutes: {
    kind: wholeNumber(1, 525_600),
    ...always(60),
    sentence: 'minutes for which a download_url is valid at least; at most twice as long, so that it rarely changes',
  },
  accessTokenMinutes: {
    kind: wholeNumber(1, 525_600),
    ...always(60),
    sentence: 'minutes for which an access token from /oauth/token is valid',
  },
  rateLimit: {
    kind: wholeNumber(1, 1_000_000),
    ...absent('none'),
    sentence: 'requests per tenant in 60 seconds',
  },
  tenantRateLimits: {
    flag: '--tenant-rate-limit',
    kind: numbersByTenant(1_000_000),
    ...NO_NUMBERS,
    sentence: 'the same for one tenant; repeatable',
  },
  tenantConcurrency: {
    kind: wholeNumber(1, 100_000),
    ...absent('none'),
    sentence: 'concurrent renders per tenant on all workers together',
  },
  tenantConcurrencies: {
    kind: numbersByTenant(100_000),
    ...NO_NUMBERS,
    sentence: 'the same for one tenant; repeatable',
  },
  maxQueued: {
    kind: wholeNumber(1, 10_000_000),
    ...absent('none'),
    sentence: 'waiting and running sessions per tenant; further requests return 429',
  },
  tenantMaxQueued: {
    kind: numbersByTenant(10_000_000),
    ...NO_NUMBERS,
    sentence: 'the same for one tenant; repeatable',
  },
  maxQueuedTotal: {
    kind: wholeNumber(1, 10_000_000),
    ...absent('none'),
    sentence: 'approximate number of waiting renders of all tenants; further requests return 503',
  },
  monthlySeconds: {
    kind: wholeNumber(1, 1_000_000_000),
    ...absent('none'),
    sentence: 'seconds of video that a tenant may render in a calendar month (UTC); further requests return 403',
  },
  tenantMonthlySeconds: {
    kind: numbersByTenant(1_000_000_000),
    ...NO_NUMBERS,
    sentence: 'the same for one tenant; repeatable',
  },
  maxWaiting: {
    kind: wholeNumber(1, 100_000),
    ...always(16),
    sentence: 'waiting template uploads, source uploads and dry runs per tenant, each; further requests return 429',
  },
  shareBetweenTenants: {
    kind: onOff,
    ...always(false),
    sentence:
      'render identical videos once for all tenants; response times then reveal whether another tenant rendered the video',
  },
  allowSources: {
    flag: '--allow-source',
    kind: allowedHosts,
    defaultOn: () => [],
    defaultText: 'only public hosts',
    sentence: 'non-public host, host:port, *.domain or address range that sources may be fetched from; repeatable',
  },
  allowWebhooks: {
    flag: '--allow-webhook',
    kind: allowedHosts,
    defaultOn: () => [],
    defaultText: 'only public hosts, with https',
    sentence:
      'host, host:port, *.domain or address range that webhooks may be sent to although it is not public or uses http; repeatable',
  },
  renderSeconds: {
    kind: wholeNumber(1, 86_400),
    ...always(DEFAULT_LIMITS.totalMs / 1000),
    sentence: 'time limit of a render, in seconds',
  },
  renderStallSeconds: {
    kind: wholeNumber(1, 86_400),
    ...always(DEFAULT_LIMITS.stallMs / 1000),
    sentence: 'time limit of a single frame, in seconds',
  },
  renderCpuSeconds: {
    kind: wholeNumber(1, 864_000),
    ...always(DEFAULT_LIMITS.cpuMs / 1000),
    sentence: 'limit of the CPU time of a render on all cores together, in seconds',
  },
  renderMemoryMb: {
    kind: wholeNumber(256, 1_048_576),
    ...always(DEFAULT_LIMITS.memoryBytes / 2 ** 20),
    sentence: 'memory limit of a render process, in MB',
  },
  startSeconds: {
    kind: wholeNumber(0, 86_400),
    ...always(0),
    sentence: 'seconds to wait at startup for the database and the storage',
  },
  drainSeconds: {
    kind: wholeNumber(1, 86_400),
    ...always(30),
    sentence: 'seconds that running renders may continue after the first stop signal',
  },
  trustProxy: {
    kind: onOff,
    ...always(false),
    sentence: 'trust X-Forwarded-* headers; only behind a proxy that sets them',
  },
  metrics: {
    flag: '--no-metrics',
    kind: onOff,
    ...always(true),
    sentence: 'serve /metrics',
    flagSentence: 'do not serve /metrics',
  },
  metricsPort: {
    kind: wholeNumber(0, 65_535),
    ...absent('the port of the service'),
    sentence: 'separate port for /metrics, which the main port then does not serve; 0 for any free port',
  },
  corsOrigins: {
    flag: '--cors-origin',
    kind: origins,
    defaultOn: () => [],
    defaultText: 'none',
    sentence: 'origin whose web pages may call the service from a browser, or * for all; repeatable',
  },
  maxConnections: {
    kind: wholeNumber(1, 1_000_000),
    ...always(2000),
    sentence: 'maximum number of connections',
  },
} as const satisfies Record<string, Omit<SettingRow, keyof SettingNames> & Partial<SettingNames>>;

/**
 * Values of all settings, defaults included. Null means that an optional setting is absent. The last two exist only in the
 * settings file.
 */
export type Settings = {
  readonly [K in keyof typeof SETTINGS_TABLE]: SettingValue<(typeof SETTINGS_TABLE)[K]>;
} & Pick<DeliverySettings, 'credentials' | 'defaultUploads'>;

type SettingValue<Row> = Row extends {
  readonly kind: SettingKind<infer Value>;
  defaultOn(machine: Machine): infer Default;
}
  ? Value | Extract<Default, null>
  : never;

/** All rows in the order of the documentation. */
export const SETTING_ROWS = Object.entries(SETTINGS_TABLE).map(([key, row]) => [key, { ...namesOf(key), ...row }]) as [
  keyof typeof SETTINGS_TABLE,
  SettingRow,
][];

/** Returns the names of `rateLimit`: `rate_limit`, `--rate-limit` and `REELFORM_RATE_LIMIT`. */
function namesOf(key: string): SettingNames {
  const name = key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return { name, flag: `--${name.replaceAll('_', '-')}`, environment: `REELFORM_${name.toUpperCase()}` };
}

/** A setting as a command-line flag. */
export interface SettingFlag {
  /** `--port`; `--no-metrics` for a switch that is on by default. */
  readonly flag: string;
  /** Null for a switch. */
  readonly placeholder: string | null;
  readonly sentence: string;
}

/** Settings that a process without clients does not use. */
const SERVED: readonly (keyof typeof SETTINGS_TABLE)[] = [
  'downloadMinutes',
  'accessTokenMinutes',
  'rateLimit',
  'tenantRateLimits',
  'maxQueued',
  'tenantMaxQueued',
  'maxQueuedTotal',
  'monthlySeconds',
  'tenantMonthlySeconds',
  'trustProxy',
  'maxConnections',
  'metricsPort',
  'corsOrigins',
];

/** Flags of `reelform serve` in the order of the documentation. */
export const SETTING_FLAGS: readonly SettingFlag[] = flagsOf(SETTING_ROWS, false);

/** Flags of `reelform worker`. */
export const WORKER_FLAGS: readonly SettingFlag[] = flagsOf(
  SETTING_ROWS.filter(([key]) => !SERVED.includes(key)),
  true,
);

function flagsOf(rows: typeof SETTING_ROWS, isWorker: boolean): SettingFlag[] {
  return rows.flatMap(([, { flag, kind, sentence, flagSentence = sentence, workerSentence = flagSentence }]) =>
    flag === null ? [] : [{ flag, placeholder: kind.placeholder, sentence: isWorker ? workerSentence : flagSentence }],
  );
}
