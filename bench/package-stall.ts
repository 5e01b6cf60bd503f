import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { zipSync } from 'fflate';
import { openApi, untilEnded } from '../test/support/api.ts';
import { freePort } from '../test/support/free-port.ts';
import { smallAnimation, smallPackageFiles } from '../test/support/small-package.ts';
import { createToken, spawnService } from '../test/support/spawned-service.ts';

// npm run bench:stall — the longest delay of the event loop of `reelform serve` while one tenant uploads a package of 3 MB whose
// animation has 20 MB of JSON, its stills are drawn, and a video of it is rendered.

const STOPS = 300_000;
/** Writes the longest delay of the last seconds to a file; SIGUSR2 starts a new measurement. */
const MONITOR = `import { writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';
if (isMainThread && process.argv.includes('serve')) {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  setInterval(() => writeFileSync(process.env.DELAY_FILE, String(delay.max / 1e6)), 100).unref();
  process.on('SIGUSR2', () => delay.reset());
}`;

function largePackage(): Uint8Array {
  const animation = smallAnimation();
  const values = Array.from({ length: STOPS }, (_, index) => [index / (STOPS - 1), 0.123456789012345, 2 / 3, 1 / 3]);
  return zipSync(
    Object.fromEntries(
      smallPackageFiles({ 'animation.json': JSON.stringify({ ...animation, meta: { stops: values.flat() } }) }),
    ),
  );
}

const folder = mkdtempSync(join(tmpdir(), 'reelform-stall-'));
const file = join(folder, 'delay');
const service = await spawnService(folder, {
  port: await freePort(),
  args: ['--log-level', 'error'],
  env: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(MONITOR)}`, DELAY_FILE: file },
});
const api = openApi(service.url, await createToken(folder));
const zip = largePackage();

/** Prints the longest delay during a step. */
async function measure<T>(what: string, step: () => Promise<T>): Promise<T> {
  await sleep(1_000);
  process.kill(service.pid, 'SIGUSR2');
  const begunAt = performance.now();
  const result = await step();
  const seconds = (performance.now() - begunAt) / 1000;
  await sleep(300);
  process.stdout.write(`${what}: ${Number(readFileSync(file, 'utf8')).toFixed(0)} ms of ${seconds.toFixed(1)} s\n`);
  return result;
}

await measure('quiet', () => sleep(3_000));
const { body } = await measure('upload', () =>
  api('POST', '/v2/template_style_versions', { body: zip, headers: { 'content-type': 'application/zip' } }),
);
const { id } = body.style_version;
await measure('still cuts', async () => {
  for (;;) {
    const answer = await api('GET', `/v2/template_style_versions/${id}`);
    if (answer.body.style_version.status !== 'processing') break;
    await sleep(100);
  }
});
await measure('session', async () => {
  const resources = { t_01: { source: { text: 'Hello' } }, c_01: { source: { text: '#00ff00' } } };
  const session = { title: 'Stall', render: 'preview', mapping: { template_style_version_id: id, resources } };
  const { body: created } = await api('POST', '/v2/render_sessions', { body: session });
  return untilEnded(api, created.render_session.id);
});
await service.stop();
rmSync(folder, { recursive: true, force: true });
