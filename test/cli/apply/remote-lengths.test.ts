import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Io } from '../../../src/cli/io.ts';
import { openPreviewPorts } from '../../../src/cli/preview/open-preview-ports.ts';
import { stereoWav } from '../../engine/media/media-files.ts';
import { anyDatabases } from '../../support/databases.ts';
import { startServer } from '../../support/http-server.ts';
import { keptRenderPool } from '../../support/kept-render-pools.ts';
import { CONFIG, definition, makeRepository } from '../../support/repository.ts';
import { startService } from '../../support/running-service.ts';
import { type Ran, reelform } from '../../support/test-io.ts';

const wav = (seconds: number): Buffer => stereoWav(8000, new Float32Array(8000 * seconds));

/** A server with one voice. */
async function openVoice(seconds: number) {
  const methods: string[] = [];
  const served = { seconds: seconds as number | null };
  const server = await startServer((request, response) => {
    methods.push(request.method!);
    if (served.seconds === null) return void response.writeHead(404).end();
    const body = wav(served.seconds);
    response.writeHead(200, {
      'content-type': 'audio/wav',
      etag: `"${served.seconds}"`,
      'content-length': body.length,
    });
    response.end(request.method === 'HEAD' ? undefined : body);
  });
  onTestFinished(() => server.close());
  return {
    url: `${server.url}/voice.wav`,
    host: new URL(server.url).host,
    /** Serves a voice of another length; null for none. */
    change: (next: number | null) => {
      served.seconds = next;
    },
    /** Methods of the requests since the last call. */
    requests: () => methods.splice(0),
  };
}

/** Without a segment cache, a plan does not fetch sources to count segments. */
const WITHOUT_SEGMENTS = `${CONFIG}cache: { max_gb: 0 }\n`;

type Voice = Awaited<ReturnType<typeof openVoice>>;

/** A repository with a video as long as its remote voice, and another one. */
function openRepository(voice: Voice, duration = '{content: true, max: 8}', config = WITHOUT_SEGMENTS) {
  const spoken = (place: string) => `audio: { voice: { source: "${place}" } }\nduration: ${duration}\n`;
  const root = makeRepository({
    'reelform.yaml': config,
    'videos/rome.yaml': `${definition('Rome')}${spoken(voice.url)}`,
  });
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  rmSync(join(root, 'videos/oslo.yaml'));
  const run = (...args: string[]): Promise<Ran> =>
    reelform(root, args, { env: { REELFORM_ALLOW_SOURCES: voice.host, REELFORM_TOKEN: token.value }, now: Date.now });
  const token = { value: '' };
  const lock = () => JSON.parse(readFileSync(join(root, 'reelform.lock.json'), 'utf8')).videos;
  return {
    root,
    run,
    lock,
    token,
    async plan(...args: string[]) {
      const { exitCode, stdout } = await run('plan', '--json', '--no-lint', ...args);
      const { changes, diagnostics, estimate } = JSON.parse(stdout);
      const { scenes } = changes.find(({ id }: { id: string }) => id === 'rome') ?? {};
      const found = diagnostics.filter(({ code }: { code: string }) => code !== 'schema_outdated');
      const codes = found.map(({ code, severity }: Record<string, string>) => `${severity} ${code}`);
      return { exitCode, length: scenes?.[0].length, codes, seconds: estimate.seconds_of_video, diagnostics: found };
    },
    edit: (path: string, from: string, to: string) =>
      writeFileSync(join(root, path), readFileSync(join(root, path), 'utf8').replace(from, to)),
  };
}

it('counts an unknown length with its max in a plan, and measures it in a refresh', async () => {
  const voice = await openVoice(3);
  const { plan, run } = openRepository(voice);
  const unknown = await plan();
  expect(unknown).toMatchObject({ exitCode: 0, length: 8, codes: ['warning content_unknown'] });
  expect(unknown.diagnostics[0]).toMatchObject({ file: 'videos/rome.yaml' });
  const explained = (await run('explain', 'rome')).stdout.replace(/\s+/g, ' ');
  expect(explained).toContain('for 8.0 s at most, because the length of its voice is not known yet');
  expect(voice.requests()).toEqual([]);
  expect(await plan('--refresh')).toMatchObject({ length: 3.5, codes: [] });
  expect(voice.requests()).toEqual(['HEAD', 'GET']);
  expect(await plan()).toMatchObject({ length: 3.5, codes: [] });
  expect(voice.requests()).toEqual([]);
  // The version is the same.
  await plan('--refresh');
  expect(voice.requests()).toEqual(['HEAD']);
});

it('renders the measured length, which a plan in another checkout knows from the lockfile', async () => {
  const voice = await openVoice(3);
  const { run, plan, lock, edit, root } = openRepository(voice, 'content');
  expect(await plan()).toMatchObject({ length: null, seconds: null, codes: ['warning content_unlimited'] });
  expect(await run('apply', '--auto-approve')).toMatchObject({ exitCode: 0 });
  expect(lock().rome).toMatchObject({
    scenes: [{ length: 3.5 }],
    sound_lengths: { [voice.url]: { samples: 24_000, rate: 8000 } },
  });
  expect(await plan('--detailed-exitcode')).toMatchObject({ exitCode: 0, codes: [] });
  rmSync(join(root, '.reelform'), { recursive: true });
  edit('videos/rome.yaml', 't_01: Rome', 't_01: Roma');
  voice.requests();
  expect(await plan()).toMatchObject({ length: 3.5, codes: [] });
  expect(voice.requests()).toEqual([]);
});

