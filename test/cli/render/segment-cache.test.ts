import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bucketConfig, definition, makeRepository } from '../../support/repository.ts';
import { BUSY, startS3Server } from '../../support/s3-server.ts';
import { type Ran, reelform } from '../../support/test-io.ts';

function segmentFiles(root: string): string[] {
  const folder = join(root, '.reelform/segments');
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /[0-9a-f]{64}$/.test(name))
    .map((name) => join(folder, name));
}

describe('reelform cache', () => {
  it('prints the cached segments and the reuse in the last run', async () => {
    const root = makeRepository();
    const empty = JSON.parse((await reelform(root, ['cache', '--json'])).stdout);
    expect(empty).toMatchObject({
      segments: 0,
      bytes: 0,
      max_bytes: 2 * 2 ** 30,
      oldest_used_at: null,
      last_run: null,
    });
    await reelform(root, ['render', 'berlin', '--out', 'a.mp4']);
    await reelform(root, ['render', 'berlin', '--out', 'b.mp4']);
    expect(readFileSync(join(root, 'b.mp4')).equals(readFileSync(join(root, 'a.mp4')))).toBe(true);
    const found = JSON.parse((await reelform(root, ['cache', '--json'])).stdout);
    expect(found).toMatchObject({ segments: 1, last_run: { reused: 1, rendered: 0 } });
    expect((await reelform(root, ['cache'])).stdout).toContain('The last run reused 1 of 1 segment.\n');
  });

  it('shares segments between render, which keeps no stills, and apply', async () => {
    const rome = (): string => {
      const root = makeRepository();
      for (const other of ['berlin', 'oslo']) rmSync(join(root, `videos/${other}.yaml`));
      return root;
    };
    const [root, whole] = [rome(), rome()];
    await reelform(root, ['render', 'rome', '--out', 'a.mp4']);
    expect((await reelform(root, ['apply', '--auto-approve'])).exitCode).toBe(0);
    const { last_run: run } = JSON.parse((await reelform(root, ['cache', '--json'])).stdout);
    expect(run).toEqual({ reused: 1, rendered: 0 });
    await reelform(whole, ['apply', '--auto-approve', '--no-segment-cache']);
    const files = (of: string): string[] =>
      readdirSync(join(of, 'renders'), { recursive: true, encoding: 'utf8' })
        .filter((name) => /\.\w+$/.test(name))
        .sort();
    expect(files(root)).toEqual(files(whole));
    expect(files(root).some((name) => name.endsWith('.jpg'))).toBe(true);
    for (const name of files(root)) {
      const [one, other] = [root, whole].map((of) => readFileSync(join(of, 'renders', name)));
      expect(one!.equals(other!), name).toBe(true);
    }
  });

  it('removes damaged segments and those beyond the size limit', async () => {
    const root = makeRepository();
    await reelform(root, ['render', 'berlin', '--out', 'a.mp4']);
    await reelform(root, ['render', 'berlin', '--height', '18', '--out', 'b.mp4']);
    const [one] = segmentFiles(root);
    writeFileSync(one!, 'damaged');
    const verified = await reelform(root, ['cache', 'verify']);
    expect(verified.stdout).toBe('1 segment intact. Removed 1 segment (damaged).\n');
    expect((await reelform(root, ['cache', 'prune'])).stdout).toBe('Nothing to remove.\n');
    const config = join(root, 'reelform.yaml');
    writeFileSync(config, `${readFileSync(config, 'utf8')}cache: {max_gb: 0}\n`);
    expect((await reelform(root, ['cache', 'prune'])).stdout).toMatch(/^Removed 1 segment, 0\.\d MiB\.\n$/);
    expect(segmentFiles(root)).toEqual([]);
    await reelform(root, ['render', 'berlin', '--out', 'c.mp4']);
    expect(segmentFiles(root)).toEqual([]);
  });

  it('is not used with --no-segment-cache', async () => {
    const root = makeRepository({ 'videos/rome.yaml': definition('Rome') });
    await reelform(root, ['render', 'rome', '--no-segment-cache']);
    expect((await reelform(root, ['cache', '--json'])).stdout).toContain('"segments": 0');
  });
});

