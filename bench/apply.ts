import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { sha256 } from '../src/kernel/digest.ts';
import { applyPlan } from '../src/reconciler/apply/apply-plan.ts';
import type { Video, VideoId } from '../src/reconciler/definition/video.ts';
import { openJournalFile } from '../src/reconciler/lock/journal-file.ts';
import { emptyLock, type Lock } from '../src/reconciler/lock/lock.ts';
import { LockFile } from '../src/reconciler/lock/lock-file.ts';
import { desiredVideo } from '../src/reconciler/plan/desired-video.ts';
import { planVideos } from '../src/reconciler/plan/plan-videos.ts';
import { writeFileAtomic } from '../src/reconciler/project/write-file.ts';
import { createHttpService } from '../src/reconciler/service-client/http-service.ts';

/**
 * Measures an apply of N videos, C at once, against a real HTTP service in a separate process whose renders take T, and
 * compares it with the ideal ⌈N/C⌉·T. `npm run bench:apply [rounds [N]]`
 */
const ROUNDS = Number(process.argv[2] ?? 3);
const ONLY = process.argv[3] === undefined ? null : Number(process.argv[3]);
const STYLE_VERSION = 'tsv_bench';

/** Parameters of the service of one measurement. */
interface ServiceSpec {
  /** Milliseconds of a render; `roundTripMs` is the latency of a request. */
  readonly renderMs: number;
  readonly roundTripMs: number;
  readonly keepsKeys: boolean;
}

if (process.env.BENCH_SERVICE !== undefined) serve(JSON.parse(process.env.BENCH_SERVICE) as ServiceSpec);
else await measureAll();

/** Serves the three calls of the interface document, and idempotency keys on request. */
function serve({ renderMs, roundTripMs, keepsKeys }: ServiceSpec): void {
  const posted: { readonly at: number; readonly title: string; readonly mapping: object }[] = [];
  let looks = 0;
  const session = (id: number): object => {
    const { at: created, title, mapping } = posted[id]!;
    const isOver = Date.now() - created >= renderMs;
    return {
      id: String(id),
      title,
      status: isOver ? 'preview_rendered' : 'preview_rendering',
      render_progress: isOver ? 100 : 0,
      thumbnails: [],
      video_url: isOver ? `https://cdn.example/${id}.mp4` : null,
      errors: [],
      created_at: new Date(created).toISOString(),
      updated_at: new Date(isOver ? created + renderMs : created).toISOString(),
      mapping: { id: 'm', ...mapping },
    };
  };
  const server = createServer((asked, answer) => {
    let text = '';
    asked.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    asked.on('end', () => {
      globalThis.setTimeout(() => {
        const { method, url = '' } = asked;
        const id = /^\/v2\/render_sessions\/(\d+)$/.exec(url)?.[1];
        const isPost = method === 'POST' && url === '/v2/render_sessions';
        if (isPost) posted.push({ at: Date.now(), ...JSON.parse(text) });
        if (id !== undefined) looks += 1;
        const status = isPost ? 201 : id === undefined && url !== '/counts' ? 404 : 200;
        const key = asked.headers['idempotency-key'];
        if (isPost && keepsKeys && typeof key === 'string') {
          answer.setHeader('idempotency-key', key);
          answer.setHeader('idempotency-key-expires', new Date(Date.now() + 86_400_000).toUTCString());
        }
        const body =
          url === '/counts'
            ? { posts: posted.length, looks }
            : status === 404
              ? {}
              : { render_session: session(isPost ? posted.length - 1 : Number(id)) };
        answer.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      }, roundTripMs);
    });
  });
  server.listen(0, '127.0.0.1', 2048, () => process.send!((server.address() as AddressInfo).port));
}

async function startService(spec: ServiceSpec): Promise<{ url: string; child: ChildProcess }> {
  const child = fork(process.argv[1]!, { env: { ...process.env, BENCH_SERVICE: JSON.stringify(spec) }, execArgv: [] });
  const port = await new Promise<number>((resolve) => child.once('message', (message) => resolve(Number(message))));
  return { url: `http://127.0.0.1:${port}`, child };
}

function counts(url: string): Promise<{ posts: number; looks: number }> {
  return new Promise((resolve, reject) => {
    request(`${url}/counts`, { agent: false }, async (answer) => {
      let text = '';
      for await (const chunk of answer) text += String(chunk);
      resolve(JSON.parse(text) as { posts: number; looks: number });
    })
      .on('error', reject)
      .end();
  });
}

function videoOf(index: number): Video {
  return {
    id: `video-${index}` as VideoId,
    path: `videos/video-${index}.yaml`,
    title: `Video ${index}`,
    description: null,
    labels: {},
    protect: false,
    audio: new Map(),
    output: null,
    deliver: [],
    scenes: [
      {
        id: 'bench',
        template: 'bench',
        resources: new Map([['t_01', { kind: 'text', text: `A text of video ${index}` }]]),
        fonts: new Map(),
        audio: new Map(),
      },
    ],
  };
}

