import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { answerScenario, newAnswerFigures } from '../support/answer-faults.ts';
import { attempt, FAULTS, mistakes, NETWORKS, type Outcome } from '../support/fault-matrix.ts';
import { startInterfaceService } from '../support/interface-service.ts';
import { count, tell } from '../support/proof.ts';
import { definition, makeRepository } from '../support/repository.ts';
import { smallPackage } from '../support/small-package.ts';
import { newSourceFigures, sourceScenario } from '../support/source-faults.ts';
import { reelform } from '../support/test-io.ts';

/** Number of passes through the whole matrix. */
const ROUNDS = count(5, 1);
/** Upper limit for the size of a session's answer including its head. */
const ANSWER_BYTES = 900;
const EVERY = count(1, 60);

let attempts = 0;
let posts = 0;
let peakMib = 0;
const outcomes: Record<Outcome, number> = { created: 0, not_created: 0, unknown: 0 };

async function tried(...[fault, toxics, options]: Parameters<typeof attempt>): Promise<Outcome> {
  const attempted = await attempt(fault, toxics, options);
  attempts += 1;
  posts += attempted.service.posts.length;
  outcomes[attempted.outcome] += 1;
  peakMib = Math.max(peakMib, process.memoryUsage().rss / 2 ** 20);
  expect(mistakes(attempted, fault)).toEqual([]);
  return attempted.outcome;
}

describe('a POST of a session', () => {
  const before = process.memoryUsage().rss / 2 ** 20;

  it.each(Object.keys(NETWORKS))(
    'is classified as documented for every server fault over a network with %s',
    async (network) => {
      for (let round = 0; round < ROUNDS; round += 1) {
        for (const [name, fault, outcome] of FAULTS) {
          expect([name, await tried(fault, NETWORKS[network]!, { timeoutMs: 400 })]).toEqual([name, outcome]);
        }
      }
    },
  );

  it('creates no second session when the answer is cut at any byte', async () => {
    const made: number[] = [];
    for (let bytes = 1; bytes < ANSWER_BYTES; bytes += EVERY) {
      const toxics = { downstream: [{ type: 'limit_data', bytes }] } as const;
      if ((await tried(null, toxics, { timeoutMs: 2_000 })) === 'created') made.push(bytes);
    }
    // Once the whole head has arrived, the session is known.
    expect(made).toEqual(
      Array.from({ length: Math.ceil((ANSWER_BYTES - made[0]!) / EVERY) }, (_, index) => made[0]! + index * EVERY),
    );
    tell(`known from byte ${made[0]} of the answer on`);
  });

  it('creates no second session when the request is cut at any byte', async () => {
    for (let bytes = 1; bytes < 400; bytes += EVERY) {
      await tried(null, { upstream: [{ type: 'limit_data', bytes }] }, { timeoutMs: 2_000 });
    }
  });

  it('creates no second session when the connection is reset at any moment', async () => {
    for (let timeout = 0; timeout < 30; timeout += count(1, 6)) {
      const late = { type: 'latency', latency: 5 } as const;
      await tried(null, { upstream: [late, { type: 'reset_peer', timeout }], downstream: [late] });
    }
  });

  it('is retried with its key until exactly one session exists, where keys are stored', async () => {
    for (const [name, fault, outcome] of FAULTS) {
      if (outcome !== 'unknown' || /300 MB|201|204|303/.test(name)) continue;
      const attempted = await attempt(fault, NETWORKS.sliced!, { keepsKeys: true, timeoutMs: 400 });
      expect([name, attempted.outcome, attempted.service.sessions.size]).toEqual([name, 'created', 1]);
    }
  });

  afterAll(() => {
    tell(
      `${attempts} requests, ${posts} posts: ${outcomes.created} created, ${outcomes.not_created} not created, ${outcomes.unknown} unknown; 0 sessions twice, 0 told wrongly`,
    );
    tell(
      `resident ${before.toFixed(0)} MiB before, ${peakMib.toFixed(0)} MiB at most, with answers of 300 MB among them`,
    );
    expect(peakMib - before).toBeLessThan(250);
  });
});

