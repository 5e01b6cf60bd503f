import { createHash, createHmac, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../../src/contract/service-error.ts';
import type { StyleVersionDetails } from '../../src/contract/wire/style-version.ts';
import { defined } from '../../src/kernel/defined.ts';
import { sha256 } from '../../src/kernel/digest.ts';
import { buildApp } from '../../src/service/server/http/app.ts';
import type { AppPorts, ServedFile, ServedFiles } from '../../src/service/server/http/app-ports.ts';
import { createLogger } from '../../src/service/server/log.ts';
import { type Principal, SCOPES, type Scope } from '../../src/service/server/ports.ts';
import type { Settings } from '../../src/service/server/settings/settings-table.ts';
import { createMetrics } from '../../src/service/server/telemetry/metrics.ts';
import type { OutputStore, Renderer, SessionStore, TenantId } from '../../src/service/sessions/ports.ts';
import { RenderTimeEstimate } from '../../src/service/sessions/render-time.ts';
import { SessionRunner } from '../../src/service/sessions/session-runner.ts';
import { Sessions } from '../../src/service/sessions/sessions.ts';
import { createSourceStore } from '../../src/service/sessions/sources/source-store.ts';
import { type Api, openApi } from './api.ts';
import { testDestinations } from './destinations.ts';
import { createMemoryWebhooks } from './memory-webhooks.ts';
import { solidPng } from './small-package.ts';
import {
  ACME,
  boundHere,
  createClaimingStore,
  exampleSources,
  instantRenderer,
  SMALL,
  smallTemplates,
} from './small-sessions.ts';
import { TEST_SETTINGS } from './test-settings.ts';

export const OTHER = 'other' as TenantId;

/** Tokens of the test service by their scopes. */
export const TOKENS = {
  acme: 'rf_acme-token-that-may-do-everything',
  other: 'rf_other-token-of-another-tenant',
  reader: 'rf_reader-token-that-reads-sessions',
  nothing: 'rf_nothing-token-that-may-do-nothing',
} as const;

const PRINCIPALS: Readonly<Record<string, Principal>> = {
  [TOKENS.acme]: principal('tok_acme', ACME, SCOPES),
  [TOKENS.other]: principal('tok_other', OTHER, SCOPES),
  [TOKENS.reader]: principal('tok_reader', ACME, ['render_session:read']),
  [TOKENS.nothing]: principal('tok_nothing', ACME, []),
};

/** Tokens of `PRINCIPALS` and tokens issued for them. */
function createTokens(): AppPorts['tokens'] {
  const issued = new Map<string, Principal>();
  return {
    authenticate: async (text) => PRINCIPALS[text] ?? issued.get(text) ?? null,
    async issue({ clientId, scopes, expiresAt, sessionId }) {
      const client = Object.values(PRINCIPALS).find(({ tokenId }) => tokenId === clientId)!;
      const text = `rf_${randomBytes(32).toString('base64url')}`;
      issued.set(text, { ...principal(`tok_${issued.size}`, client.tenant, scopes), clientId, sessionId });
      return { text, expiresAt };
    },
  };
}

function principal(tokenId: string, tenant: TenantId, scopes: readonly Scope[]): Principal {
  return { tokenId, clientId: tokenId, sessionId: null, tenant, scopes: new Set(scopes) };
}

export interface TestApp {
  readonly app: FastifyInstance;
  readonly url: string;
  /** API client with the token that has every scope. */
  readonly api: Api;
  as(token: string | null): Api;
  /** Log lines as JSON. */
  readonly log: string[];
  readonly metrics: AppPorts['metrics'];
  /** Where source uploads are stored. */
  readonly uploadFolder: string;
  close(): Promise<void>;
}

export interface TestAppOptions {
  readonly renderer?: Renderer;
  readonly settings?: Partial<Settings>;
  readonly limits?: AppPorts['limits'];
  readonly ports?: Partial<AppPorts>;
}

/** The real HTTP layer, listening, over sessions in memory. */
export async function startApp(options: TestAppOptions = {}): Promise<TestApp> {
  const place = { url: '' };
  const store = createClaimingStore((id) => void runner.run(id, new AbortController().signal).catch(() => undefined));
  const kept = createKeptOutputs(place, store);
  const { sessions, runner } = openSessions(options.renderer ?? instantRenderer(), kept.store, store);
  const log: string[] = [];
  const uploadFolder = mkdtempSync(join(tmpdir(), 'reelform-uploads-'));
  const metrics = createMetrics();
  const settings = { ...TEST_SETTINGS, ...options.settings };
  const ports: AppPorts = {
    sessions,
    styleVersions: createStyleVersions(),
    uploads: createUploads(uploadFolder),
    outputs: kept.files,
    webhooks: createMemoryWebhooks(),
    tokens: createTokens(),
    usage: { read: async () => ({ usage: [], budget: null }) },
    requireWritable: async () => undefined,
    readiness: async () => ({ ready: true, checks: { database: true }, sandbox: 'none' }),
    settings,
    logger: createLogger(settings.logLevel, { write: (line) => void log.push(line) }),
    now: Date.now,
    metrics,
    ...defined({ limits: options.limits }),
    ...options.ports,
  };
  const app = await buildApp(ports);
  await app.listen({ host: '127.0.0.1', port: 0 });
  place.url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  return {
    app,
    url: place.url,
    api: openApi(place.url, TOKENS.acme),
    as: (token) => openApi(place.url, token),
    log,
    metrics,
    uploadFolder,
    async close() {
      await app.close();
      rmSync(uploadFolder, { recursive: true, force: true });
    },
  };
}

type FileStore = Pick<OutputStore, 'find' | 'save'>;

function openSessions(
  renderer: Renderer,
  outputs: FileStore,
  store: SessionStore,
): { sessions: Sessions; runner: SessionRunner } {
  const shared = {
    templates: smallTemplates,
    sources: exampleSources,
    bindTemplate: boundHere,
    renderer,
    outputs,
    store,
    environment: {
      now: Date.now,
      monotonicNow: () => performance.now(),
      randomId: () => randomBytes(18).toString('base64url'),
    },
    pace: new RenderTimeEstimate(),
    retentionMs: null,
    destinations: testDestinations(),
  };
  const runner = new SessionRunner({ ...shared, progressIntervalMs: 0 });
  return { runner, sessions: new Sessions({ ...shared, stop: (id) => runner.stop(id) }) };
}

/** Keeps finished files in memory, under the URLs of the service. */
function createKeptOutputs(
  place: { url: string },
  sessions: SessionStore,
): {
  store: FileStore;
  files: ServedFiles;
} {
  const kept = new Map<string, ServedFile>();
  const keep = (path: string, bytes: Uint8Array, contentType: string): string => {
    kept.set(path, {
      size: bytes.length,
      contentType,
      etag: createHash('sha256').update(bytes).digest('base64url'),
      fileName: `Grüße "${path.split('/').at(-1)}"`,
      stream: (range) => Readable.from([Buffer.from(bytes).subarray(range?.start, range?.end)]),
    });
    return `${place.url}/outputs/${path}`;
  };
  const sign = (name: string, expiresAt: number): string =>
    createHmac('sha256', 'key').update(`${name} ${expiresAt}`).digest('base64url');
  return {
    store: {
      find: async () => null,
      async save(_digest, name, files) {
        const { stills } = files[0]!;
        const video = await files[0]!.video.bytes();
        return [
          {
            video_url: keep(`${name}/video.mp4`, video, 'video/mp4'),
            thumbnails: stills.map((still) => keep(`${name}/${still.name}.jpg`, still.bytes, 'image/jpeg')),
            bytes: video.length,
            sha256: sha256(video),
          },
        ];
      },
    },
    files: {
      async find(asked, file) {
        if ('outputName' in asked) return kept.get(`${asked.outputName}/${file}`) ?? null;
        const stored = await sessions.get(ACME, asked.sessionId);
        return kept.get(`${stored?.outputName}/${file}`) ?? null;
      },
      signDownload: sign,
      verifyDownload: (name, expiresAt, signature) => sign(name, expiresAt) === signature,
    },
  };
}

const SMALL_DETAILS: StyleVersionDetails = {
  ...SMALL.spec,
  name: 'Small',
  status: 'edit_ready',
  errors: [],
  digest: sha256('small'),
  width: 64,
  height: 36,
  fps: 10,
  duration: 1,
  stillcuts: {
    stillcut_01: `https://example.com/v2/template_style_versions/${SMALL.spec.id}/stillcuts/stillcut_01.png`,
  },
  created_at: '2026-01-01T00:00:00.000Z',
};

function createStyleVersions(): AppPorts['styleVersions'] {
  const uploaded = new Set<string>();
  return {
    list: async () => [SMALL_DETAILS],
    async upload(tenant, zip) {
      if (zip[0] !== 0x50) {
        const problem = { code: 'template_invalid', pointer: '#', detail: 'the upload is no zip archive' };
        throw new ServiceError(422, 'template_invalid', 'The package cannot be used', [problem]);
      }
      const key = `${tenant} ${sha256(zip)}`;
      const isNew = !uploaded.has(key);
      uploaded.add(key);
      return { details: { ...SMALL_DETAILS, status: 'processing', stillcuts: {} }, isNew };
    },
    details: async (_tenant, id) => (id === SMALL.spec.id ? SMALL_DETAILS : null),
    stillcut: async (_tenant, id, name) =>
      id === SMALL.spec.id && name === 'stillcut_01' ? solidPng('#123456') : null,
  };
}

function createUploads(directory: string): AppPorts['uploads'] {
  const known = new Set<string>();
  const store = createSourceStore(directory, { isDurable: false, now: Date.now });
  return {
    receive: () => store.receive(),
    async put(tenant, receiver) {
      const { sha256: digest, length } = await receiver.finish();
      const isNew = !known.has(`${tenant} ${digest}`);
      known.add(`${tenant} ${digest}`);
      const upload = {
        remote_url: `urn:sha256:${digest}`,
        sha256: digest,
        bytes: length,
        content_type: 'image/png',
      };
      return { upload, isNew };
    },
  };
}
