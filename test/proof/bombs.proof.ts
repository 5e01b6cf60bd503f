import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Api, type ApiAnswer, openApi, untilEnded } from '../support/api.ts';
import { BODY_BOMBS } from '../support/bombs/body-bombs.ts';
import type { Bomb } from '../support/bombs/bomb.ts';
import { FONT_BOMBS } from '../support/bombs/font-bombs.ts';
import { IMAGE_BOMBS } from '../support/bombs/image-bombs.ts';
import { MATROSKA_BOMBS } from '../support/bombs/matroska-bombs.ts';
import { MP4_BOMBS } from '../support/bombs/mp4-bombs.ts';
import { corpus, mutated, mutatedPackage } from '../support/bombs/mutants.ts';
import { PACKAGE_BOMBS, zipOf } from '../support/bombs/package-bombs.ts';
import { SOUND_BOMBS } from '../support/bombs/sound-bombs.ts';
import { openFarm } from '../support/farm.ts';
import { farmSession } from '../support/farm-sessions.ts';
import { freePort } from '../support/free-port.ts';
import { startServer } from '../support/http-server.ts';
import { type LatencyProbe, startLatencyProbe } from '../support/latency-probe.ts';
import { postgresPackage } from '../support/postgres-server.ts';
import { count, IS_WHOLE, percentile, tell } from '../support/proof.ts';
import { sessionBody } from '../support/running-service.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { createToken, type SpawnedService, spawnService } from '../support/spawned-service.ts';

// One tenant sends files designed to exhaust their reader, while another sends ordinary requests.

const ALL = [
  ...MP4_BOMBS,
  ...MATROSKA_BOMBS,
  ...SOUND_BOMBS,
  ...IMAGE_BOMBS,
  ...PACKAGE_BOMBS,
  ...FONT_BOMBS,
  ...BODY_BOMBS,
];
/** Every fortieth one in the small run. */
const BOMBS: readonly Bomb[] = ALL.filter((_, index) => index % count(1, 40) === 0);
/** Bombs that a session may refer to; fewer in the small run. */
const NAMED = BOMBS.filter(({ kind }, index) => kind === 'source' && (IS_WHOLE || index % 2 === 0));
/** Size of a bomb: the size limit of its route in the full run. */
const sizeOf = ({ limitBytes }: Bomb): number => Math.min(limitBytes, count(limitBytes, 250_000));
const MUTANTS = count(10_000, 12);
/** Memory limit of the service without its child processes; covers a few of the largest uploads. */
const MAX_RSS_MB = 1_500;
const PATHS = { source: '/v2/source_uploads', package: '/v2/template_style_versions', body: '/v2/render_sessions' };
const TYPES = { source: 'application/octet-stream', package: 'application/zip', body: 'application/json' };
const PHOTO = '(Footage)/USER/photo.png';

const folder = mkdtempSync(join(tmpdir(), 'reelform-bombs-'));
/** Files served by URL, by path. */
const served = new Map<string, Uint8Array>();
let sources: Awaited<ReturnType<typeof startServer>>;
let service: SpawnedService;
let attacker: { readonly api: Api; readonly token: string };
/** A tenant that continuously lists its sessions. */
let victim: LatencyProbe;

beforeAll(async () => {
  sources = await startServer((request, response) => response.end(served.get(request.url ?? '') ?? ''));
  const args = ['--log-level', 'silent', '--allow-source', `127.0.0.1:${new URL(sources.url).port}`];
  service = await spawnService(folder, { port: await freePort(), args });
  victim = startLatencyProbe({
    url: `${service.url}/v2/render_sessions`,
    token: await createToken(folder, ['--tenant', 'victim']),
    everyMs: 20,
  });
  const token = await createToken(folder, ['--tenant', 'attacker']);
  attacker = { api: openApi(service.url, token), token };
});

afterAll(async () => {
  await victim.stop();
  expect(await service.stop()).toBe(0);
  await sources.close();
  rmSync(folder, { recursive: true, force: true });
});

const rssMb = (): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))?.[1]) / 1024;

/** Durations of the victim's requests in milliseconds during an attack, and the peak memory of the service. */
interface Seen {
  readonly ms: readonly number[];
  readonly mb: number;
}

async function during<T>(attack: () => Promise<T>): Promise<{ readonly result: T } & Seen> {
  await victim.take();
  let mb = rssMb();
  const watching = setInterval(() => {
    mb = Math.max(mb, rssMb());
  }, 20);
  try {
    const result = await attack();
    return { result, ms: await victim.take(), mb };
  } finally {
    clearInterval(watching);
  }
}

