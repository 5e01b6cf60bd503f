import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { defined } from '../../src/kernel/defined.ts';
import { SILENT_LOG } from '../../src/service/server/log.ts';
import { SCOPES } from '../../src/service/server/ports.ts';
import type { Database } from '../../src/service/server/store/database.ts';
import { openDatabase } from '../../src/service/server/store/open-database.ts';
import { createTokenTable } from '../../src/service/server/store/token-table.ts';
import type { TenantId } from '../../src/service/sessions/ports.ts';
import { type Api, openApi } from './api.ts';
import { type FarmTemplate, farmRepository } from './farm-sessions.ts';
import { freePort } from './free-port.ts';
import { makePostgresServer, type PostgresServer } from './postgres-server.ts';
import { makeFolder } from './repository.ts';
import type { S3Server } from './s3-server.ts';
import {
  descendants,
  isRunning,
  type ProcessId,
  type SpawnedProgram,
  type SpawnOptions,
  spawnProgram,
} from './spawned-program.ts';

/** A position in the farm whose worker is replaced when it is killed. */
export interface FarmWorker {
  readonly name: string;
  /** Log of all workers of this position. */
  readonly log: string[];
  /** Process id of the current worker. */
  pid(): number;
  /** Sessions and segments that the current worker is rendering. */
  atWork(): string[];
  pause(): void;
  resume(): void;
  /** Sends SIGKILL and starts a replacement. */
  replace(): Promise<void>;
  stop(): Promise<number | undefined>;
}

/** PostgreSQL, a service that only answers requests, and workers, each in a separate process. */
export interface Farm {
  /** Client of the tenant `default`. */
  readonly api: Api;
  readonly url: string;
  /** Creates a token of a tenant. */
  token(tenant: string): Promise<string>;
  readonly database: PostgresServer;
  readonly databaseUrl: string;
  /** The open database. */
  readonly records: Database;
  readonly log: string[];
  /** Starts a worker. @param env additional environment, such as another route to the database */
  hire(name: string, options?: Pick<SpawnOptions, 'env' | 'within' | 'host' | 'program'>): Promise<FarmWorker>;
  /** Stops everything in order; later calls return the first result. */
  close(): Promise<FarmEnd>;
}

export interface FarmEnd {
  /** Exit codes of the service and the workers. */
  readonly codes: (number | undefined)[];
  /** Number of processes that outlived their parent. */
  readonly orphans: number;
  /** Files left in the temporary folder. */
  readonly left: string[];
}

export interface FarmOptions {
  /** Has the buckets `storage`, which holds all files, and `deliveries`. Without it, all share a data folder. */
  readonly bucket?: S3Server;
  /** Default `short` and `long`. */
  readonly templates?: readonly FarmTemplate[];
  /** Allowed receivers of webhooks. */
  readonly receivers?: readonly { readonly url: string }[];
  /** File of another build of the service's program. */
  readonly program?: string;
  /** Concurrent renders of the service itself; default 0. */
  readonly concurrency?: number;
  /** Environment of the service and the workers. */
  readonly env?: Readonly<Record<string, string>>;
}

