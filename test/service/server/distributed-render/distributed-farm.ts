import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { onTestFinished } from 'vitest';
import type { NamedOutput } from '../../../../src/contract/wire/output.ts';
import type { RenderSession } from '../../../../src/contract/wire/render-session.ts';
import {
  createChunkFiles,
  createDistributedRenderTable,
} from '../../../../src/service/server/distributed-render/distributed-render-table.ts';
import type { ObjectStorage } from '../../../../src/service/server/ports.ts';
import { createDiskStorage } from '../../../../src/service/server/storage/object-storage.ts';
import { createStoredOutputs } from '../../../../src/service/server/storage/stored-outputs.ts';
import type { Database } from '../../../../src/service/server/store/database.ts';
import { createSessionTable } from '../../../../src/service/server/store/session-table.ts';
import { ChunkRunner } from '../../../../src/service/sessions/chunk-runner.ts';
import type { TenantId } from '../../../../src/service/sessions/ports.ts';
import { RenderTimeEstimate } from '../../../../src/service/sessions/render-time.ts';
import {
  type ChunkEvent,
  createDistributedRenders,
  parseChunkJob,
} from '../../../../src/service/sessions/segments/distributed-renders.ts';
import { type FilePieces, filesOf, piecesOf } from '../../../../src/service/sessions/segments/pieces.ts';
import type { SegmentRenderer } from '../../../../src/service/sessions/segments/segment-renderer.ts';
import { type RunnerEvent, SessionRunner } from '../../../../src/service/sessions/session-runner.ts';
import { Sessions } from '../../../../src/service/sessions/sessions.ts';
import { parseTemplatePackage } from '../../../../src/template/parse-template-package.ts';
import { testDestinations } from '../../../support/destinations.ts';
import { renderedFile } from '../../../support/in-memory.ts';
import { smallAnimation, smallPackageFiles } from '../../../support/small-package.ts';
import { boundHere, exampleSources } from '../../../support/small-sessions.ts';

/** The small package extended to eight seconds: four segments. */
export function longPackageFiles(): Map<string, Uint8Array> {
  const animation = smallAnimation();
  const layers = (animation.layers as object[]).map((layer) => ({ ...layer, op: 80 }));
  return smallPackageFiles({ 'animation.json': JSON.stringify({ ...animation, op: 80, layers }) });
}

function longPackage() {
  const result = parseTemplatePackage('templates/long', longPackageFiles());
  if (!result.ok) throw new Error(JSON.stringify(result.diagnostics));
  return result.value;
}

/** Four files, of which the first two share a drawing. */
export const FILES: NamedOutput[] = [
  { name: 'master' },
  { name: 'web', quality: 'low' },
  { name: 'preview', format: 'gif', height: 18, fps: 5 },
  { name: 'poster', format: 'png' },
];

/** Owner of all sessions. */
const TENANT = 'acme' as TenantId;

export const LONG = longPackage();

let ids = 0;

/** Merges the pieces of the same files. */
async function merged(parts: Parameters<SegmentRenderer['join']>[1]): Promise<FilePieces[]> {
  const all: (readonly FilePieces[])[] = [];
  for await (const pieces of parts) all.push(pieces);
  return all[0]!.map((_, file) => ({
    segments: all.flatMap((pieces) => pieces[file]!.segments),
    sound: null,
    whole: all.map((pieces) => pieces[file]!.whole).find((whole) => whole !== null) ?? null,
  }));
}

