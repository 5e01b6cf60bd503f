import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { StyleVersion } from '../../../src/contract/wire/style-version.ts';
import { parseLock } from '../../../src/reconciler/lock/lock-format.ts';
import { startInterfaceService } from '../../support/interface-service.ts';
import { CONFIG, definition, makeRepository } from '../../support/repository.ts';
import { smallPackage } from '../../support/small-package.ts';
import { type Ran, reelform } from '../../support/test-io.ts';

const OUTPUTS = {
  master: 'quality: high',
  web: 'quality: low',
  preview: 'format: gif, height: 18, fps: 5',
  poster: 'format: png',
};

function listOf(outputs: Readonly<Record<string, string>>): string {
  const lines = Object.entries(outputs).map(([name, fields]) => `  - {name: ${name}, ${fields}}\n`);
  return `outputs:\n${lines.join('')}`;
}

/** Creates a repository of one video with these properties beside its resources. */
function openRepository(properties: string, config = CONFIG) {
  const root = makeRepository({ 'reelform.yaml': config, 'videos/rome.yaml': definition('Rome', properties) });
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const other of ['berlin', 'oslo']) rmSync(join(root, `videos/${other}.yaml`));
  const read = (path: string): Buffer => readFileSync(join(root, path));
  return {
    root,
    read,
    define: (changed: string) => writeFileSync(join(root, 'videos/rome.yaml'), definition('Rome', changed)),
    run: (...args: string[]): Promise<Ran> => reelform(root, args, { now: Date.now }),
    apply: (): Promise<Ran> => reelform(root, ['apply', '--auto-approve'], { now: Date.now }),
    entry() {
      const lock = parseLock(read('reelform.lock.json').toString(), 'reelform.lock.json');
      if (!lock.ok) throw new Error(JSON.stringify(lock.diagnostics));
      return lock.value.videos.get('rome')!;
    },
  };
}

