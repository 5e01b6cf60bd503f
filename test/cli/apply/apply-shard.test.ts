import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { unpackRecord } from '../../../src/service/sessions/segments/segment-cache.ts';
import { bucketConfig, CONFIG, definition, makeRepository } from '../../support/repository.ts';
import { startS3Server } from '../../support/s3-server.ts';
import { smallAnimation } from '../../support/small-package.ts';
import { reelform } from '../../support/test-io.ts';

/** Two videos of two segments. */
function repository(changes: Readonly<Record<string, string>> = {}): string {
  const animation = JSON.stringify(smallAnimation()).replaceAll('"op":10', '"op":25');
  const root = makeRepository({ 'templates/small/animation.json': animation, ...changes });
  rmSync(join(root, 'videos/oslo.yaml'));
  return root;
}

/** Another machine with the same checkout. */
function checkout(root: string): string {
  const copy = realpathSync(mkdtempSync(join(tmpdir(), 'reelform-test-')));
  cpSync(root, copy, { recursive: true });
  return copy;
}

function filesOf(root: string): string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' }).sort();
}

/** Segments without the stills, which are cached beside them. */
function segmentsOf(root: string): string[] {
  const folder = join(root, '.reelform/segments');
  if (!existsSync(folder)) return [];
  const isSegment = (name: string): boolean =>
    'packets' in (unpackRecord<object>(readFileSync(join(folder, name))) ?? { packets: null });
  return filesOf(folder).filter((name) => /[0-9a-f]{64}$/.test(name) && isSegment(name));
}

function outputsOf(root: string): [string, Buffer][] {
  const folder = join(root, 'renders');
  const names = filesOf(folder).filter((name) => /\.\w{3,4}$/.test(name));
  return names.map((name) => [name, readFileSync(join(folder, name))]);
}

/** Renders a shard on a machine of its own, and copies its segments to the joining one. */
async function shard(root: string, which: string, env: Readonly<Record<string, string>> = {}) {
  const machine = checkout(root);
  const before = filesOf(machine).filter((name) => !name.startsWith('.reelform'));
  const ran = await reelform(machine, ['apply', '--shard', which, '--json'], { env, now: Date.now });
  const after = filesOf(machine).filter((name) => !name.startsWith('.reelform'));
  expect(after).toEqual(before);
  expect(readdirSync(join(machine, '.reelform'))).toEqual(['segments']);
  const events = ran.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  return { ...ran, machine, events, segments: segmentsOf(machine) };
}

function collectSegments(machines: readonly string[], root: string): void {
  for (const machine of machines)
    cpSync(join(machine, '.reelform/segments'), join(root, '.reelform/segments'), { recursive: true });
}

async function lastRun(root: string) {
  return JSON.parse((await reelform(root, ['cache', '--json'])).stdout).last_run;
}

