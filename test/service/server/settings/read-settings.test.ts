import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  readSettings,
  redactSettings,
  type SettingsInput,
} from '../../../../src/service/server/settings/read-settings.ts';
import {
  SETTING_FLAGS,
  SETTING_ROWS,
  type Settings,
  WORKER_FLAGS,
} from '../../../../src/service/server/settings/settings-table.ts';
import { placed } from '../../../support/resolve.ts';

const DIRECTORY = '/repository';

interface Said {
  readonly flags?: Readonly<Record<string, string | readonly string[]>>;
  readonly env?: SettingsInput['env'];
  readonly file?: string;
}

function read({ flags = {}, env = {}, file }: Said) {
  return readSettings({
    flags: new Map(Object.entries(flags).map(([flag, value]) => [flag, typeof value === 'string' ? [value] : value])),
    env,
    file: file === undefined ? null : { name: 'reelform-server.yaml', text: file, directory: '/etc/reelform' },
    cwd: '/home/me',
    machine: { directory: DIRECTORY, capacity: 3 },
  });
}

function settings(said: Said): Settings {
  const result = read(said);
  if (!result.ok) throw new Error(JSON.stringify(result.diagnostics));
  return result.value;
}

/** Location, code and message of each mistake. */
function mistakes(said: Said): string[] {
  const result = read(said);
  const text = said.file ?? '';
  return result.ok ? [] : result.diagnostics.map((one) => `${placed(one, () => text)} ${one.message}`);
}