/** Repositories that are applied five times each. */
const SCENARIOS = count(1_000, 40);

describe('answers about sessions', () => {
  it('that are late, wrong or missing, under changing tokens and clocks and with killed runs, are paid for once', async () => {
    const figures = newAnswerFigures();
    const mistakes: string[] = [];
    for (let seed = 0; seed < SCENARIOS; seed += 1) mistakes.push(...(await answerScenario(seed, figures)));
    tell(`answers: ${JSON.stringify(figures)}`);
    expect(mistakes).toEqual([]);
    expect(figures.rendered).toBeGreaterThan(0);
  });
});

/** Sets of six files whose hosts have passing faults. */
const SOURCE_SCENARIOS = count(1_000, 40);

describe('hosts of sources', () => {
  it('that are busy, broken or cut off for a while are asked again as documented, and end no video by it', async () => {
    const figures = newSourceFigures();
    const mistakes: string[] = [];
    for (let seed = 0; seed < SOURCE_SCENARIOS; seed += 1) mistakes.push(...(await sourceScenario(seed, figures)));
    tell(`sources: ${JSON.stringify(figures)}`);
    expect(mistakes).toEqual([]);
    expect(Math.min(figures.fetched, figures.failed)).toBeGreaterThan(0);
  });
});

/** Videos of one run that are rendering when the service answers 404 for them. */
const RUNNING = count(20, 8);
const RENDER_MS = 2_500;

/** Periods in which sessions are missing, by their age in milliseconds. */
const ABSENCES: readonly (readonly [name: string, isAway: (ageMs: number) => boolean])[] = [
  ['for 5 s, while all are running', (ageMs) => ageMs > 500 && ageMs < 5_500],
  ['for 0.8 s, because reads lag behind writes', (ageMs) => ageMs < 800],
  ['now and then, from one replica of two', (ageMs) => Math.floor(ageMs / 100) % 2 === 0],
  ['from when they end, for 5 s', (ageMs) => ageMs > RENDER_MS && ageMs < RENDER_MS + 5_000],
];

describe('404 for existing sessions', () => {
  it.each(ABSENCES)('%s, is waited out without failures or second payments', async (name, isAway) => {
    const service = await startInterfaceService({
      styleVersions: [{ ...smallPackage().spec, id: 'tsv_stranger' }],
      hasEnded: (_, ageMs) => ageMs > RENDER_MS,
    });
    onTestFinished(() => service.close());
    service.hides = (_, ageMs) => isAway(ageMs);
    const photo = '  (Footage)/USER/photo.png: http://127.0.0.1:9/a.png\n';
    const videos = Array.from({ length: RUNNING }, (_, index) => `video-${index}`);
    const root = makeRepository({
      'reelform.yaml': `service: {url: "${service.url}"}\ntemplates: {small: tsv_stranger}\nvideos: videos/video-*.yaml\n`,
      ...Object.fromEntries(videos.map((id) => [`videos/${id}.yaml`, definition(id, photo)])),
    });
    const run = (...args: string[]) => reelform(root, args, { env: { REELFORM_TOKEN: service.token }, now: Date.now });
    expect(await run('pull')).toMatchObject({ exitCode: 0 });
    const { exitCode } = await run('apply', '--auto-approve', '--concurrency', String(RUNNING));
    expect({ exitCode, sessions: service.sessions.size }).toEqual({ exitCode: 0, sessions: RUNNING });
    expect(await run('apply', '--auto-approve')).toMatchObject({ exitCode: 0 });
    expect(service.sessions.size).toBe(RUNNING);
    tell(`404 ${name}: ${RUNNING} videos, ${service.sessions.size} sessions`);
  });
});
