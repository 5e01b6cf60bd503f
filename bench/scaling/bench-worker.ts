import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { TemporaryFile } from '../../src/kernel/temporary-file.ts';
import { startWorker } from '../../src/service/server/start-worker.ts';
import type { RenderPool } from '../../src/service/sessions/processes/render-pool.ts';
import type { TaskInput } from '../../src/service/sessions/processes/tasks.ts';
import type { RenderInput } from '../../src/template/render-input.ts';
import { FARM_STORAGE, type Farm } from '../../test/support/farm.ts';
import type { S3Server } from '../../test/support/s3-server.ts';
import { TEST_SETTINGS } from '../../test/support/test-settings.ts';

/** Options of a worker of a bench: like `reelform worker`, except for when it renders in segments and what renders. */
export interface BenchWorkerOptions {
  readonly databaseUrl: string;
  readonly storageEndpoint: string;
  readonly places: number;
  /** True: renders segments of any length, as many as there are slots. False: renders every video in one piece. */
  readonly parts: boolean;
  /** Milliseconds that a simulated segment takes; null to render it. */
  readonly sleepMs: number | null;
}

/** Argument with which the bench starts itself as a worker. */
export const WORKER = 'worker';

/** Starts a worker in a separate process; resolves when it is ready. @returns a function that ends it */
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

/** Entry point of the worker process. */
export async function runBenchWorker(options: BenchWorkerOptions): Promise<void> {
  const { databaseUrl, storageEndpoint, places, parts, sleepMs } = options;
  const rules = { chunkSeconds: 2, chunkRenderSeconds: 0.001 };
  const worker = await startWorker({
    settings: {
      ...TEST_SETTINGS,
      databaseUrl,
      storageEndpoint,
      storage: FARM_STORAGE,
      storagePathStyle: true,
      concurrency: places,
      dataDirectory: join(process.cwd(), 'dist/bench/data'),
      logLevel: 'error',
      segmentDays: 0,
    },
    listens: false,
    version: 'bench',
    distributionRules: parts ? rules : { chunkSeconds: 1e9 },
    ...(sleepMs === null ? {} : { pool: sleepingPool(sleepMs) }),
    log: { write: (line) => void process.stderr.write(line) },
    now: () => Date.now(),
  });
  process.once('SIGTERM', () => void worker.close({ now: true }).then(() => process.exit(0)));
  console.log('ready');
}

/** Approximate size of one second of 1080p. */
const SEGMENT_BYTES = 500_000;

/** Renders nothing: each segment takes a fixed time and returns a realistic number of bytes. */
function sleepingPool(sleepMs: number): RenderPool {
  const packet = (): never => ({ frame: 0, isKey: true, bytes: new Uint8Array(SEGMENT_BYTES) }) as never;
  const tasks = {
    async segments({ ranges }: TaskInput<'segments'>, signal?: AbortSignal) {
      await sleep(ranges.length * sleepMs, undefined, signal === undefined ? {} : { signal });
      const rest = { configuration: new Uint8Array(40), stills: [], findings: [] };
      return ranges.map((range) => [{ ...range, ...rest, packets: [packet()] }]);
    },
    async join({ segments }: TaskInput<'join'>) {
      return { format: 'mp4', video: await TemporaryFile.of(await segments.file.bytes()), stills: [] };
    },
    stills: async (renderInput: RenderInput) =>
      renderInput.stills.map(({ name }) => ({ name, bytes: new Uint8Array(1) })),
  };
  return {
    async run(kind, input, { signal } = {}) {
      if (!(kind in tasks)) throw new Error(`A bench of parts runs no task of the kind ${kind}`);
      return tasks[kind as 'segments'](input as TaskInput<'segments'>, signal) as never;
    },
    warm: () => undefined,
    async close() {},
  };
}
