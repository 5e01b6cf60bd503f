import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { SCOPES, type Scope } from '../../src/service/server/ports.ts';
import type { Settings } from '../../src/service/server/settings/settings-table.ts';
import { type RunningServer, startServer } from '../../src/service/server/start-server.ts';
import type { TenantId } from '../../src/service/sessions/ports.ts';
import { type Api, openApi } from './api.ts';
import type { After, DatabaseAddress } from './databases.ts';
import { keptRenderPool } from './kept-render-pools.ts';
import { smallPackage, smallPackageFiles } from './small-package.ts';
import { TEST_SETTINGS } from './test-settings.ts';

export interface RunningService {
  readonly url: string;
  readonly server: RunningServer;
  readonly dataDirectory: string;
  /** Log lines so far. */
  readonly log: string[];
  /** Id of the small package's style version, which all tenants share. */
  readonly styleVersion: string;
  /** Opens a client of a tenant. */
  client(tenant?: string, scopes?: readonly Scope[]): Promise<{ readonly api: Api; readonly token: string }>;
}

/**
 * Starts the whole service in this process, over a real database and real files.
 *
 * @param after registers its closing; by default it closes when the test finishes
 * @param createRenderPool opens its pools of render processes
 */
export async function startService(
  address: DatabaseAddress,
  settings: Partial<Settings> = {},
  after: After = onTestFinished,
  createRenderPool = keptRenderPool,
): Promise<RunningService> {
  const dataDirectory = address.directory || (await mkdtemp(join(tmpdir(), 'reelform-data-')));
  after(() => rm(dataDirectory, { recursive: true, force: true }));
  const log: string[] = [];
  const small = smallPackage();
  const server = await startServer({
    settings: { ...TEST_SETTINGS, dataDirectory, databaseUrl: address.url, ...settings },
    version: '0.0.0-test',
    packages: [{ files: smallPackageFiles() }],
    log: { write: (line) => void log.push(line) },
    createRenderPool,
    now: () => Date.now(),
  });
  after(() => server.close({ now: true }));
  return {
    url: server.url,
    server,
    dataDirectory,
    log,
    styleVersion: small.spec.id,
    async client(tenant = 'default', scopes = SCOPES) {
      const { text } = await server.tokens.create({ tenant: tenant as TenantId, name: '', scopes, expiresAt: null });
      return { api: openApi(server.url, text), token: text };
    },
  };
}

export interface SessionBody {
  readonly title: string;
  readonly render: 'preview';
  readonly mapping: { readonly template_style_version_id: string; readonly resources: Record<string, unknown> };
}

/** Returns the request body of a session over the small package. */
export function sessionBody(
  styleVersion: string,
  resources: Record<string, unknown> = {},
  title = 'Berlin',
): SessionBody {
  return {
    title,
    render: 'preview',
    mapping: {
      template_style_version_id: styleVersion,
      resources: { t_01: { source: { text: 'Hi' } }, c_01: { source: { text: 'EEADA7' } }, ...resources },
    },
  };
}