export async function openFarm({
  bucket,
  templates = ['short', 'long'],
  receivers = [],
  env = {},
  concurrency = 0,
  program,
}: FarmOptions = {}): Promise<Farm> {
  const root = makeFolder({ ...farmRepository(templates), 'reelform-server.yaml': settingsFile(bucket, receivers) });
  const temporary = join(root, 'tmp');
  mkdirSync(temporary);
  const database = makePostgresServer();
  const databaseUrl = await database.createDatabase();
  const told = { DATABASE_URL: databaseUrl, TMPDIR: temporary, ...bucket?.env, ...env };
  const log: string[] = [];
  const workers: FarmWorker[] = [];
  const started = new Map<string, ProcessId>();
  const note = (pid: number): void => {
    for (const process of descendants(pid)) started.set(`${process.pid}/${process.startedAt}`, process);
  };
  const service = await spawnProgram('serve', root, {
    port: await freePort(),
    env: told,
    args: ['--concurrency', String(concurrency)],
    log,
    ...defined({ program }),
  });
  const records = await openDatabase({ url: databaseUrl, directory: '', log: SILENT_LOG });
  const tokens = createTokenTable({ database: records, now: () => Date.now() });
  const tokenOf = async (tenant: string): Promise<string> =>
    (await tokens.create({ tenant: tenant as TenantId, name: '', scopes: SCOPES, expiresAt: null })).text;
  const close = async (): Promise<FarmEnd> => {
    note(service.pid);
    const codes = await Promise.all([service, ...workers].map((each) => each.stop()));
    const orphans = await leftOf([...started.values()]);
    await records.close();
    await database.stop();
    // A killed worker cannot remove the folder of its render process. The process empties it; a later worker removes
    // it.
    const isEmpty = (name: string): boolean => readdirSync(join(temporary, name)).length === 0;
    const left = readdirSync(temporary).filter((name) => !(name.startsWith('reelform-render-') && isEmpty(name)));
    rmSync(root, { recursive: true, force: true });
    return { codes, orphans, left };
  };
  let closed: Promise<FarmEnd> | null = null;
  return {
    api: openApi(service.url, await tokenOf('default')),
    url: service.url,
    token: tokenOf,
    records,
    database,
    databaseUrl,
    log,
    async hire(name, options = {}) {
      const worker = await hireWorker(root, name, { ...options, env: { ...told, ...options.env } }, note);
      workers.push(worker);
      return worker;
    },
    close() {
      closed ??= close();
      return closed;
    },
  };
}

/** Storage of a farm with a bucket. */
export const FARM_STORAGE = 's3://storage/main';

function settingsFile(bucket: S3Server | undefined, receivers: readonly { readonly url: string }[]): string {
  const settings = `allow_webhooks: ${JSON.stringify(receivers.map(({ url }) => new URL(url).host))}\n`;
  if (bucket === undefined) return settings;
  return `${settings}storage: ${FARM_STORAGE}
storage_endpoint: ${bucket.url}
storage_path_style: true
credentials:
  bucket: { kind: s3, endpoint: ${bucket.url}, path_style: true, allow: ["s3://deliveries/"] }
`;
}

async function hireWorker(
  root: string,
  name: string,
  options: Pick<SpawnOptions, 'env' | 'within' | 'host' | 'program'>,
  note: (pid: number) => void,
): Promise<FarmWorker> {
  const log: string[] = [];
  const start = async (): Promise<SpawnedProgram> =>
    spawnProgram('worker', root, {
      ...options,
      port: await freePort(),
      args: ['--concurrency', '1', ...(options.host === undefined ? [] : ['--host', options.host])],
      log,
    });
  // Acts as a supervisor: a worker ends if it cannot reach its database or bucket, which may last a minute.
  const startAgain = async (): Promise<SpawnedProgram> => {
    for (let tries = 1; ; tries++) {
      try {
        return await start();
      } catch (error) {
        if (tries === 100) throw error;
        await new Promise((resolve) => setTimeout(resolve, 1_000));
      }
    }
  };
  let worker = await startAgain();
  let begunAt = 0;
  return {
    name,
    log,
    pid: () => worker.pid,
    atWork: () => atWork(log.slice(begunAt)),
    pause: () => worker.pause(),
    resume: () => worker.resume(),
    async replace() {
      note(worker.pid);
      await worker.kill();
      begunAt = log.length;
      worker = await startAgain();
    },
    stop() {
      note(worker.pid);
      return worker.stop();
    },
  };
}

function atWork(log: readonly string[]): string[] {
  const ids = new Set<string>();
  for (const line of log) {
    if (!line.includes('"session-')) continue;
    const { event, session } = JSON.parse(line) as { event: string; session: string };
    if (event === 'session-begun') ids.add(session);
    if (event === 'session-ended') ids.delete(session);
  }
  return [...ids];
}

/** Returns the number of processes that outlive their parents by longer than they need to notice. */
async function leftOf(processes: readonly ProcessId[]): Promise<number> {
  for (let round = 0; round < 100; round++) {
    if (!processes.some(isRunning)) return 0;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return processes.filter(isRunning).length;
}
