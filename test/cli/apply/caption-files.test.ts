import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LockCaptionFile } from '../../../src/reconciler/lock/lock.ts';
import { CONFIG, makeRepository } from '../../support/repository.ts';
import { type Ran, reelform } from '../../support/test-io.ts';

interface Entry {
  readonly video_url: string;
  readonly session: string;
  readonly fingerprint: string;
  readonly caption_files?: readonly LockCaptionFile[];
}

const VTT = 'WEBVTT\n\n00:00.200 --> 00:00.800\nHello & <c>welcome</c>\n';

/** Creates a repository of one video without drawn captions, and renders it. */
function setUp() {
  const root = makeRepository({ 'reelform.yaml': CONFIG, 'captions/en.vtt': VTT });
  for (const other of ['berlin', 'oslo']) rmSync(join(root, `videos/${other}.yaml`));
  const path = join(root, 'videos/rome.yaml');
  const written = readFileSync(path, 'utf8');
  return {
    root,
    captions: (text: string) => writeFileSync(path, text === '' ? written : `${written}captions: ${text}\n`),
    run: (...args: string[]): Promise<Ran> => reelform(root, args, { now: Date.now }),
    entry: (): Entry => JSON.parse(readFileSync(join(root, 'reelform.lock.json'), 'utf8')).videos.rome,
    read: (file: string) => readFileSync(join(root, file), 'utf8'),
    has: (file: string) => existsSync(join(root, file)),
    async plan(): Promise<{ action: string; fields: string[]; renders: number }> {
      const { stdout } = await reelform(root, ['plan', '--json'], { now: Date.now });
      const { changes, estimate } = JSON.parse(stdout);
      const [change] = changes;
      const fields = (change?.fields ?? []).map(({ field }: { field: string }) => field);
      return { action: change?.action ?? 'noop', fields, renders: estimate.renders };
    },
  };
}

describe('files with captions', () => {
  it('are written beside a video, changed and removed without a render or a session', async () => {
    const { captions, run, entry, read, has, plan } = setUp();
    await run('apply', '--auto-approve');
    const rendered = entry();
    captions('{from: captions/en.vtt, burn: false, files: [vtt, srt]}');
    expect(await plan()).toEqual({ action: 'relabel', fields: ['captions.vtt', 'captions.srt'], renders: 0 });
    const { stdout, exitCode } = await run('apply', '--auto-approve');
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^Done: 0 rendered, 1 recorded/)]);
    const files = entry().caption_files!;
    expect(entry()).toEqual({ ...rendered, caption_files: files });
    const name = rendered.video_url.replace(/\.mp4$/, '');
    expect(files.map(({ path }) => path)).toEqual([`${name}.vtt`, `${name}.srt`]);
    expect(read(`${name}.vtt`)).toBe('WEBVTT\n\n00:00:00.200 --> 00:00:00.800\nHello &amp; welcome\n');
    expect(read(`${name}.srt`)).toBe('1\n00:00:00,200 --> 00:00:00,800\nHello & welcome\n');
    expect((await plan()).action).toBe('noop');

    captions('{from: captions/en.vtt, burn: false, files: [vtt]}');
    expect(await plan()).toEqual({ action: 'relabel', fields: ['captions.srt'], renders: 0 });
    await run('apply', '--auto-approve');
    await run('prune', '--yes');
    expect([has(`${name}.vtt`), has(`${name}.srt`), has(rendered.video_url)]).toEqual([true, false, true]);

    captions('');
    await run('apply', '--auto-approve');
    expect(entry()).toEqual(rendered);
  });

  it('show their changed cues in a plan', async () => {
    const { root, captions, run, plan } = setUp();
    captions('{from: captions/en.vtt, burn: false, files: [vtt, srt]}');
    await run('apply', '--auto-approve');
    writeFileSync(join(root, 'captions/en.vtt'), VTT.replace('Hello', 'Goodbye'));
    expect(await plan()).toMatchObject({ action: 'relabel', renders: 0 });
    const { stdout } = await run('plan');
    expect(stdout).toMatchInlineSnapshot(`
      "Plan: 1 to relabel · nothing to render

        ≈ rome  Rome
          videos/rome.yaml · not rendered again
            captions            1 cue changed
            00:00.200           Hello & welcome → Goodbye & welcome
            captions file .vtt  changed
            captions file .srt  changed
      "
    `);
    expect((await run('apply', '--auto-approve')).stdout).toMatch(/^Done: 0 rendered/);
    expect((await plan()).action).toBe('noop');
  });

  it('are not a change where only their name follows the video', async () => {
    const { root, captions, run, plan } = setUp();
    captions('{from: captions/en.vtt, burn: false, files: [vtt]}');
    await run('apply', '--auto-approve');
    const path = join(root, 'videos/rome.yaml');
    writeFileSync(path, readFileSync(path, 'utf8').replace(/t_01: .*/, 't_01: Roma'));
    expect(await plan()).toEqual({ action: 'update', fields: [], renders: 1 });
    await run('apply', '--auto-approve');
    renameSync(path, join(root, 'videos/roma.yaml'));
    expect(await plan()).toEqual({ action: 'move', fields: [], renders: 0 });
  });

  it('are written again where they are missing or changed', async () => {
    const { root, captions, run, entry, read, plan } = setUp();
    captions('{from: captions/en.vtt, burn: false, files: [vtt]}');
    await run('apply', '--auto-approve');
    const [{ path }] = entry().caption_files as [LockCaptionFile];
    const [text, rendered] = [read(path), entry()];
    expect((await plan()).action).toBe('noop');
    rmSync(join(root, path));
    expect(await plan()).toEqual({ action: 'relabel', fields: ['captions.vtt'], renders: 0 });
    await run('apply', '--auto-approve');
    expect([read(path), entry()]).toEqual([text, rendered]);
    writeFileSync(join(root, path), 'changed');
    expect((await plan()).action).toBe('relabel');
    // As long as before.
    writeFileSync(join(root, path), text.replace('Hello', 'Jello'));
    expect((await plan()).action).toBe('relabel');
  });
});