interface Measured {
  readonly wallRatio: number;
  readonly requestsPerVideo: number;
  readonly cpuMs: number;
  readonly rssMib: number;
}

async function measure(count: number, concurrency: number, spec: ServiceSpec, isKnown: boolean): Promise<Measured> {
  const { url, child } = await startService(spec);
  const folder = mkdtempSync(join(tmpdir(), 'reelform-bench-apply-'));
  try {
    const videos = Array.from({ length: count }, (_, index) => videoOf(index));
    const context = {
      service: url,
      styleVersions: { bench: STYLE_VERSION },
      renderEpoch: null,
      measures: null,
      assetDigest: () => sha256(''),
    };
    const desired = videos.map((video) => desiredVideo(video, context));
    const plan = planVideos({ desired, lock: emptyLock, observations: { missingOutputs: new Set() } });
    const journal = await openJournalFile(join(folder, 'journal.ndjson'), { file: 'journal.ndjson' });
    if (isKnown) {
      const durations_ms = Array.from({ length: 20 }, () => spec.renderMs);
      await journal.append({ type: 'durations', service: url, style_version: STYLE_VERSION, durations_ms });
      if (spec.keepsKeys) await journal.append({ type: 'keys', service: url, lifetime_ms: 86_400_000 });
    }
    const lockFile = new LockFile(join(folder, 'reelform.lock.json'), 'reelform.lock.json', emptyLock, writeFileAtomic);
    const service = createHttpService({
      url,
      token: 'token-of-bench',
      keyLifetimeMs: isKnown && spec.keepsKeys ? 86_400_000 : null,
      now: Date.now,
      monotonicNow: () => performance.now(),
      wait: (milliseconds) => setTimeout(milliseconds),
      random: Math.random,
    });
    const cpu = process.cpuUsage();
    const started = performance.now();
    const outcome = await applyPlan({
      plan,
      digestOf: () => undefined,
      service,
      ports: {
        updateLock: (change: (lock: Lock) => Lock) => lockFile.update(change),
        journal,
        writeCaptions: async () => undefined,
        deliverCaptions: async (_, { to }) => ({ to }),
        timelineOf: () => null,
        ensureStyleVersion: async () => undefined,
        probeUrl: async () => ({ kind: 'there', validator: null }),
        readSource: async () => new Uint8Array(),
        clock: {
          now: Date.now,
          monotonicNow: () => performance.now(),
          wait: (milliseconds, signal) => setTimeout(milliseconds, undefined, { signal }),
        },
        newKey: randomUUID,
      },
      concurrency,
      signal: new AbortController().signal,
      detach: new AbortController().signal,
      deadlineMs: null,
      failFast: false,
      run: 'bench',
      onEvent: () => undefined,
    });
    const wallMs = performance.now() - started;
    const used = process.cpuUsage(cpu);
    if (outcome.rendered !== count) throw new Error(`rendered ${outcome.rendered} of ${count}`);
    const { posts, looks } = await counts(url);
    if (posts !== count) throw new Error(`posted ${posts} for ${count}`);
    await journal.close();
    return {
      wallRatio: wallMs / (Math.ceil(count / concurrency) * spec.renderMs),
      requestsPerVideo: (posts + looks) / count,
      cpuMs: (used.user + used.system) / 1000,
      rssMib: process.memoryUsage().rss / 2 ** 20,
    };
  } finally {
    child.kill();
    rmSync(folder, { recursive: true });
  }
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

async function measureAll(): Promise<void> {
  console.log('N     C     T s   RTT ms  keys  known  wall/ideal  requests/video  CPU ms  RSS MiB');
  for (const [count, concurrency, renderMs, roundTripMs] of [
    [100, 20, 3000, 9],
    [100, 20, 1000, 9],
    [250, 50, 3000, 9],
    [1000, 1000, 5000, 20],
  ] as const) {
    if (ONLY !== null && ONLY !== count) continue;
    for (const keepsKeys of [false, true]) {
      for (const isKnown of [false, true]) {
        const runs: Measured[] = [];
        for (let round = 0; round < ROUNDS; round += 1) {
          runs.push(await measure(count, concurrency, { renderMs, roundTripMs, keepsKeys }, isKnown));
        }
        const of = (pick: (run: Measured) => number): number => median(runs.map(pick));
        console.log(
          [
            String(count).padEnd(5),
            String(concurrency).padEnd(5),
            String(renderMs / 1000).padEnd(5),
            String(roundTripMs).padEnd(7),
            (keepsKeys ? 'yes' : 'no').padEnd(5),
            (isKnown ? 'yes' : 'no').padEnd(6),
            of((run) => run.wallRatio)
              .toFixed(3)
              .padEnd(11),
            of((run) => run.requestsPerVideo)
              .toFixed(2)
              .padEnd(15),
            of((run) => run.cpuMs)
              .toFixed(0)
              .padEnd(7),
            of((run) => run.rssMib).toFixed(0),
          ].join(' '),
        );
      }
    }
  }
}
