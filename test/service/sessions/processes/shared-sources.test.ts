import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { execa } from 'execa';
import { describe, expect, it, onTestFinished } from 'vitest';
import { soundLength } from '../../../../src/engine/media/sound-length.ts';
import { SharedSources } from '../../../../src/service/sessions/processes/shared-sources.ts';
import { describeSource } from '../../../../src/service/sessions/sources/describe-source.ts';
import type { RenderInput } from '../../../../src/template/render-input.ts';
import { imageLayer, inputOf } from '../../../engine/inputs.ts';
import { numberedClip } from '../../../engine/media/media-files.ts';
import { bytesOf } from '../../../support/in-memory.ts';
import { begun, openPool } from '../../../support/render-pools.ts';
import { mountSmallDisk } from '../../../support/small-disk.ts';
import { sourceFile } from '../../../support/source-file.ts';
import { temporaryRepository } from '../../../support/temporary-repository.ts';
import { toneWav } from '../../../support/tone.ts';

function openShared(): SharedSources {
  const shared = new SharedSources();
  onTestFinished(() => shared.remove());
  return shared;
}

describe('SharedSources', () => {
  it('links a source for as long as a task reads it', async () => {
    const shared = openShared();
    const source = sourceFile(Buffer.from('clip'));
    const [first, second] = [shared.lease(), shared.lease()];
    const path = first.pathOf(source);
    expect([first.pathOf(source), second.pathOf(source)]).toEqual([path, path]);
    await Promise.all([first.ready(), second.ready()]);
    expect(readFileSync(path, 'utf8')).toBe('clip');
    expect(statSync(path).ino).toBe(statSync(source.path).ino);
    first.end();
    first.end();
    expect(readFileSync(path, 'utf8')).toBe('clip');
    second.end();
    await expect.poll(() => readdirSync(shared.folder)).toEqual([]);
    expect(readFileSync(source.path, 'utf8')).toBe('clip');
  });

  it('puts a source there again while it is being removed', async () => {
    const shared = openShared();
    const source = sourceFile(Buffer.from('clip'));
    for (let round = 0; round < 50; round++) {
      const lease = shared.lease();
      const path = lease.pathOf(source);
      await lease.ready();
      expect(readFileSync(path, 'utf8')).toBe('clip');
      lease.end();
    }
    await expect.poll(() => readdirSync(shared.folder)).toEqual([]);
    expect(readFileSync(source.path, 'utf8')).toBe('clip');
  });

  it('removes the folders of processes that have ended', async () => {
    const parent = temporaryRepository({});
    const program = join(parent, 'program.mjs');
    writeFileSync(join(parent, 'clip'), 'clip');
    await build({
      stdin: {
        contents: `import { SharedSources } from './shared-sources.ts';
          const [parent, end] = process.argv.slice(2);
          const shared = new SharedSources(parent);
          const lease = shared.lease();
          lease.pathOf({ path: parent + '/clip', length: 4, sha256: 'clip', head: new Uint8Array() });
          await lease.ready();
          if (end === 'killed') process.kill(process.pid, 'SIGKILL');`,
        resolveDir: join(import.meta.dirname, '../../../../src/service/sessions/processes'),
      },
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile: program,
    });
    const folders = (): string[] => readdirSync(parent).filter((name) => name.startsWith('reelform-sources-'));
    await execa(process.execPath, [program, parent, 'killed'], { reject: false });
    const [left] = folders();
    expect(readdirSync(join(parent, left!))).toEqual(['1']);
    await execa(process.execPath, [program, parent]);
    if (process.platform === 'linux') expect(folders()).not.toContain(left);
    expect(readFileSync(join(parent, 'clip'), 'utf8')).toBe('clip');
  });

  it('copies a source of another disk, and reports a disk that is too small for it', async (context) => {
    const disk = mountSmallDisk(2);
    if (disk === null) return context.skip();
    const shared = new SharedSources(disk.directory);
    onTestFinished(() => shared.remove());
    const source = sourceFile(Buffer.alloc(2 ** 20, 'clip'));
    const lease = shared.lease();
    const path = lease.pathOf(source);
    await lease.ready();
    expect(readFileSync(path).equals(readFileSync(source.path))).toBe(true);
    expect(statSync(path).dev).not.toBe(statSync(source.path).dev);
    const second = shared.lease();
    second.pathOf(sourceFile(Buffer.alloc(2 ** 21, 'large')));
    await expect(second.ready()).rejects.toMatchObject({ code: 'ENOSPC' });
    second.end();
    lease.end();
    await expect.poll(() => readdirSync(shared.folder)).toEqual([]);
    expect(readFileSync(source.path)).toHaveLength(2 ** 20);
  });

  it('reports a source that is missing', async () => {
    const source = sourceFile(Buffer.from('clip'));
    rmSync(source.path);
    const lease = openShared().lease();
    lease.pathOf(source);
    await expect(lease.ready()).rejects.toMatchObject({ code: 'ENOENT' });
    lease.end();
  });
});