const SECRET = 'S3RVER';

/** A repository whose segments are also kept in a bucket. */
async function withBucket(cache = '{url: s3://videos/segments, credential: main}') {
  const server = await startS3Server();
  onTestFinished(() => server.close());
  const root = makeRepository({ 'reelform.yaml': bucketConfig(server, cache) });
  for (const other of ['berlin', 'oslo']) rmSync(join(root, `videos/${other}.yaml`));
  return {
    server,
    root,
    async run(args: readonly string[], env: Readonly<Record<string, string>> = { KEY_ID: SECRET, KEY: SECRET }) {
      const ran: Ran = await reelform(root, args, { env, now: Date.now });
      expect(ran.stdout + ran.stderr).not.toContain(SECRET);
      return ran;
    },
    forget: () => rmSync(join(root, '.reelform/segments'), { recursive: true, force: true }),
    figures: async () => JSON.parse((await reelform(root, ['cache', '--json'])).stdout) as Record<string, unknown>,
  };
}

describe('the segment cache in a bucket', () => {
  it('is filled by one machine and read by another', async () => {
    const { root, run, forget, server, figures } = await withBucket();
    expect((await run(['apply', '--auto-approve'])).stderr).not.toContain('warning:');
    const keys = await server.keys('videos');
    expect(keys).toEqual(segmentFiles(root).map((path) => `segments/${path.slice(-64)}`));
    forget();
    const planned = await run(['plan', '--json', '--replace', 'rome']);
    expect(JSON.parse(planned.stdout)).toMatchObject({ changes: [{ id: 'rome', segments: { render: 0, total: 1 } }] });
    const events = (await run(['apply', '--auto-approve', '--replace', 'rome', '--json'])).stdout.trimEnd().split('\n');
    const progress = events.map((line) => JSON.parse(line) as object).filter((event) => 'segments' in event);
    expect(progress.at(-1)).toMatchObject({ id: 'rome', segments: { done: 1, total: 1, reused: 1 } });
    expect(await figures()).toMatchObject({
      url: 's3://videos/segments/',
      // Its still counts, too.
      segments: 2,
      last_run: { reused: 1, rendered: 0 },
    });
    expect((await run(['cache'])).stdout).toContain('Segments are also stored in s3://videos/segments/.\n');
    expect(server.requests.filter(({ method }) => method === 'PUT')).toHaveLength(2);
  });

  it('keeps no segments on this machine with a size of 0', async () => {
    const { root, run, figures } = await withBucket('{url: s3://videos/, credential: main, max_gb: 0}');
    for (const name of ['a', 'b']) await run(['render', 'rome', '--out', `${name}.mp4`]);
    expect(await figures()).toMatchObject({ segments: 0, last_run: { reused: 1, rendered: 0 } });
    expect((await run(['cache'])).stdout).toContain('none are kept here');
    expect(segmentFiles(root)).toEqual([]);
  });

  it('is not needed: with a bucket that refuses, apply warns once and renders', async () => {
    const { server, run, figures } = await withBucket();
    server.fault(() => ({ kind: 'status', status: 403, code: 'AccessDenied' }));
    const { exitCode, stderr } = await run(['apply', '--auto-approve']);
    expect(exitCode).toBe(0);
    expect(stderr.match(/warning: .*/g)).toEqual([
      expect.stringMatching(
        /^warning: The segment cache s3:\/\/videos\/segments\/ is not used: .*denied access with this credential/,
      ),
    ]);
    expect(await figures()).toMatchObject({ last_run: { reused: 0, rendered: 1 } });
  });

  it('is read by a credential that may not write, and does without one that is not set', async () => {
    const { server, run, forget } = await withBucket();
    server.fault(({ method }) => (method === 'PUT' ? BUSY : null));
    const written = await run(['render', 'rome', '--out', 'a.mp4']);
    expect(written.stderr).toContain('warning: Segments are read from s3://videos/segments/ but not stored there: ');
    forget();
    const { exitCode, stderr } = await run(['plan'], {});
    expect(exitCode).toBe(0);
    expect(stderr).toContain(
      'warning: The segment cache s3://videos/segments/ is not used: The environment variable KEY_ID',
    );
  });
});