describe('readSettings()', () => {
  it('has a default for every setting', () => {
    expect(settings({})).toEqual({
      host: '127.0.0.1',
      port: 4400,
      dataDirectory: '/repository/.reelform/server',
      publicUrl: null,
      databaseUrl: null,
      storage: null,
      storageEndpoint: null,
      storageRegion: null,
      storagePathStyle: false,
      storageCredential: null,
      concurrency: 3,
      fetchConcurrency: 8,
      tenantFetchConcurrency: null,
      deliveryConcurrency: 4,
      encoder: 'x264',
      sandbox: 'auto',
      logLevel: 'info',
      logFormat: 'auto',
      retentionDays: null,
      segmentDays: 7,
      segmentGb: 10,
      draftDays: 30,
      downloadMinutes: 60,
      accessTokenMinutes: 60,
      rateLimit: null,
      tenantRateLimits: new Map(),
      tenantConcurrency: null,
      tenantConcurrencies: new Map(),
      maxQueued: null,
      tenantMaxQueued: new Map(),
      maxQueuedTotal: null,
      monthlySeconds: null,
      tenantMonthlySeconds: new Map(),
      maxWaiting: 16,
      shareBetweenTenants: false,
      allowSources: [],
      allowWebhooks: [],
      renderSeconds: 900,
      renderStallSeconds: 60,
      renderCpuSeconds: 3600,
      renderMemoryMb: 4096,
      startSeconds: 0,
      drainSeconds: 30,
      trustProxy: false,
      metrics: true,
      metricsPort: null,
      corsOrigins: [],
      maxConnections: 2000,
      credentials: new Map(),
      defaultUploads: new Map(),
    });
  });

  it('prefers flags to the environment and the environment to the file', () => {
    const [flags, env, file] = [{ '--port': '1' }, { REELFORM_PORT: '2' }, 'port: 3'];
    expect(settings({ flags, env, file }).port).toBe(1);
    expect(settings({ env, file }).port).toBe(2);
    expect(settings({ file }).port).toBe(3);
    expect(settings({ env: { REELFORM_PORT: ' ' }, file }).port).toBe(3);
  });

  it('reads every setting from a file', () => {
    const file = `host: "::"
port: 0
data: ./data
public_url: https://videos.example.com/base/
database_url: postgresql://me:secret@db.example.com/reelform
storage: s3://videos/reelform/
storage_endpoint: https://minio.example.com:9000/
storage_region: eu-central-1
storage_path_style: true
storage_credential: main
concurrency: 2
fetch_concurrency: 9
tenant_fetch_concurrency: 3
delivery_concurrency: 5
encoder: nvenc
sandbox: bubblewrap
log_level: debug
log_format: json
retention_days: 30
segment_days: 14
segment_gb: 50
draft_days: 7
download_minutes: 5
access_token_minutes: 30
rate_limit: 300
tenant_rate_limits: {acme: 600, other-one: 30}
tenant_concurrency: 4
tenant_concurrencies: {acme: 8}
max_queued: 1000
tenant_max_queued: {acme: 5000}
max_queued_total: 20000
monthly_seconds: 36000
tenant_monthly_seconds: {acme: 7200}
max_waiting: 4
share_between_tenants: true
allow_sources: [10.0.0.0/8, "*.internal.example.com"]
allow_webhooks: ["hooks.internal.example.com:8443"]
render_seconds: 60
render_stall_seconds: 10
render_cpu_seconds: 120
render_memory_mb: 1024
start_seconds: 60
drain_seconds: 5
trust_proxy: true
metrics: false
metrics_port: 9400
cors_origins: ["https://app.example.com", "http://localhost:5173"]
max_connections: 100
`;
    expect(file.match(/^\w+/gm)).toEqual(SETTING_ROWS.map(([, { name }]) => name));
    expect(settings({ file })).toEqual({
      host: '::',
      port: 0,
      dataDirectory: '/etc/reelform/data',
      publicUrl: 'https://videos.example.com/base',
      databaseUrl: 'postgresql://me:secret@db.example.com/reelform',
      storage: 's3://videos/reelform',
      storageEndpoint: 'https://minio.example.com:9000',
      storageRegion: 'eu-central-1',
      storagePathStyle: true,
      storageCredential: 'main',
      concurrency: 2,
      fetchConcurrency: 9,
      tenantFetchConcurrency: 3,
      deliveryConcurrency: 5,
      encoder: 'nvenc',
      sandbox: 'bubblewrap',
      logLevel: 'debug',
      logFormat: 'json',
      retentionDays: 30,
      segmentDays: 14,
      segmentGb: 50,
      draftDays: 7,
      downloadMinutes: 5,
      accessTokenMinutes: 30,
      rateLimit: 300,
      tenantRateLimits: new Map([
        ['acme', 600],
        ['other-one', 30],
      ]),
      tenantConcurrency: 4,
      tenantConcurrencies: new Map([['acme', 8]]),
      maxQueued: 1000,
      tenantMaxQueued: new Map([['acme', 5000]]),
      maxQueuedTotal: 20000,
      monthlySeconds: 36_000,
      tenantMonthlySeconds: new Map([['acme', 7200]]),
      maxWaiting: 4,
      shareBetweenTenants: true,
      allowSources: ['10.0.0.0/8', '*.internal.example.com'],
      allowWebhooks: ['hooks.internal.example.com:8443'],
      renderSeconds: 60,
      renderStallSeconds: 10,
      renderCpuSeconds: 120,
      renderMemoryMb: 1024,
      startSeconds: 60,
      drainSeconds: 5,
      trustProxy: true,
      metrics: false,
      metricsPort: 9400,
      corsOrigins: ['https://app.example.com', 'http://localhost:5173'],
      maxConnections: 100,
      credentials: new Map(),
      defaultUploads: new Map(),
    });
  });

  it('reads lists, maps and switches from flags and environment', () => {
    const env = {
      REELFORM_ALLOW_SOURCES: 'a.example.com, b.example.com:8080',
      REELFORM_TENANT_RATE_LIMITS: 'acme=600,other=30',
      REELFORM_METRICS: '0',
    };
    expect(settings({ env })).toMatchObject({
      allowSources: ['a.example.com', 'b.example.com:8080'],
      tenantRateLimits: new Map([
        ['acme', 600],
        ['other', 30],
      ]),
      metrics: false,
    });
    const flags = { '--allow-source': ['c', 'd'], '--tenant-rate-limit': ['acme=1'], '--trust-proxy': 'true' };
    expect(settings({ env, flags })).toMatchObject({
      allowSources: ['c', 'd'],
      tenantRateLimits: new Map([['acme', 1]]),
      trustProxy: true,
    });
  });

  it('accepts exact origins as browsers send them, or * alone', () => {
    const read = (...origins: string[]) => settings({ flags: { '--cors-origin': origins } }).corsOrigins;
    expect(read('https://APP.example.com:443', 'http://localhost:5173')).toEqual([
      'https://app.example.com',
      'http://localhost:5173',
    ]);
    expect(read('*')).toEqual(['*']);
    const wrong = [
      'null',
      'app.example.com',
      'https://a.example.com/',
      'https://*.example.com',
      'file:///x',
      '*,https://a.b',
    ];
    for (const written of wrong) {
      const problems = mistakes({ env: { REELFORM_CORS_ORIGINS: written } });
      expect(problems).toEqual([expect.stringContaining('REELFORM_CORS_ORIGINS must be origins such as')]);
    }
  });

  it('says how long the name of a bucket must be', () => {
    expect(mistakes({ env: { REELFORM_STORAGE: 's3://x/y' } })).toEqual([
      expect.stringMatching(/with a bucket name of at least 3 letters and digits, not "s3:\/\/x\/y"$/),
    ]);
  });

  it('resolves a relative directory against its source', () => {
    const folder = (said: Said): string => settings(said).dataDirectory;
    expect(folder({ flags: { '--data': 'x' } })).toBe('/home/me/x');
    expect(folder({ env: { REELFORM_DATA: '../x' } })).toBe('/home/x');
    expect(folder({ file: 'data: x' })).toBe('/etc/reelform/x');
    expect(folder({ file: 'data: /var/lib/reelform' })).toBe('/var/lib/reelform');
  });

  it('never reads the database URL from the command line', () => {
    expect(SETTING_FLAGS.map(({ flag }) => flag).filter((flag) => flag.includes('database'))).toEqual([]);
    expect(settings({ env: { DATABASE_URL: 'postgres://db/x' } }).databaseUrl).toBe('postgres://db/x');
  });

  it('reports all mistakes at once with their locations', () => {
    const said = {
      flags: { '--port': '70000', '--log-level': 'loud' },
      env: { REELFORM_CONCURRENCY: 'many', REELFORM_METRICS: 'maybe' },
      file: 'prot: 1\nhost: [a]\npublic_url: ftp://x\nallow_sources: [a, b/c]\ntenant_rate_limits: {acme: fast}\n',
    };
    expect(mistakes(said)).toEqual([
      'settings_invalid --port must be a whole number from 0 to 65535, not "70000"',
      'settings_invalid REELFORM_CONCURRENCY must be a whole number from 0 to 64, not "many"',
      'settings_invalid --log-level must be one of fatal, error, warn, info, debug, trace, silent, not "loud"',
      'settings_invalid REELFORM_METRICS must be true or false, not "maybe"',
      'unknown_property reelform-server.yaml:1:1 There is no setting "prot"',
      'settings_invalid reelform-server.yaml:2:7 host must be an address or a host name, written as a single value',
      'settings_invalid reelform-server.yaml:3:13 public_url must be an http(s) URL without user, query or fragment, not "ftp://x"',
      expect.stringMatching(/^settings_invalid reelform-server.yaml:4:16 The allowed host "b\/c" /),
      'settings_invalid reelform-server.yaml:5:21 tenant_rate_limits must be names with whole numbers from 1 to 1000000, not "acme=fast"',
    ]);
  });

  it('suggests the intended setting', () => {
    const result = read({ file: 'datbase_url: x' });
    expect(result).toMatchObject({ diagnostics: [{ hint: 'Did you mean database_url?' }] });
  });

  it('never reveals the URL of the database', () => {
    for (const said of [{ env: { DATABASE_URL: 'mysql://me:canary@x' } }, { file: 'database_url: canary' }]) {
      const result = read(said);
      expect(result.ok).toBe(false);
      expect(inspect(result, { depth: 9 })).not.toContain('canary');
    }
  });

  it('reads credentials and tenants’ destinations from the file only and reports all their mistakes', () => {
    const main = 'main: {kind: s3, allow: ["s3://videos/"], tenants: [acme]}';
    const file = `credentials:
  ${main}
  disk: {kind: file, allow: ["file:out/"], default: true}
default_uploads:
  acme: [{to: "s3://videos/{date}/", credential: main}]
  "*": [{to: "file:out/{title}.mp4", credential: disk}]
`;
    const { credentials, defaultUploads } = settings({ file });
    expect([...credentials.values()]).toMatchObject([
      { name: 'main', kind: 's3', allow: ['s3://videos/'], tenants: ['acme'] },
      { name: 'disk', kind: 'file', isDefault: true, directory: '/etc/reelform' },
    ]);
    expect(defaultUploads).toEqual(
      new Map([
        ['acme', [{ to: 's3://videos/{date}/', credential: 'main' }]],
        ['*', [{ to: 'file:out/{title}.mp4', credential: 'disk' }]],
      ]),
    );
    const wrong = `credentials:
  ${main}
  bad: {kind: s3}
  worse: {kind: s3, allow: ["s3://videos/"], secret_access_key: canary}
default_uploads:
  acme: [{to: "s3://elsewhere/", credential: main}, {to: "s3://videos/x", credential: mai}]
  other: [{too: x, credential: main}]
  third: {to: x}
  "*": [{to: "s3://videos/x", credential: main}, {to: "s3://videos/y", credential: bad}]
`;
    expect(mistakes({ file: wrong })).toEqual([
      expect.stringMatching(/settings_invalid reelform-server.yaml:3:\d+ .*allow/),
      expect.stringMatching(/settings_invalid reelform-server.yaml:4:\d+ secret_access_key/),
      expect.stringMatching(
        /settings_invalid reelform-server.yaml:6:15 The credential main does not allow this destination/,
      ),
      expect.stringMatching(/settings_invalid reelform-server.yaml:6:\d+ There is no credential "mai"; did you/),
      expect.stringMatching(/settings_invalid reelform-server.yaml:7:\d+ A destination needs to/),
      expect.stringMatching(/unknown_property reelform-server.yaml:7:12 A destination has no property "too"/),
      expect.stringMatching(/settings_invalid reelform-server.yaml:8:\d+ default_uploads of a tenant/),
      expect.stringMatching(
        /settings_invalid reelform-server.yaml:9:\d+ The credential main cannot be used by every tenant/,
      ),
    ]);
    expect(redactSettings('x', wrong)).not.toContain('canary');
    expect(redactSettings('x', wrong)).toContain('kind: s3');
  });

  it.each(['- a', 'a: b: c', '"x"'])('rejects a file that is not a map: %j', (file) => {
    expect(mistakes({ file })).toHaveLength(1);
  });

  it('accepts an empty file and settings without a value', () => {
    expect(settings({ file: '# nothing yet\n' })).toEqual(settings({}));
    expect(settings({ file: 'retention_days:\nrate_limit: null\n' })).toEqual(settings({}));
  });

  it('never throws, whatever the input', () => {
    const names = SETTING_ROWS.map(([, row]) => row);
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.string(), fc.string(), (row, one, two) => {
        read({ flags: { [row.flag ?? '--none']: one }, env: { [row.environment]: two }, file: `${row.name}: ${one}` });
      }),
    );
  });
});