async function clipInput(of: (bytes: Uint8Array) => RenderInput['clips'][number]['bytes']): Promise<RenderInput> {
  const [clip, tone] = [await numberedClip(25, 20), toneWav(1)];
  const visual = { assetId: 'clip', width: 64, height: 36, transform: {}, name: 'clip' };
  const assets = [{ id: 'clip', w: 64, h: 36, u: '', p: 'clip.mp4', e: 0 }];
  const sound = { startSeconds: 0, endSeconds: 1, transform: {}, name: 'tone', optional: false };
  return {
    ...inputOf([imageLayer(1, 'clip')], { fps: 25, frameCount: 20, document: { fr: 25, op: 20, assets } }),
    clips: [{ ...visual, bytes: of(clip) }],
    sounds: [{ ...sound, bytes: of(tone) }],
  };
}

describe('a render process', () => {
  it('renders clips and sounds on disk as those in memory', async () => {
    const pool = openPool();
    const render = async (renderInput: RenderInput) => bytesOf((await pool.run('video', renderInput)).video);
    const onDisk = await render(await clipInput(sourceFile));
    expect(Buffer.compare(onDisk, await render(await clipInput((bytes) => bytes)))).toBe(0);
  });

  it('describes and measures files on disk', async () => {
    const pool = openPool();
    const [clip, tone] = [await numberedClip(25, 20), toneWav(1)];
    expect(await pool.run('source', { kind: 'video' }, { bytes: sourceFile(clip) })).toEqual(
      await describeSource(clip, 'video'),
    );
    const length = await pool.run('length', { name: 'tone' }, { bytes: sourceFile(tone) });
    expect(length).toEqual(await soundLength(tone, 'tone'));
  });

  it('rejects a task whose source is missing, and runs the next', async () => {
    const pool = openPool({ size: 1 });
    const source = sourceFile(toneWav(1));
    rmSync(source.path);
    await expect(pool.run('source', { kind: 'audio' }, { bytes: source })).rejects.toMatchObject({ code: 'ENOENT' });
    const next = await pool.run('source', { kind: 'audio' }, { bytes: sourceFile(toneWav(1)) });
    expect(next.contentType).toBe('audio/wav');
  });

  it('leaves sources as they are when it is killed', async () => {
    const pool = openPool({ size: 1 });
    const { clips } = await clipInput(sourceFile);
    const source = clips[0]!.bytes as ReturnType<typeof sourceFile>;
    const before = readFileSync(source.path);
    const controller = new AbortController();
    const { rendering } = await begun(pool, controller.signal);
    controller.abort(new Error('enough'));
    await rendering;
    const described = await pool.run('source', { kind: 'video' }, { bytes: source });
    expect(described.contentType).toBe('video/mp4');
    expect(readFileSync(source.path).equals(before)).toBe(true);
  });
});