describe('reelform apply --shard', () => {
  it('renders segments that an apply joins to the bytes of an apply without shards', async () => {
    const root = repository();
    const damaged = checkout(root);
    const whole = checkout(root);
    expect((await reelform(whole, ['apply', '--auto-approve'])).exitCode).toBe(0);
    const shards = [await shard(root, '1/2'), await shard(root, '2/2')];
    expect(shards.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    const machines = shards.map(({ machine }) => machine);
    collectSegments(machines, root);
    collectSegments(machines, damaged);
    expect(segmentsOf(root)).toEqual(segmentsOf(whole));
    expect((await reelform(root, ['apply', '--auto-approve'])).exitCode).toBe(0);
    expect(await lastRun(root)).toEqual({ reused: 4, rendered: 0 });
    expect(outputsOf(whole).length).toBeGreaterThan(0);
    expect(outputsOf(root)).toEqual(outputsOf(whole));

    // Segments that a lost shard did not render, or that were damaged on the way, are rendered by the joining apply.
    const [lost, torn] = segmentsOf(damaged).map((name) => join(damaged, '.reelform/segments', name));
    rmSync(lost!);
    writeFileSync(torn!, readFileSync(torn!).subarray(0, 100));
    expect((await reelform(damaged, ['apply', '--auto-approve'])).exitCode).toBe(0);
    expect(await lastRun(damaged)).toEqual({ reused: 2, rendered: 2 });
    expect(outputsOf(damaged)).toEqual(outputsOf(whole));
  });

  it('renders segments of a video of scenes, which an apply joins to the bytes of an apply without shards', async () => {
    const scene = (id: string, more: string) =>
      `  - { id: ${id}, template: small, resources: { t_01: ${id}, c_01: "#EEADA7" }${more} }\n`;
    const scenes = `${scene('first', '')}${scene('last', ', duration: 4, transition: { type: slide, duration: 0.5 }')}`;
    const root = repository({ 'videos/berlin.yaml': `title: Berlin\nscenes:\n${scenes}` });
    const whole = checkout(root);
    expect((await reelform(whole, ['apply', '--auto-approve'])).exitCode).toBe(0);
    const shards = [await shard(root, '1/2'), await shard(root, '2/2')];
    expect(shards.map(({ exitCode, segments }) => [exitCode, segments.length > 0])).toEqual([
      [0, true],
      [0, true],
    ]);
    collectSegments(
      shards.map(({ machine }) => machine),
      root,
    );
    expect((await reelform(root, ['apply', '--auto-approve'])).exitCode).toBe(0);
    expect(await lastRun(root)).toMatchObject({ rendered: 0 });
    expect(outputsOf(root)).toEqual(outputsOf(whole));
  });

  it('passes segments through a bucket to an apply that renders nothing', async () => {
    const server = await startS3Server();
    onTestFinished(() => server.close());
    const env = { KEY_ID: 'S3RVER', KEY: 'S3RVER' };
    const whole = repository();
    expect((await reelform(whole, ['apply', '--auto-approve'])).exitCode).toBe(0);
    const config = bucketConfig(server, '{url: s3://videos/segments, credential: main}');
    const root = repository({ 'reelform.yaml': config });
    const shards = [await shard(root, '1/2', env), await shard(root, '2/2', env)];
    expect(shards.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    expect(shards.flatMap(({ segments }) => segments).sort()).toEqual(segmentsOf(whole));
    const kept = await server.keys('videos');
    const joined = await reelform(root, ['apply', '--auto-approve'], { env, now: Date.now });
    expect([joined.exitCode, joined.stderr]).toEqual([0, expect.not.stringContaining('warning:')]);
    expect(await lastRun(root)).toEqual({ reused: 4, rendered: 0 });
    expect(await server.keys('videos')).toEqual(kept);
    expect(outputsOf(root)).toEqual(outputsOf(whole));
  });

  it('covers every segment exactly once with three shards', async () => {
    const root = repository();
    const shards = [await shard(root, '1/3'), await shard(root, '2/3'), await shard(root, '3/3')];
    const found = shards.flatMap(({ segments }) => segments);
    expect(found).toHaveLength(new Set(found).size);
    const summaries = shards.map(({ events }) => events.at(-2));
    const total = summaries[0].segments.total;
    expect(found).toHaveLength(total);
    for (const [at, { events, segments }] of shards.entries()) {
      expect(events.map(({ type }) => type)).toEqual(['version', 'planned', 'shard_finished', 'outcome']);
      expect(summaries[at]).toMatchObject({
        shard: at + 1,
        shards: 3,
        failed: [],
        files: { total: 0, share: 0, rendered: 0, reused: 0 },
        segments: { total, share: segments.length, rendered: segments.length, reused: 0 },
      });
      expect(events.at(-1)).toMatchObject({ rendered: 0, recorded: 0, ended_by: null });
    }
  });

  it('joins several files of a video to the bytes of an apply without shards', async () => {
    const outputs = `outputs:
  - {name: master}
  - {name: web, quality: low}
  - {name: preview, format: gif, height: 18, fps: 5}
  - {name: poster, format: png}
`;
    const root = repository({
      'videos/rome.yaml': definition('Rome', outputs),
      'videos/wien.yaml': definition('Rome', 'output: {format: gif, quality: low}\n'),
    });
    const [lost, whole] = [checkout(root), checkout(root)];
    expect((await reelform(whole, ['apply', '--auto-approve'])).exitCode).toBe(0);
    const names = outputsOf(whole).map(([name]) => name.replace(/^(\w+)-\w+/, '$1'));
    const rome = ['rome.mp4', 'rome.poster.png', 'rome.preview.gif', 'rome.stillcut_01.jpg', 'rome.web.mp4'];
    expect(names).toEqual(expect.arrayContaining([...rome, 'wien.gif', 'wien.stillcut_01.jpg']));
    const shards = [await shard(root, '1/2'), await shard(root, '2/2')];
    expect(shards.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    const summaries = shards.map(({ events }) => events.at(-2));
    for (const { segments, files } of summaries) {
      expect(segments).toMatchObject({ total: 6, rendered: segments.share, reused: 0 });
      expect(files).toMatchObject({ total: 3, rendered: files.share, reused: 0 });
      expect(segments.share + files.share).toBeGreaterThan(0);
    }
    expect(summaries.map(({ files }) => files.share).reduce((sum, one) => sum + one)).toBe(3);
    collectSegments(
      shards.map(({ machine }) => machine),
      root,
    );
    expect(segmentsOf(root)).toEqual(segmentsOf(whole));
    // Nothing is left to render, and nothing is added to the cache.
    const kept = () => filesOf(join(root, '.reelform/segments')).filter((name) => name !== 'last-run.json');
    const before = kept();
    expect((await reelform(root, ['apply', '--auto-approve'])).exitCode).toBe(0);
    expect(await lastRun(root)).toEqual({ reused: 6, rendered: 0 });
    expect(kept()).toEqual(before);
    expect(outputsOf(root)).toEqual(outputsOf(whole));

    // A shard that was killed loses only its own pieces.
    collectSegments([shards[0]!.machine], lost);
    expect((await reelform(lost, ['apply', '--auto-approve'])).exitCode).toBe(0);
    expect(await lastRun(lost)).toEqual({
      reused: summaries[0].segments.share,
      rendered: summaries[1].segments.share,
    });
    expect(outputsOf(lost)).toEqual(outputsOf(whole));
  });

  it('reports its share, and files without segments', async () => {
    const root = repository({ 'videos/rome.yaml': definition('Rome', 'output: {format: gif}\n') });
    const first = await reelform(root, ['apply', '--shard', '1/1']);
    expect(first.exitCode).toBe(0);
    expect(first.stdout).toMatch(/^Shard 1\/1: Done: (\d) of \1 segments and 1 of 1 whole file: \d rendered in /);
    expect(first.stderr).toMatch(/^berlin: \d segments?$/m);
    expect(first.stderr).toMatch(/^rome: 1 whole file$/m);
    const again = await reelform(root, ['apply', '--shard', '1/1']);
    expect(again.stdout).toMatch(/: 0 rendered, \d already in the cache in /);
    expect(existsSync(join(root, 'renders'))).toBe(false);
  });

  it('exits with 4 for a video that fails, after it rendered the others', async () => {
    const broken = definition('Rome', '  (Footage)/USER/photo.png: http://127.0.0.1:9/a.png\n');
    const root = repository({ 'videos/rome.yaml': broken });
    const { exitCode, events, segments } = await shard(root, '1/1');
    expect(exitCode).toBe(4);
    expect(events.at(-2).failed).toMatchObject([{ id: 'rome', failures: [{ editable: '(Footage)/USER/photo.png' }] }]);
    expect(segments.length).toBeGreaterThan(0);
  });

  it('has nothing to render when nothing changed', async () => {
    const root = makeRepository();
    await reelform(root, ['apply', '--auto-approve']);
    const { exitCode, stdout } = await reelform(root, ['apply', '--shard', '1/2']);
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('Done: 0 of 0 segments: 0 rendered')]);
  });

  it('refuses what leaves no segments to join', async () => {
    const root = repository();
    const refused = async (...args: readonly string[]) => {
      const { exitCode, stderr } = await reelform(root, ['apply', '--shard', '1/2', ...args]);
      expect(exitCode).toBe(1);
      expect(stderr).toMatch(/^error options_conflict: --shard cannot be combined with .*\nhint: .*\n$/);
      return stderr;
    };
    expect(await refused('--no-segment-cache')).toContain('--no-segment-cache');
    expect(await refused('--commit', 'push', '--prune')).toContain('--commit, --prune');
    expect(await refused('--format', 'github')).toContain('--format github');
    expect(await refused('--refresh-only')).toContain('--refresh-only');
    writeFileSync(join(root, 'reelform.yaml'), `${CONFIG}cache: {max_gb: 0}\n`);
    expect(await refused()).toContain('hint: Shards pass their segments to the joining apply through the cache');
    writeFileSync(join(root, 'reelform.yaml'), CONFIG.replace('embedded', '{url: "https://render.example.com"}'));
    expect(await refused()).toContain('https://render.example.com');
    expect(segmentsOf(root)).toEqual([]);
  });

  it.each(['0/2', '3/2', '1', '1/0', 'a/b', '1/2/3', '-1/2', '1.5/2', '1/1001', '01/2'])(
    'rejects the shard %s',
    async (text) => {
      const { exitCode, stderr } = await reelform(repository(), ['apply', `--shard=${text}`]);
      expect(exitCode).toBe(1);
      expect(stderr).toContain('It must be a shard such as 2/3');
    },
  );
});