/** Posts a file, retrying on 429. Every other answer must be a success or a named problem of the request. */
async function send(kind: Bomb['kind'], body: Uint8Array, name: string): Promise<ApiAnswer> {
  for (;;) {
    const answer = await attacker.api('POST', PATHS[kind], { body, headers: { 'content-type': TYPES[kind] } });
    if (answer.status === 429) {
      await sleep(200);
      continue;
    }
    expect(answer.status, `${name}: ${JSON.stringify(answer.body).slice(0, 500)}`).toBeLessThan(500);
    if (answer.status >= 400) expect(answer.body.code, name).toMatch(/^[a-z_]+$/);
    else if (kind === 'package') await untilProcessed(answer.body.style_version.id as string);
    return answer;
  }
}

async function untilProcessed(id: string): Promise<void> {
  for (;;) {
    const { body } = await attacker.api('GET', `/v2/template_style_versions/${id}`);
    if (body.style_version !== undefined && body.style_version.status !== 'processing') return;
    await sleep(100);
  }
}

/** Returns the answer to a request that declares one byte too many, before its bytes are sent. */
function announce(kind: Bomb['kind'], sizeBytes: number): Promise<number> {
  const headers = {
    authorization: `Bearer ${attacker.token}`,
    'content-type': TYPES[kind],
    'content-length': String(sizeBytes),
  };
  return new Promise((resolve, reject) => {
    const sent = request(service.url + PATHS[kind], { method: 'POST', headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
      sent.destroy();
    });
    sent.on('error', reject);
    sent.flushHeaders();
  });
}

/** @returns the code of the problem or of the session's error, or otherwise the session's status */
async function outcomeOf(api: Api, body: object): Promise<string> {
  const { status, body: answer } = await api('POST', PATHS.body, { body });
  if (status === 422) return String(answer.code);
  expect(status, JSON.stringify(answer)).toBe(201);
  const session = await untilEnded(api, answer.render_session.id as string);
  return session.status === 'preview_failed' ? String(session.errors[0].code) : String(session.status);
}

/** Renders a session whose image is at a URL. */
async function fetched(api: Api, bytes: Uint8Array, name: string, styleVersion: string): Promise<string> {
  const path = `/${encodeURIComponent(name)}`;
  served.set(path, bytes);
  const remote_url = sources.url + path;
  const outcome = await outcomeOf(api, sessionBody(styleVersion, { [PHOTO]: { source: { remote_url } } }, name));
  served.delete(path);
  return outcome;
}

/** Runs some work `times` times, three at once. */
async function inLanes(times: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let index = next++; index < times; index = next++) await work(index);
  };
  await Promise.all([lane(), lane(), lane()]);
}

function tally(outcomes: Record<string, number>, outcome: string): void {
  outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
}

const worst = { name: '', ms: 0, mb: 0 };
const attacked: number[] = [];
let quiet: readonly number[] = [];

function note(name: string, { ms, mb }: Seen): void {
  attacked.push(...ms);
  const longest = Math.max(...ms);
  if (longest > worst.ms) Object.assign(worst, { name, ms: longest });
  worst.mb = Math.max(worst.mb, mb);
}

test(`${BOMBS.length} bombs, uploaded and behind URLs, at and above the size limit`, async () => {
  // The first requests include compilation in the service.
  await sleep(1_000);
  quiet = (await during(() => sleep(count(10_000, 1_000)))).ms;
  const uploaded = await send('package', zipOf({}), 'small');
  const id = uploaded.body.style_version.id as string;
  const outcomes: Record<string, number> = {};
  const outcomesOfUrls: Record<string, number> = {};
  let slowest = { name: '', seconds: 0 };
  for (const bomb of BOMBS) {
    // Each takes seconds to make.
    const bytes = bomb.make(sizeOf(bomb));
    const begun = performance.now();
    const { result, ...seen } = await during(() => send(bomb.kind, bytes, bomb.name));
    const seconds = (performance.now() - begun) / 1000;
    if (seconds > slowest.seconds) slowest = { name: bomb.name, seconds };
    note(bomb.name, seen);
    const outcome = result.status < 400 ? 'taken' : String(result.body.code);
    tally(outcomes, outcome);
    if (NAMED.includes(bomb)) {
      const { result: end, ...meanwhile } = await during(() => fetched(attacker.api, bytes, bomb.name, id));
      note(`${bomb.name} behind a URL`, meanwhile);
      tally(outcomesOfUrls, end);
    }
    if (IS_WHOLE) {
      const padding = Buffer.alloc(Math.max(0, bomb.limitBytes + 1 - bytes.length));
      const answer = await send(bomb.kind, Buffer.concat([bytes, padding]), bomb.name).catch(() => null);
      if (answer !== null) expect(answer.status, bomb.name).toBeGreaterThanOrEqual(400);
    }
  }
  for (const [kind, limit] of [
    ['source', 200_000_000],
    ['package', 50 << 20],
    ['body', 1 << 20],
  ] as const) {
    expect(await announce(kind, limit + 1), kind).toBe(413);
  }
  tell(
    `${BOMBS.length} bombs: ${JSON.stringify(outcomes)}, behind URLs: ${JSON.stringify(outcomesOfUrls)}; the longest answer took ${slowest.seconds.toFixed(1)} s (${slowest.name})`,
  );
});