/** Renders instantly and records its calls. */
export function instantChunks(): SegmentRenderer & { readonly said: string[] } {
  const said: string[] = [];
  const still = { name: 'stillcut_01', bytes: Buffer.from('still'), width: 1, height: 1 };
  return {
    said,
    async render() {
      said.push('whole');
      return [await renderedFile({ video: Buffer.from('whole'), stills: [still] })];
    },
    async renderPieces(video, pieces, { onProgress } = {}) {
      const all = piecesOf(video);
      const indices = pieces.map((piece) => all.findIndex((one) => isDeepStrictEqual(one, piece)));
      said.push(`chunk ${indices[0]}-${indices.at(-1)! + 1}`);
      onProgress?.(1, 2);
      return filesOf(video).map(({ output, width, height, frameCount }, file) => {
        const own = pieces.filter((piece) => piece.kind !== 'sound' && piece.files.includes(file));
        const segments = own.flatMap((piece) => (piece.kind === 'segment' ? [piece.range] : []));
        const whole = { video: Buffer.from(output.format), stills: [], findings: [], durationSeconds: 1 };
        return {
          segments: segments.map((range) => ({
            ...range,
            configuration: Buffer.from('avc'),
            findings: [],
            packets: [{ bytes: Buffer.from(`${range.first}`), frame: 0, isKey: true }],
            stills: range.first === 0 ? [{ frame: 0, bytes: still.bytes }] : [],
          })),
          sound: null,
          whole: own.some(({ kind }) => kind === 'whole')
            ? { ...whole, format: output.format, width, height, frameCount }
            : null,
        };
      });
    },
    cachePieces: () => Promise.reject(new Error('A chunk is stored')),
    async join({ others }, parts) {
      const pieces = await merged(parts);
      const wholes = pieces.flatMap(({ whole }) => (whole === null ? [] : [` ${whole.format}`]));
      said.push(`join ${pieces[0]!.segments.map(({ first }) => first).join(' ')}${wholes.join('')}`);
      const further = await Promise.all(
        others.map(({ name, output }) => renderedFile({ format: output.format, video: Buffer.from(name) })),
      );
      return [await renderedFile({ video: Buffer.from('joined'), stills: [still] }), ...further];
    },
  };
}

export interface DistributedFarm {
  readonly database: Database;
  readonly storage: ObjectStorage;
  readonly events: (RunnerEvent | ChunkEvent)[];
  /** Creates a session with this text. @returns its id */
  create(text?: string, title?: string, outputs?: NamedOutput[]): Promise<string>;
  /** Creates a session of two scenes, the first with this text. @returns its id */
  createScenes(text: string): Promise<string>;
  get(id: string): Promise<RenderSession>;
  /** Cancels as another process would. */
  cancel(id: string): Promise<void>;
  /** Ids of waiting jobs in the order in which they are claimed. */
  jobs(): Promise<string[]>;
  /** Runs a job in a separate process and removes it when it completes. */
  run(id: string, process?: ProcessOptions): Promise<void>;
  /** Runs all queued jobs and their follow-up jobs one after the other. */
  runAll(process?: ProcessOptions): Promise<void>;
}

export interface ProcessOptions {
  readonly renderer?: SegmentRenderer;
  readonly build?: string;
  readonly signal?: AbortSignal;
  /** Wraps each port of the process. */
  wrap?<T extends object>(port: T): T;
}

/** Error that a killed process throws. */
export const KILLED = new Error('killed');

/** A moment before or after a named port call. */
export type CallPoint = `before ${string}` | `after ${string}`;

/** A process that dies at the chosen call; its later calls have no effect. */
export function mortal(shallDie: (point: CallPoint) => boolean) {
  let isDead = false;
  const pass = (point: CallPoint): void => {
    isDead ||= shallDie(point);
    if (isDead) throw KILLED;
  };
  return {
    wrap<T extends object>(port: T): T {
      return new Proxy(port, {
        get(target, name) {
          const call = Reflect.get(target, name) as unknown;
          if (typeof call !== 'function' || name === 'watch') return call;
          return async (...args: unknown[]) => {
            pass(`before ${String(name)}`);
            const answer: unknown = await Reflect.apply(call, target, args);
            pass(`after ${String(name)}`);
            return answer;
          };
        },
      });
    },
  };
}

/**
 * Sessions with a real database, real files and a queue that the test controls.
 *
 * @param options.idle idle slots besides the one that plans the render
 */