describe('WORKER_FLAGS', () => {
  it('describe worker behaviour and leave out settings of the service', () => {
    const of = (flag: string) => WORKER_FLAGS.find((one) => one.flag === flag)?.sentence;
    expect([of('--concurrency'), of('--rate-limit')]).toEqual([
      'maximum number of concurrent renders, at least 1',
      undefined,
    ]);
    expect(SETTING_FLAGS.find(({ flag }) => flag === '--concurrency')?.sentence).toContain(
      '0 to render only on workers',
    );
  });
});

describe('redactSettings()', () => {
  const url = 'postgres://me:canary@db/x';
  it.each([
    [`port: x\ndatabase_url: ${url}\nhost: y`, `port: x\ndatabase_url: ${'*'.repeat(url.length)}\nhost: y`],
    [`{port: x, database_url: "${url}"}`, `{port: x, database_url: ${'*'.repeat(url.length + 2)}}`],
    [`database_url: [${url}]`, `database_url: ${'*'.repeat(url.length + 2)}`],
    [`database_url: "${url}`, undefined],
    ['port: x', 'port: x'],
    ['database_ulr: postgres://me:canary@db/x', 'database_ulr: postgres://*********@db/x'],
    ['credentails: {main: {secret: canary}}', 'credentails: {main: {secret: ******}}'],
    [
      'credentials: {main: {kind: s3, endpoint: "https://me:canary@host"}}',
      'credentials: {main: {kind: s3, endpoint: "https://*********@host"}}',
    ],
    ['credential: [', undefined],
  ])('shows %j without the password', (text, shown) => {
    expect(redactSettings('reelform-server.yaml', text)).toBe(shown);
  });
});