test('texts drawn with malicious fonts', async () => {
  const outcomes: Record<string, number> = {};
  for (const bomb of FONT_BOMBS.filter((_, index) => index % count(1, 32) === 0)) {
    const { status, body } = await send('package', bomb.make(count(20_000_000, 250_000)), bomb.name);
    if (status >= 400) {
      tally(outcomes, String(body.code));
      continue;
    }
    const session = sessionBody(body.style_version.id, { t_01: { source: { text: 'Hello' } } }, bomb.name);
    const { result, ...seen } = await during(() => outcomeOf(attacker.api, session));
    note(`${bomb.name}, drawn`, seen);
    tally(outcomes, result);
  }
  tell(`fonts: ${JSON.stringify(outcomes)}`);
});

test.skipIf(postgresPackage() === null)('bombs at URLs that a worker fetches', async () => {
  const source = new URL(sources.url).host;
  const farm = await openFarm({ env: { REELFORM_ALLOW_SOURCES: source, REELFORM_LOG_LEVEL: 'info' } });
  try {
    const worker = await farm.hire('worker');
    const pid = worker.pid();
    const { body } = await farm.api('POST', PATHS.package, {
      body: zipOf({}),
      headers: { 'content-type': TYPES.package },
    });
    const id = body.style_version.id as string;
    await expect
      .poll(async () => (await farm.api('GET', `/v2/template_style_versions/${id}`)).body.style_version.status, {
        timeout: 30_000,
      })
      .toBe('edit_ready');
    const outcomes: Record<string, number> = {};
    for (const bomb of NAMED) tally(outcomes, await fetched(farm.api, bomb.make(sizeOf(bomb)), bomb.name, id));
    const random = seededRandom(12);
    const files = corpus().filter(({ kind }) => kind === 'source');
    await inLanes(count(1_000, 1), async (index) => {
      const { name, bytes } = random.pick(files);
      const mutant = mutated(bytes, random.pick(files).bytes, random);
      tally(outcomes, await fetched(farm.api, mutant, `mutant ${index} of ${name}`, id));
    });
    expect(worker.pid()).toBe(pid);
    const afterwards = farmSession('short', 1);
    expect(await outcomeOf(farm.api, { render: 'preview', title: 'after', mapping: afterwards.mapping })).toBe(
      'preview_rendered',
    );
    tell(`fetched by a worker: ${JSON.stringify(outcomes)}`);
  } finally {
    const { codes, orphans, left } = await farm.close();
    expect({ codes, orphans, left }).toEqual({ codes: [0, 0], orphans: 0, left: [] });
  }
});

test(`${MUTANTS} mutants`, async () => {
  const random = seededRandom(11);
  const files = corpus();
  const outcomes: Record<string, number> = {};
  const one = async (index: number): Promise<void> => {
    const { kind, name, bytes } = random.pick(files);
    const body = kind === 'package' ? mutatedPackage(random) : mutated(bytes, random.pick(files).bytes, random);
    if (body.length === 0) return;
    const { status, body: answer } = await send(kind, body, `mutant ${index} of ${name}`);
    const outcome = status < 400 ? 'taken' : String(answer.code);
    tally(outcomes, outcome);
  };
  const seen = await during(() => inLanes(MUTANTS, one));
  note('mutants', seen);
  tell(`${MUTANTS} mutants: ${JSON.stringify(outcomes)}`);
});

test('no process ended, no request waited, and memory stayed within bounds', async () => {
  const [before, meanwhile] = [percentile(quiet, 0.99), percentile(attacked, 0.99)];
  tell(`p99 of the victim: ${meanwhile.toFixed(0)} ms, quiet ${before.toFixed(0)} ms; ${attacked.length} requests`);
  tell(`median: ${percentile(attacked, 0.5).toFixed(1)} ms, quiet ${percentile(quiet, 0.5).toFixed(1)} ms`);
  tell(`longest ${worst.ms.toFixed(0)} ms (${worst.name}); memory of the service ${worst.mb.toFixed(0)} MB at most`);
  expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
  expect(worst.mb).toBeLessThan(MAX_RSS_MB);
  // The strict limit requires an otherwise idle machine.
  expect(meanwhile).toBeLessThan(IS_WHOLE ? 2 * before + 10 : Math.max(2_000, 20 * before));
  expect(worst.ms).toBeLessThan(15_000);
});