describe('reelform apply with outputs', () => {
  it('renders each file with the bytes of a definition with that single output', async () => {
    const { read, apply, entry, run } = openRepository(listOf(OUTPUTS));
    expect(await apply()).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^Done: 1 rendered in /) });
    const { video_url, bytes, outputs, inputs } = entry();
    expect(inputs).toMatchObject({
      'outputs.web': 'format=mp4 quality=low',
      'outputs.preview': 'format=gif fps=5 height=18',
      'outputs.poster': 'format=png',
    });
    expect(outputs!.map(({ name }) => name)).toEqual(['web', 'preview', 'poster']);
    for (const file of [{ name: 'master', video_url, bytes }, ...outputs!]) {
      const alone = openRepository(`output: {${OUTPUTS[file.name as keyof typeof OUTPUTS]}}\n`);
      expect((await alone.apply()).exitCode).toBe(0);
      const single = alone.read(alone.entry().video_url);
      expect(read(file.video_url).equals(single), file.name).toBe(true);
      expect(file.bytes).toBe(single.length);
    }
    const [clean, drift, list] = [await run('plan'), await run('drift'), await run('prune')];
    expect(clean.stdout).toBe('No changes. 1 video is up to date.\n');
    expect(drift.exitCode).toBe(0);
    expect(list.stdout).toBe('There is nothing to remove.\n');
  });

  it('plans added, changed and removed outputs, and reuses the segments of the others', async () => {
    const { define, run, apply, entry } = openRepository(listOf({ master: 'quality: high', web: 'quality: low' }));
    await apply();
    define(listOf({ master: 'quality: high', web: 'quality: medium', poster: 'format: png' }));
    const changed = await run('plan');
    expect(changed.stdout).toContain('1 of 2 segments');
    expect(changed.stdout).toContain('outputs.web');
    expect(changed.stdout).toContain('outputs.poster');
    const { changes } = JSON.parse((await run('plan', '--json')).stdout);
    expect(changes).toMatchObject([{ action: 'update', reason: 'output_changed' }]);
    await apply();
    const { sha256 } = entry();
    define(listOf({ only: 'quality: high' }));
    expect((await run('plan')).stdout).toContain('0 of 1 segment');
    await apply();
    expect(entry().outputs).toBeUndefined();
    expect(entry().sha256).toBe(sha256);
    // The list of one output is the same video as that output.
    define('output: {quality: high}\n');
    expect((await run('plan')).stdout).toBe('No changes. 1 video is up to date.\n');
  });

  it('restores all files when one is missing or damaged, and detects a replaced one', async () => {
    const { root, read, run, apply, entry } = openRepository(listOf({ master: '', poster: 'format: png' }));
    await apply();
    const poster = entry().outputs![0]!.video_url;
    const bytes = read(poster);
    rmSync(join(root, poster));
    expect((await run('plan')).stdout).toContain('its video is missing: rome');
    expect((await apply()).stdout).toContain('1 of them restored');
    expect(read(poster).equals(bytes)).toBe(true);
    appendFileSync(join(root, poster), 'x');
    expect((await run('plan')).stdout).toContain('its local file is damaged: rome');
    writeFileSync(join(root, poster), Buffer.alloc(bytes.length));
    const drift = await run('drift');
    expect(drift.exitCode).not.toBe(0);
    expect(drift.stdout).toContain(poster);
    expect((await run('lock', 'verify')).stderr).toContain(poster);
  });

  it('delivers each file to a folder', async () => {
    const { root, apply, entry, read, define, run } = openRepository(
      `${listOf({ master: 'quality: high', web: 'quality: low', preview: 'format: gif, height: 18' })}deliver: file:out/\n`,
    );
    expect((await apply()).stdout).toContain('1 delivered');
    const { video_url, outputs, deliveries } = entry();
    expect(deliveries!.map(({ to }) => to)).toEqual([
      'file:out/rome.mp4',
      'file:out/rome.preview.gif',
      'file:out/rome.web.mp4',
    ]);
    expect(read('out/rome.mp4').equals(read(video_url))).toBe(true);
    expect(read('out/rome.web.mp4').equals(read(outputs![0]!.video_url))).toBe(true);
    expect(read('out/rome.preview.gif').equals(read(outputs![1]!.video_url))).toBe(true);
    // Another destination receives the existing files.
    define(`${listOf({ master: 'quality: high', web: 'quality: low', preview: 'format: gif, height: 18' })}deliver: "file:more/{output}.{extension}"\n`);
    expect((await run('plan')).stdout).toContain('nothing to render, 3 deliveries');
    expect((await apply()).exitCode).toBe(0);
    expect(readdirSync(join(root, 'more')).sort()).toEqual(['master.mp4', 'preview.gif', 'web.mp4']);
    expect(read('more/preview.gif').equals(read('out/rome.preview.gif'))).toBe(true);
  });

  it('keeps its files in prune and removes those of an earlier rendering', async () => {
    const { root, apply, define, run, entry } = openRepository(listOf({ master: '', poster: 'format: png' }));
    await apply();
    const before = [entry().video_url, entry().outputs![0]!.video_url];
    define(listOf({ master: 'quality: low', poster: 'format: png' }));
    await apply();
    expect((await run('prune', '--yes')).exitCode).toBe(0);
    const after = [entry().video_url, entry().outputs![0]!.video_url];
    expect([...before, ...after].map((path) => existsSync(join(root, path)))).toEqual([false, false, true, true]);
  });

  it('uses the outputs of reelform.yaml for videos with neither property', async () => {
    const outputs = listOf({ main: 'quality: high', poster: 'format: png' });
    const { define, apply, entry } = openRepository('', `${CONFIG}${outputs}`);
    await apply();
    expect(entry().inputs).toMatchObject({ 'outputs.poster': 'format=png' });
    define('output: {quality: low}\n');
    await apply();
    expect(entry().inputs).toMatchObject({ output: 'quality=low' });
    expect(entry().outputs).toBeUndefined();
  });
});

const STRANGER: StyleVersion = { ...smallPackage().spec, id: 'tsv_stranger' };

describe('with a service that renders one file of each video', () => {
  it('fails the video, renders no other with outputs, and pays for no second session', async () => {
    const service = await startInterfaceService({ looks: 1, styleVersions: [STRANGER] });
    onTestFinished(() => service.close());
    const video = (title: string): string => definition(title, listOf({ master: '', poster: 'format: png' }));
    const root = makeRepository({
      'reelform.yaml': `service: {url: "${service.url}"}\ntemplates: {small: tsv_stranger}\nconcurrency: 1\n`,
      'videos/berlin.yaml': video('Berlin'),
      'videos/oslo.yaml': video('Oslo'),
      'videos/rome.yaml': definition('Rome'),
    });
    const run = (args: readonly string[]): Promise<Ran> =>
      reelform(root, args, { env: { REELFORM_TOKEN: service.token }, now: Date.now });
    await run(['pull']);
    for (const posts of [2, 2]) {
      const { exitCode, stdout } = await run(['apply', '--auto-approve']);
      expect(exitCode).toBe(4);
      expect(stdout).toContain('service_lacks_outputs');
      const { videos } = JSON.parse(readFileSync(join(root, 'reelform.lock.json'), 'utf8'));
      expect(Object.keys(videos)).toEqual(['rome']);
      expect(service.count('POST /v2/render_sessions')).toBe(posts);
    }
  });
});
