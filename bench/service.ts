import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { openApi, untilEnded } from '../test/support/api.ts';
import { freePort } from '../test/support/free-port.ts';
import { makeRepository } from '../test/support/repository.ts';
import { smallAnimation } from '../test/support/small-package.ts';
import { createToken, type SpawnedService, spawnService } from '../test/support/spawned-service.ts';

/**
 * Measures the service against lower bounds, in one run: reading a session against a bare Fastify route that answers
 * the same bytes, the time from a POST to its render and its video, the start of PGlite, and rendering through HTTP
 * against the embedded service.
 * `npm run bench:service [seconds of each load] [videos]`
 */
const SECONDS = Number(process.argv[2] ?? 8);
const VIDEOS = Number(process.argv[3] ?? 12);
const CONNECTIONS = 10;
const CLI = join(process.cwd(), 'dist/cli/main.js');

const BARE = `import { fastify } from 'fastify';
import { readFileSync } from 'node:fs';
const body = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const app = fastify();
app.get('/session', async () => body);
await app.listen({ host: '127.0.0.1', port: Number(process.argv[3]) });`;

interface Load {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}

async function load(url: string, token = ''): Promise<Load> {
  const { stdout } = await execa('node', [
    'node_modules/autocannon/autocannon.js',
    '--json',
    ...['--connections', String(CONNECTIONS), '--duration', String(SECONDS)],
    ...(token === '' ? [] : ['--headers', `authorization=Bearer ${token}`]),
    url,
  ]);
  const result = JSON.parse(stdout) as {
    requests: { average: number };
    latency: { p50: number; p99: number };
    non2xx: number;
    errors: number;
  };
  if (result.non2xx + result.errors > 0) throw new Error(`${result.non2xx} refused, ${result.errors} failed at ${url}`);
  return { perSecond: result.requests.average, p50: result.latency.p50, p99: result.latency.p99 };
}

/** Returns the current and peak resident memory of a process in megabytes. */
function memory(pid: number): { now: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const of = (name: string): number => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024;
  return { now: of('VmRSS'), peak: of('VmHWM') };
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** Creates a repository of videos of 90 frames, 640 × 360, each with its own text. */
function repository(service: string): string {
  const definitions = Array.from({ length: VIDEOS }, (_, index) => [
    `videos/v${index}.yaml`,
    `template: small\ntitle: V${index}\nresources:\n  t_01: No. ${index}\n  c_01: "#EEADA7"\n`,
  ]);
  return makeRepository({
    'reelform.yaml': `service: ${service}\ntemplates:\n  small: ./templates/small\nvideos: videos/v*.yaml\nconcurrency: 4\n`,
    'templates/small/animation.json': JSON.stringify(smallAnimation())
      .replaceAll('"op":10', '"op":90')
      .replace('"w":64,"h":36', '"w":640,"h":360'),
    ...Object.fromEntries(definitions),
  });
}

async function apply(root: string, token: string): Promise<number> {
  const start = performance.now();
  await execa('node', [CLI, 'apply', '--auto-approve'], { cwd: root, env: { CI: 'true', REELFORM_TOKEN: token } });
  return performance.now() - start;
}

const folder = mkdtempSync(join(tmpdir(), 'reelform-bench-'));
const data = mkdtempSync(join(tmpdir(), 'reelform-bench-data-'));
const port = await freePort();
let service: SpawnedService | null = null;
try {
  const timed = async (): Promise<number> => {
    const start = performance.now();
    service = await spawnService(data, { port, log: [] });
    return performance.now() - start;
  };
  const firstMs = await timed();
  const first = memory(service!.pid);
  await service!.stop();
  const againMs = await timed();
  const again = memory(service!.pid);
  console.log(
    `start, database made new    ${(firstMs / 1000).toFixed(1)} s, ${first.peak.toFixed(0)} MB at its highest`,
  );
  console.log(`start, database there       ${(againMs / 1000).toFixed(1)} s, ${again.now.toFixed(0)} MB`);

  const token = await createToken(data);
  const root = repository(`{url: ${service!.url}}`);
  const httpMs = await apply(root, token);
  const embedded = repository('embedded');
  const embeddedMs = await apply(embedded, token);
  const perMinute = (ms: number): string => ((VIDEOS / ms) * 60_000).toFixed(1);
  console.log(
    `renders a minute            ${perMinute(httpMs)} through HTTP, ${perMinute(embeddedMs)} embedded, ratio ${(embeddedMs / httpMs).toFixed(2)}`,
  );

  const api = openApi(service!.url, token);
  const { body: versions } = await api('GET', '/v2/template_style_versions');
  const create = (text: string) =>
    api('POST', '/v2/render_sessions', {
      body: {
        title: text,
        render: 'preview',
        mapping: {
          template_style_version_id: versions.style_versions[0].id,
          resources: { t_01: { source: { text } }, c_01: { source: { text: 'EEADA7' } } },
        },
      },
    });
  const answered: number[] = [];
  const begun: number[] = [];
  const ended: number[] = [];
  let id = '';
  for (let index = 0; index < 20; index++) {
    const wall = Date.now();
    const start = performance.now();
    const { body } = await create(`Bench ${index}`);
    answered.push(performance.now() - start);
    id = body.render_session.id;
    await untilEnded(api, id);
    ended.push(performance.now() - start);
    const line = service!.log.find((text) => text.includes('"session-begun"') && text.includes(id));
    begun.push(Date.parse((JSON.parse(line!) as { time: string }).time) - wall);
  }
  console.log(`POST to its answer          ${median(answered).toFixed(1)} ms`);
  console.log(`POST to its render's begin  ${median(begun).toFixed(0)} ms`);
  console.log(`POST to its video           ${(median(ended) / 1000).toFixed(2)} s (90 frames of 640 × 360)`);

  const { body } = await api('GET', `/v2/render_sessions/${id}`);
  writeFileSync(join(folder, 'session.json'), JSON.stringify(body));
  writeFileSync(join(process.cwd(), 'dist/bench/bare.mjs'), BARE);
  const barePort = await freePort();
  const bare = execa('node', ['dist/bench/bare.mjs', join(folder, 'session.json'), String(barePort)], {
    reject: false,
  });
  const bareUrl = `http://127.0.0.1:${barePort}/session`;
  while (
    !(await fetch(bareUrl).then(
      (answer) => answer.ok,
      () => false,
    ))
  );
  const loads: { name: string; result: Load }[] = [];
  for (let round = 0; round < 2; round++) {
    loads.push({ name: 'bare Fastify route', result: await load(bareUrl) });
    loads.push({ name: 'GET session', result: await load(`${service!.url}/v2/render_sessions/${id}`, token) });
  }
  bare.kill();
  for (const { name, result } of loads) {
    console.log(
      `${name.padEnd(27)} ${result.perSecond.toFixed(0)} a second, p50 ${result.p50} ms, p99 ${result.p99} ms`,
    );
  }
  const best = (name: string): number =>
    Math.max(...loads.filter((one) => one.name === name).map(({ result }) => result.perSecond));
  console.log(`ratio                       ${(best('GET session') / best('bare Fastify route')).toFixed(2)}`);
} finally {
  await (service as SpawnedService | null)?.stop();
  for (const path of [folder, data]) rmSync(path, { recursive: true, force: true });
}