it('keeps the lengths of a rendered video whose title changes', async () => {
  const voice = await openVoice(3);
  const { run, lock, edit, root } = openRepository(voice);
  await run('apply', '--auto-approve');
  rmSync(join(root, '.reelform'), { recursive: true });
  edit('videos/rome.yaml', 'title: Rome', 'title: Roma');
  expect(await run('apply', '--auto-approve')).toMatchObject({ exitCode: 0 });
  expect(lock().rome).toMatchObject({ title: 'Roma', scenes: [{ length: 3.5 }] });
});

it('refuses a video alone whose voice cannot be measured, and renders it later', async () => {
  const voice = await openVoice(3);
  voice.change(null);
  const { run, plan, lock } = openRepository(voice);
  const { codes } = await plan('--refresh');
  expect(codes).toEqual(['warning content_unknown']);
  const failed = await run('apply', '--auto-approve');
  expect(failed.exitCode).toBe(4);
  expect(failed.stdout).toContain('content_unknown');
  expect(failed.stdout).toMatch(/The length of http:\S+voice.wav cannot be measured/);
  expect(Object.keys(lock())).toEqual(['berlin']);
  voice.change(4);
  expect(await run('apply', '--auto-approve')).toMatchObject({ exitCode: 0 });
  expect(lock().rome.scenes).toMatchObject([{ length: 4.5 }]);
});

it('measures again before it renders, so that a saved plan approves no more than it shows', async () => {
  const voice = await openVoice(3);
  const { run, lock, root } = openRepository(voice, 'content');
  const file = join(root, 'plan.json');
  await run('plan', '--refresh', '--no-lint', '--out', file);
  voice.change(5);
  const { exitCode, stdout } = await run('apply', file);
  expect(exitCode).toBe(4);
  expect(stdout).toContain('The plan shows 3.5 s of "rome", which is 5.5 s long now');
  expect(Object.keys(lock())).toEqual(['berlin']);
  voice.change(2);
  expect(await run('apply', file)).toMatchObject({ exitCode: 0 });
  expect(lock().rome.scenes).toMatchObject([{ length: 2.5 }]);
});

it('checks policies with the max of an unknown length, denies one without, and applies the measured one', async () => {
  const voice = await openVoice(3);
  const rule = (seconds: number) => `${CONFIG}policies: { max_duration: { seconds: ${seconds} } }\n`;
  const open = openRepository(voice, 'content', rule(10));
  const planned = await open.run('plan', '--no-lint');
  expect(planned.stdout + planned.stderr).toContain('The length of rome has no limit, but the limit is 10 s');
  expect(await open.run('apply', '--auto-approve')).toMatchObject({ exitCode: 0 });
  const tight = openRepository(voice, '{content: true, max: 8}', rule(6));
  const text = await tight.run('plan', '--no-lint');
  expect(text.stdout + text.stderr).toContain('rome is 8 s long, but the limit is 6 s');
  expect(await tight.run('apply', '--auto-approve')).toMatchObject({ exitCode: 0 });
  voice.change(7);
  tight.edit('videos/rome.yaml', 't_01: Rome', 't_01: Roma');
  const refused = await tight.run('apply', '--auto-approve');
  expect(refused.exitCode).not.toBe(0);
  expect(refused.stderr).toContain('rome is 7.5 s long, but the limit is 6 s');
});

it('sends a service the measured seconds', async () => {
  const voice = await openVoice(3);
  const service = await startService(await anyDatabases.address(), { allowSources: [voice.host] });
  const { token, api } = await service.client('acme');
  const remote = openRepository(
    voice,
    'content',
    CONFIG.replace('service: embedded', `service: { url: "${service.url}" }`),
  );
  remote.token.value = token;
  expect(await remote.run('apply', '--auto-approve')).toMatchObject({ exitCode: 0 });
  const { body } = await api('GET', `/v2/render_sessions/${remote.lock().rome.session}`);
  expect(body.render_session.scenes).toMatchObject([{ seconds: 3.5 }]);
});

it('measures before `render` draws, and locates a sound that it cannot measure', async () => {
  const voice = await openVoice(3);
  const { run } = openRepository(voice);
  const frame = ['render', 'rome', '--json', '--frame', '3.4s', '--draft'];
  const rendered = await run(...frame);
  expect(rendered.stderr).toBe('');
  // The last frame of 3.5 s at 10 frames per second.
  expect(JSON.parse(rendered.stdout)).toMatchObject({ frame: 34 });
  expect(voice.requests()).toEqual(['HEAD', 'GET', 'GET']);
  voice.change(null);
  const refused = await run('render', 'rome');
  expect(refused.exitCode).toBe(1);
  expect(refused.stderr.replace(/\s+/g, ' ')).toMatch(
    /videos\/rome\.yaml:\d+:\d+ error The length of .* cannot be measured/,
  );
});

it('measures a sound once for the page, which draws it', async () => {
  const voice = await openVoice(3);
  const { root } = openRepository(voice);
  const clock = { now: () => Date.now(), monotonicNow: () => performance.now(), after: () => () => undefined };
  const io = { cwd: root, env: {}, interactive: false, ...clock, createRenderPool: keptRenderPool };
  const ports = openPreviewPorts(root, io as unknown as Io);
  onTestFinished(() => ports.close());
  const { desired } = await ports.load();
  expect(desired.find(({ id }) => id === 'rome')).toMatchObject({
    contentLengths: { [voice.url]: { samples: 24_000 } },
  });
  expect(voice.requests()).toEqual(['HEAD', 'GET']);
  await ports.load();
  expect(voice.requests()).toEqual([]);
});