export async function openDistributedFarm(
  database: Database,
  { renderer: shared = instantChunks() as SegmentRenderer, idle = 1 } = {},
): Promise<DistributedFarm> {
  const directory = await mkdtemp(join(tmpdir(), 'reelform-chunks-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  await database.query('create table if not exists reelform.test_jobs (place serial, id text primary key)');
  const storage = createDiskStorage(directory);
  const queue = 'insert into reelform.test_jobs (id) values ($1) on conflict do nothing';
  const store = createSessionTable({
    database,
    now: () => Date.now(),
    async onStatus(tx, { session }) {
      if (session.status === 'preview_rendering') await tx.query(queue, [session.id]);
    },
  });
  const templates = { find: async (_tenant: string, id: string) => (id === LONG.spec.id ? LONG : null) };
  const environment = { now: () => Date.now(), monotonicNow: () => performance.now(), randomId: () => String(++ids) };
  const events: (RunnerEvent | ChunkEvent)[] = [];
  const onEvent = (event: RunnerEvent | ChunkEvent): void => void events.push(event);
  const common = { templates, environment, retentionMs: null, onEvent, progressIntervalMs: 0 };

  const run: DistributedFarm['run'] = async (
    id,
    { renderer = shared, build = 'a', signal, wrap = <T extends object>(port: T): T => port } = {},
  ) => {
    const renders = wrap(
      createDistributedRenderTable({
        database,
        store,
        watchMs: 5,
        waitMs: 0,
        enqueue: async (tx, job) => void (await tx.query(queue, [job])),
      }),
    );
    const files = wrap(createChunkFiles(storage));
    const pace = new RenderTimeEstimate();
    const ports = {
      ...common,
      sources: exampleSources,
      bindTemplate: boundHere,
      pace,
      build,
      renders,
      files,
      renderer: wrap(renderer),
      store: wrap(store),
      outputs: wrap(createStoredOutputs(storage)),
    };
    const load = { load: async () => ({ places: 1 + idle, busy: 1, queued: 0 }) };
    const rules = { chunkSeconds: 2, chunkRenderSeconds: 0, inputBytes: 1e9 };
    const slotsOf = (): number => Number.POSITIVE_INFINITY;
    const whole = new SessionRunner({
      ...ports,
      distributed: createDistributedRenders({ renders, files, load, pace, rules, slotsOf, onEvent }),
    });
    const chunks = new ChunkRunner({ ...ports, whole });
    const job = parseChunkJob(id);
    const until = signal ?? new AbortController().signal;
    await (job === null ? whole.run(id, until) : chunks.run(job, until));
    await database.query('delete from reelform.test_jobs where id = $1', [id]);
  };
  const jobs = async (): Promise<string[]> => {
    const rows = await database.query<{ id: string }>('select id from reelform.test_jobs order by place');
    return rows.map(({ id }) => id);
  };
  const sessions = new Sessions({
    templates,
    store,
    environment,
    pace: new RenderTimeEstimate(),
    retentionMs: null,
    destinations: testDestinations(),
    stop: () => undefined,
  });
  return {
    database,
    storage,
    events,
    jobs,
    run,
    async runAll(process) {
      for (let [id] = await jobs(); id !== undefined; [id] = await jobs()) await run(id, process);
    },
    async create(text = 'Hi', title = 'Berlin', outputs) {
      const resources = { t_01: { source: { text } }, c_01: { source: { text: '#FF0000' } } };
      const mapping = { template_style_version_id: LONG.spec.id, resources };
      const request = { title, render: 'preview' as const, mapping, ...(outputs && { outputs }) };
      return (await sessions.create(TENANT, request)).session.id;
    },
    async createScenes(text) {
      const sceneOf = (id: string, words: string) => {
        const resources = { t_01: { source: { text: words } }, c_01: { source: { text: '#FF0000' } } };
        return { id, mapping: { template_style_version_id: LONG.spec.id, resources } };
      };
      const last = { ...sceneOf('last', 'Bye'), transition: { type: 'fade' as const, duration: 0.5 } };
      const scenes = [sceneOf('first', text), last];
      return (await sessions.create(TENANT, { title: 'Scenes', render: 'preview', scenes })).session.id;
    },
    get: (id) => sessions.get(TENANT, id),
    cancel: async (id) => void (await sessions.cancel(TENANT, id)),
  };
}

/** Runs all jobs with one process being killed and another taking over its job. */
export async function runThrough(farm: DistributedFarm, dying: Pick<ProcessOptions, 'wrap'>): Promise<void> {
  let process: ProcessOptions = dying;
  for (let [job] = await farm.jobs(); job !== undefined; [job] = await farm.jobs()) {
    try {
      await farm.run(job, process);
    } catch (error) {
      if (error !== KILLED) throw error;
      process = {};
    }
  }
}
