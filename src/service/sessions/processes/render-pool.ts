import { readFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { constrainedMemory } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import { type EncoderChoice, H264_ENCODERS, SOFTWARE } from '../../../engine/codec/video-encoder.ts';
import { RenderError } from '../../../engine/render-error.ts';
import { ReelformError } from '../../../kernel/diagnostic.ts';
import { requirePackage } from '../../../kernel/optional-packages.ts';
import { openSandbox, type Sandbox } from '../../sandbox/sandbox.ts';
import { CrashPauses } from './crash-pauses.ts';
import { DEFAULT_LIMITS, type RenderLimits, UsageMonitor } from './process-limits.ts';
import { MAX_TASKS_AT_ONCE, RenderChild } from './render-child.ts';
import {
  type Preparation,
  type ProcessPurpose,
  TaskKilled,
  type TaskKind,
  type TaskOptions,
  type TaskRunner,
} from './tasks.ts';

export interface RenderPoolOptions extends Partial<RenderLimits> {
  /** Maximum concurrent tasks, and processes; each takes about 0.25 GB for 1080p. */
  readonly size: number;
  /** H.264 encoder; the software encoder by default. */
  readonly encoder?: EncoderChoice;
  /** Tasks after which a process is replaced, to limit leaks of native code; 200 by default. */
  readonly tasksPerProcess?: number;
  /** The entire environment of the processes. Windows needs `SystemRoot`. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Sandbox of the processes; the best available by default. */
  readonly sandbox?: Sandbox;
  /** Absolute folder on the disk of the sources, in which each process finds its own; the temporary folder by default. */
  readonly sourcesIn?: string;
}

/** Tasks that use a drawing thread, which their process starts before it reads them. */
const DRAWING_TASKS: ReadonlySet<TaskKind> = new Set([
  'video',
  'files',
  'segments',
  'frames',
  'stills',
  'compare',
  'lint',
]);

/** Drawing tasks without an encoder. */
const PICTURE_TASKS: ReadonlySet<TaskKind> = new Set(['stills', 'compare', 'lint']);

/** Of a task whose owner has to wait. */
const PAUSED = Symbol('paused');

/** Runs tasks; those beyond its size wait. */
export interface RenderPool extends TaskRunner {
  /**
   * Starts processes for as many videos' tasks, with the libraries that these need, before there is a task. Counts those that are idle
   * already. Each belongs to the first owner whose task it runs.
   */
  warm(tasks: number, purpose: ProcessPurpose): void;
  /** Ends all processes at once; tasks that run or wait reject with `render_crashed`. */
  close(): Promise<void>;
}

/**
 * Creates a pool of sandboxed processes. A healthy process is reused for the same owner. A crash or an exceeded limit
 * ends one task only, or two of one video; after crashes, tasks of the owner wait before they begin. The first process
 * starts with `warm` or the first task. Idle processes keep the parent alive until `close` and die with it.
 *
 * @throws ReelformError `engine_missing`
 */
export function createRenderPool({
  size,
  tasksPerProcess = 200,
  environment = {},
  encoder = SOFTWARE,
  sandbox = openSandbox('auto'),
  sourcesIn,
  ...limits
}: RenderPoolOptions): RenderPool {
  requirePackage('engine');
  const limit = pLimit(size);
  const watch = new UsageMonitor();
  /** In the order in which they finished their last task. */
  const children = new Set<RenderChild>();
  const running = new Set<{ readonly video: symbol | undefined }>();
  const pauses = new CrashPauses();
  const closing = new AbortController();

  const open = (owner: string | null, preparation: Preparation): RenderChild => {
    const childLimits = { ...DEFAULT_LIMITS, ...limits };
    const options = { environment, limits: childLimits, watch, encoder, sandbox, owner, preparation, sourcesIn };
    const child = new RenderChild(options);
    children.add(child);
    return child;
  };
  const start = (owner: string, kind: TaskKind): RenderChild => {
    // Frees the memory of processes that are idle for other owners.
    const idle = [...children].filter((child) => child.isIdle);
    const reusable = idle.filter(isReusable);
    const kept = reusable.slice(Math.max(0, reusable.length - (size - limit.activeCount)));
    for (const child of idle) if (!kept.includes(child)) void discard(child);
    return open(owner, {
      threads: DRAWING_TASKS.has(kind) ? 1 : 0,
      purpose: PICTURE_TASKS.has(kind) ? 'pictures' : 'videos',
    });
  };
  const release = async (child: RenderChild): Promise<void> => {
    // A process that was discarded meanwhile is not added again.
    if (children.delete(child)) children.add(child);
    if (child.isIdle && !isReusable(child)) await discard(child);
  };
  const discard = async (child: RenderChild): Promise<void> => {
    await child.stop();
    children.delete(child);
  };
  const isReusable = (child: RenderChild): boolean => child.isFit && child.taskCount < tasksPerProcess;
  const take = (kind: TaskKind, { owner = '', video }: TaskOptions): RenderChild => {
    const reusable = [...children].filter(isReusable);
    const ownerChildren = reusable.filter((child) => child.owner === owner);
    const shared = video === undefined ? undefined : ownerChildren.find((child) => child.hasRoomFor(video));
    const idle = ownerChildren.findLast(({ isIdle }) => isIdle) ?? reusable.find((child) => child.owner === null);
    const child = shared ?? idle ?? start(owner, kind);
    child.owner = owner;
    return child;
  };
  const runNow: TaskRunner['run'] = async (kind, input, options = {}) => {
    const { owner = '', video } = options;
    const active = [...running].map((task) => task.video);
    const processors = Math.min(options.processors ?? 1, freeProcessors(size, active, video));
    const child = take(kind, options);
    const task = { video };
    running.add(task);
    try {
      const output = await child.run(kind, input, { ...options, processors });
      pauses.finished(owner);
      return output;
    } catch (error) {
      if (error instanceof TaskKilled && error.reason === 'crash') pauses.crashed(owner);
      throw error;
    } finally {
      running.delete(task);
      await release(child);
    }
  };
  return {
    run: (kind, input, options = {}) =>
      unlessAbortedBefore(options.signal, async (begin) => {
        const { owner = '' } = options;
        for (;;) {
          // The task waits without a slot of the pool, so that tasks of other owners can run.
          const pauseMs = pauses.remaining(owner);
          if (pauseMs > 0)
            await sleep(pauseMs, undefined, { ref: false, signal: closing.signal }).catch(() => undefined);
          const result = await limit(async () => {
            if (!closing.signal.aborted && pauses.remaining(owner) > 0) return PAUSED;
            begin();
            if (closing.signal.aborted) throw new RenderError('render_crashed', 'The render pool was closed');
            return await runNow(kind, input, options);
          });
          if (result !== PAUSED) return result;
        }
      }),
    warm(tasks, purpose) {
      const idle = [...children].filter((child) => child.isIdle && isReusable(child));
      const missing = Math.min(tasks, size) - MAX_TASKS_AT_ONCE * idle.length;
      if (closing.signal.aborted) return;
      for (let rest = missing; rest > 0; rest -= MAX_TASKS_AT_ONCE) {
        try {
          open(null, { threads: Math.min(rest, MAX_TASKS_AT_ONCE), purpose });
        } catch {
          // The first task reports the error.
          return;
        }
      }
    },
    async close() {
      closing.abort();
      await Promise.all([...children].map((child) => child.stop()));
      children.clear();
    },
  };
}

/**
 * Returns how many processors a task may use: those that tasks of other videos leave, at least one.
 *
 * @param active the video of each running task
 */
export function freeProcessors(
  size: number,
  active: readonly (symbol | undefined)[],
  video: symbol | undefined,
): number {
  const foreign = active.filter((task) => video === undefined || task !== video).length;
  return Math.max(1, size - foreign);
}

/** Rejects queued work as soon as the signal is aborted; after `begin`, the work handles the signal. */
async function unlessAbortedBefore<T>(
  signal: AbortSignal | undefined,
  queue: (begin: () => void) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  let onAbort: () => void = () => undefined;
  const begin = (): void => {
    signal?.removeEventListener('abort', onAbort);
    signal?.throwIfAborted();
  };
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(signal!.reason as Error);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
  const result = queue(begin);
  // The queued work also rejects later, unobserved.
  result.catch(() => undefined);
  return Promise.race([result, aborted]);
}

/** Values of REELFORM_ENCODER that are refused, with advice. */
const RETIRED: Readonly<Record<string, string>> = {
  embedded: 'remove it: x264 is the default',
  ffmpeg: 'remove it: the default encoder makes files as small as ffmpeg does',
  vaapi: 'use x264: VAAPI encoders take only frames in graphics memory',
};

/**
 * Chooses the encoder of H.264: REELFORM_ENCODER, or else the configured encoder.
 *
 * @throws ReelformError settings_invalid when the environment names no encoder
 */
export function chooseEncoder(
  configured: EncoderChoice,
  { REELFORM_ENCODER: written = '' }: { readonly REELFORM_ENCODER?: string | undefined },
): EncoderChoice {
  if (written === '') return configured;
  const h264 = H264_ENCODERS.find((name) => name === written);
  if (h264 !== undefined) return { h264 };
  throw new ReelformError('settings_invalid', `REELFORM_ENCODER is ${JSON.stringify(written)}`, {
    hint: RETIRED[written] ?? `write one of ${H264_ENCODERS.join(', ')}`,
  });
}

/** Twice the memory of a 1080p render, leaving room for other work. */
const MEMORY_PER_RENDER_BYTES = 1e9;

/** Resources available to this process. */
interface MachineCapacity {
  readonly cores: number;
  readonly memoryBytes: number;
}

/** Returns how many renders this machine or container can run concurrently; at least 1. */
export function renderCapacity(machine: MachineCapacity = thisMachine()): number {
  return Math.max(1, Math.min(Math.floor(machine.cores), Math.floor(machine.memoryBytes / MEMORY_PER_RENDER_BYTES)));
}

function thisMachine(): MachineCapacity {
  // Without a limit, some systems report 0 and other systems a huge number.
  const limit = constrainedMemory() || Number.POSITIVE_INFINITY;
  return { cores: Math.min(availableParallelism(), quotaOf(readCgroup)), memoryBytes: Math.min(totalmem(), limit) };
}

/**
 * Returns the CPU quota of the container in cores, which Node ignores.
 *
 * @param read reads a cgroup file; null if missing
 * @see https://docs.kernel.org/admin-guide/cgroup-v2.html, cpu.max; for version 1 cpu.cfs_quota_us
 */
export function quotaOf(read: (name: string) => string | null): number {
  const [quota, period] =
    read('cpu.max')?.trim().split(' ') ?? ['cpu/cpu.cfs_quota_us', 'cpu/cpu.cfs_period_us'].map((name) => read(name));
  const cores = Number(quota ?? 'max') / Number(period ?? 'max');
  return cores > 0 ? cores : Number.POSITIVE_INFINITY;
}

function readCgroup(name: string): string | null {
  try {
    return readFileSync(`/sys/fs/cgroup/${name}`, 'utf8');
  } catch {
    return null;
  }
}
