import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { startWorker } from '../../src/server/start-worker.ts';
import type { RenderPool } from '../../src/session/processes/render-pool.ts';
import type { TaskInput } from '../../src/session/processes/tasks.ts';
import type { Scene } from '../../src/template/scene.ts';
import { FARM_STORAGE, type Farm } from '../../test/support/farm.ts';
import type { S3Server } from '../../test/support/s3-server.ts';
import { TEST_SETTINGS } from '../../test/support/test-settings.ts';

/** A worker of a bench: as `reelform worker`, but for when it renders in parts, and what renders. */
export interface BenchWorkerOptions {
  readonly databaseUrl: string;
  readonly storageEndpoint: string;
  readonly places: number;
  /** Parts of whatever length, as many as there are places for; null: all in one piece. */
  readonly parts: boolean;
  /** Milliseconds that a segment takes which is not rendered at all; null: it is rendered. */
  readonly sleepMs: number | null;
}

/** What it is called with: the bench runs itself. */
export const WORKER = 'worker';

/** Starts one in a process of its own; resolves when it is ready. @returns what ends it */
export async function hireBenchWorker(
  farm: Farm,
  bucket: S3Server,
  options: Pick<BenchWorkerOptions, 'places' | 'parts' | 'sleepMs'>,
): Promise<() => Promise<void>> {
  const told = { ...options, databaseUrl: farm.databaseUrl, storageEndpoint: bucket.url };
  const child = execa('node', ['--expose-gc', process.argv[1]!, WORKER, JSON.stringify(told)], {
    env: bucket.env,
    reject: false,
    buffer: false,
    stderr: 'inherit',
  });
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (text: Buffer) => {
      if (text.includes('ready')) resolve();
    });
    void child.then(() => reject(new Error('A worker of the bench ended early')));
  });
  return async () => {
    child.kill('SIGTERM');
    await child;
  };
}

/** The program. */
export async function runBenchWorker(options: BenchWorkerOptions): Promise<void> {
  const { databaseUrl, storageEndpoint, places, parts, sleepMs } = options;
  const rules = { partSeconds: 2, partRenderSeconds: 0.001 };
  const worker = await startWorker({
    settings: {
      ...TEST_SETTINGS,
      ...{ databaseUrl, storageEndpoint, storage: FARM_STORAGE, storagePathStyle: true, concurrency: places },
      dataDirectory: join(process.cwd(), 'dist/bench/data'),
      logLevel: 'error',
    },
    listens: false,
    version: 'bench',
    splitRules: parts ? rules : { partSeconds: 1e9 },
    ...(sleepMs === null ? {} : { pool: sleepingPool(sleepMs) }),
    log: { write: (line) => void process.stderr.write(line) },
    now: () => Date.now(),
  });
  process.once('SIGTERM', () => void worker.close({ now: true }).then(() => process.exit(0)));
  console.log('ready');
}

/** Of a second of 1080p, about. */
const SEGMENT_BYTES = 500_000;

/** Renders nothing: each segment takes its time, and gives as many bytes as one does. */
function sleepingPool(sleepMs: number): RenderPool {
  const packet = (): never => ({ frame: 0, isKey: true, bytes: new Uint8Array(SEGMENT_BYTES) }) as never;
  const tasks = {
    async segments({ ranges }: TaskInput<'segments'>, signal?: AbortSignal) {
      await sleep(ranges.length * sleepMs, undefined, signal === undefined ? {} : { signal });
      const rest = { configuration: new Uint8Array(40), stills: [], findings: [] };
      return ranges.map((range) => ({ ...range, ...rest, packets: [packet()] }));
    },
    async join({ segments }: TaskInput<'join'>) {
      const packets = segments.flatMap((segment) => segment.packets);
      return { format: 'mp4', video: Buffer.concat(packets.map(({ bytes }) => bytes)), stills: [] };
    },
    stills: async (scene: Scene) => scene.stills.map(({ name }) => ({ name, bytes: new Uint8Array(1) })),
  };
  return {
    async run(kind, input, { signal } = {}) {
      if (!(kind in tasks)) throw new Error(`A bench of parts runs no task of the kind ${kind}`);
      return tasks[kind as 'segments'](input as TaskInput<'segments'>, signal) as never;
    },
    async close() {},
  };
}
