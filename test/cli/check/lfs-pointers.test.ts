import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { StyleVersion } from '../../../src/contract/wire/style-version.ts';
import { startInterfaceService } from '../../support/interface-service.ts';
import { pointerTo } from '../../support/lfs-pointer.ts';
import { mediaPackageFiles } from '../../support/media-package.ts';
import { CONFIG, definition, makeFolder, makeRepository, NO_LINT } from '../../support/repository.ts';
import { smallPackage, solidPng, TEST_FONT } from '../../support/small-package.ts';
import { reelform } from '../../support/test-io.ts';
import { toneWav } from '../../support/tone.ts';

const PHOTO = 'videos/images/photo.png';
const EVERY_KIND = `template: media
title: A
resources:
  (Footage)/USER/photo.png: media/photo.png
  (Footage)/USER/clip.mp4: media/clip.mp4
  (Footage)/USER/voice.mp3: media/voice.mp3
audio: {main: media/music.wav}
fonts: {Test-Regular: Brand-Regular}
`;
const APPLY = ['apply', '--auto-approve'];

/** Replaces files by the pointers that a checkout without Git LFS has. */
function unfetch(root: string, ...paths: string[]): void {
  for (const path of paths) writeFileSync(join(root, path), pointerTo(readFileSync(join(root, path))));
}

function filesBelow(root: string, folder: string): string[] {
  const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  return names.map((name) => join(folder, name)).filter((path) => statSync(join(root, path)).isFile());
}

async function changes(root: string, options: readonly string[] = []): Promise<unknown> {
  const { stdout } = await reelform(root, ['plan', '--json', '--no-lint', ...options]);
  return (JSON.parse(stdout) as { changes: { action: string }[] }).changes.filter(({ action }) => action !== 'noop');
}

describe('a checkout without the content of Git LFS', () => {
  it('plans as the checkout with it: files, and fonts and images of templates', async () => {
    const root = makeRepository();
    expect((await reelform(root, APPLY)).exitCode).toBe(0);
    const binaries = filesBelow(root, 'templates/small').filter((path) => /\.(?:ttf|otf|woff2|png)$/.test(path));
    expect(binaries.length).toBeGreaterThan(0);
    unfetch(root, PHOTO, ...binaries);
    expect(await changes(root)).toEqual([]);
    expect(await changes(root, ['--no-cache'])).toEqual([]);
    expect((await reelform(root, ['validate'])).exitCode).toBe(0);
    expect((await reelform(root, ['list'])).exitCode).toBe(0);
    expect((await reelform(root, ['drift'])).exitCode).toBe(0);
  });

  it('takes a rendered video in Git LFS for the video', async () => {
    const root = makeRepository();
    await reelform(root, APPLY);
    unfetch(root, ...filesBelow(root, 'renders').filter((path) => path.endsWith('.mp4')));
    expect(await changes(root)).toEqual([]);
    expect((await reelform(root, ['drift'])).exitCode).toBe(0);
  });

  it('neither delivers nor shows the pointer of a rendered video', async () => {
    const root = makeRepository();
    await reelform(root, APPLY);
    const videos = filesBelow(root, 'renders').filter((path) => path.endsWith('.mp4'));
    unfetch(root, ...videos);
    writeFileSync(join(root, 'reelform.yaml'), `${CONFIG}deliver: "file:out/{id}.mp4"\n`);
    for (const args of [APPLY, ['apply', '--shard', '1/1'], ['preview', '--build', 'site']]) {
      const { exitCode, stdout, stderr } = await reelform(root, args);
      expect({ args, exitCode, text: stdout + stderr }).toEqual({
        args,
        exitCode: 1,
        text: expect.stringMatching(/"renders\/.*\.mp4" is a Git LFS pointer.*git lfs pull/s),
      });
    }
    expect(existsSync(join(root, 'out'))).toBe(false);
  });

  it('does not deliver a pointer that takes the place of a video during the run', async () => {
    const root = makeRepository();
    await reelform(root, APPLY);
    const videos = filesBelow(root, 'renders').filter((path) => path.endsWith('.mp4'));
    const content = new Map(videos.map((path) => [path, readFileSync(join(root, path))]));
    writeFileSync(join(root, 'reelform.yaml'), `${CONFIG}deliver: "file:out/{id}.mp4"\n`);
    let isUnfetched = false;
    const { exitCode, stderr } = await reelform(root, APPLY, {
      onStderr(text) {
        if (isUnfetched || !text.includes('delivering to')) return;
        isUnfetched = true;
        unfetch(root, ...videos);
      },
    });
    expect({ isUnfetched, exitCode }).toEqual({ isUnfetched: true, exitCode: 4 });
    expect(stderr).toMatch(/lfs_pointer: file:out\/\w+\.mp4: "renders\/\S*\.mp4" is a Git LFS pointer.*git lfs pull/);
    const delivered = existsSync(join(root, 'out')) ? filesBelow(root, 'out') : [];
    for (const path of delivered) expect(statSync(join(root, path)).size).toBeGreaterThan(1023);
    expect(delivered.length).toBeLessThan(videos.length);

    for (const [path, bytes] of content) writeFileSync(join(root, path), bytes);
    expect((await reelform(root, APPLY)).exitCode).toBe(0);
    expect(filesBelow(root, 'out')).toHaveLength(videos.length);
  });

  it('reports the file and the command, wherever content is needed', async () => {
    const root = makeRepository({ 'reelform.yaml': CONFIG.replace(NO_LINT, '') });
    unfetch(root, PHOTO);
    const planned = await reelform(root, ['plan']);
    expect(planned.exitCode).toBe(0);
    expect(planned.stdout).toContain('2 videos were not checked by lint, because of Git LFS pointers');
    for (const args of [['plan'], ['lint'], ['doctor'], APPLY, ['render', 'berlin'], ['apply', '--shard', '1/2']]) {
      const { exitCode, stdout, stderr } = await reelform(root, args);
      const text = stdout + stderr;
      expect({ args, text }).toMatchObject({ text: expect.stringContaining(`"${PHOTO}" is a Git LFS pointer`) });
      expect(text).toContain('git lfs pull; in a GitHub workflow, set lfs: true');
      expect({ args, exitCode }).toEqual({ args, exitCode: ['plan', 'doctor'].includes(args[0]!) ? 0 : 1 });
    }
    const { stdout } = await reelform(root, ['lint', '--json']);
    const pointers = (JSON.parse(stdout) as { diagnostics: { code: string }[] }).diagnostics;
    expect(pointers.filter(({ code }) => code === 'lfs_pointer')).toMatchObject([
      { file: 'videos/berlin.yaml', line: 6, severity: 'error' },
      { file: 'videos/oslo.yaml', line: 6, severity: 'error' },
    ]);
  });

  it.each(['validate', 'validate --json', 'plan', 'plan --no-lint', 'plan --json --no-lint', 'plan --markdown'])(
    'names each image, clip, sound and font, in %s',
    async (command) => {
      const root = makeFolder({
        'reelform.yaml': 'templates: {media: ./templates/media}\nfonts: ./fonts\n',
        'videos/a.yaml': EVERY_KIND,
        'fonts/Brand-Regular.ttf': pointerTo(TEST_FONT),
        'media/clip.mp4': pointerTo(Buffer.from('clip')),
        'media/photo.png': pointerTo(solidPng('#ff0000')),
        'media/voice.mp3': pointerTo(Buffer.from('voice')),
        'media/music.wav': pointerTo(toneWav(1, 440)),
        ...Object.fromEntries([...mediaPackageFiles()].map(([path, bytes]) => [`templates/media/${path}`, bytes])),
      });
      unfetch(root, 'templates/media/fonts/Spare-Italic.ttf', 'templates/media/audio/music.wav');
      const { exitCode, stdout, stderr } = await reelform(root, command.split(' '));
      expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
      const expected = [
        { path: 'fonts/Brand-Regular.ttf', file: 'fonts/Brand-Regular.ttf', line: null },
        { path: 'templates/media/audio/music.wav', file: 'templates/media/audio/music.wav', line: null },
        { path: 'templates/media/fonts/Spare-Italic.ttf', file: 'templates/media/fonts/Spare-Italic.ttf', line: null },
        { path: 'media/photo.png', file: 'videos/a.yaml', line: 4 },
        { path: 'media/clip.mp4', file: 'videos/a.yaml', line: 5 },
        { path: 'media/voice.mp3', file: 'videos/a.yaml', line: 6 },
        { path: 'media/music.wav', file: 'videos/a.yaml', line: 7 },
      ].map(({ path, ...at }) => ({
        ...at,
        code: 'lfs_pointer',
        severity: 'warning',
        message: `"${path}" is a Git LFS pointer; its content was not fetched`,
        hint: expect.stringMatching(/git lfs pull.*lfs: true/),
      }));
      if (command.includes('--json')) {
        const { diagnostics } = JSON.parse(stdout) as { diagnostics: { code: string }[] };
        expect(diagnostics.filter(({ code }) => code === 'lfs_pointer')).toMatchObject(expected);
      } else {
        for (const { message, file, line } of expected) {
          expect(stderr).toContain(message);
          expect(stderr).toContain(line === null ? `${file}\n` : `${file}:${line}:`);
        }
      }
      for (const args of [APPLY, ['render', 'a'], ['lint']]) {
        const refused = await reelform(root, args);
        expect({ args, exitCode: refused.exitCode }).toEqual({ args, exitCode: 1 });
        for (const { message } of expected) expect(refused.stderr).toContain(message);
      }
    },
  );

  it('names the file of a video that has to be restored', async () => {
    const root = makeRepository();
    expect((await reelform(root, APPLY)).exitCode).toBe(0);
    rmSync(join(root, 'renders'), { recursive: true });
    unfetch(root, PHOTO);
    const { exitCode, stderr } = await reelform(root, ['plan']);
    expect(exitCode).toBe(0);
    expect(stderr).toContain(`"${PHOTO}" is a Git LFS pointer`);
    expect(stderr).toContain('videos/berlin.yaml:6:');
  });

  it('says in plans why there is no picture, in place of one', async () => {
    const root = makeRepository();
    unfetch(root, PHOTO);
    const args = ['plan', '--no-lint', '--preview', 'stills', '--preview-dir', 'pictures', '--report', 'report'];
    const { exitCode, stdout } = await reelform(root, [...args, '--markdown']);
    expect(exitCode).toBe(0);
    const words = 'a file is a Git LFS pointer; git lfs pull fetches its content';
    expect(stdout).toContain(`Not drawn (${words}): <code>berlin</code>, <code>oslo</code>`);
    const page = readFileSync(join(root, 'report/plan.html'), 'utf8');
    expect(page).toContain(words);
    for (const [, source] of page.matchAll(/<img [^>]*src="([^"]*)"/g)) {
      expect(source!.startsWith('data:') || existsSync(join(root, 'report', source!))).toBe(true);
    }
    expect(JSON.parse(readFileSync(join(root, 'pictures/index.json'), 'utf8'))).toMatchObject({
      videos: [{ id: 'rome' }],
      left_out: [
        { id: 'berlin', reason: 'lfs_pointer' },
        { id: 'oslo', reason: 'lfs_pointer' },
      ],
    });
  });

  it('refuses to draw with a font of a template, and to pack or push it', async () => {
    const root = makeRepository();
    const [font] = filesBelow(root, 'templates/small').filter((path) => /\.(?:ttf|otf|woff2)$/.test(path));
    unfetch(root, font!);
    for (const args of [APPLY, ['render', 'rome'], ['template', 'check', 'templates/small']]) {
      const { exitCode, stdout, stderr } = await reelform(root, args);
      expect({ args, exitCode, text: stdout + stderr }).toEqual({
        args,
        exitCode: 1,
        text: expect.stringContaining(`"${font}" is a Git LFS pointer`),
      });
    }
  });

  it('names a data file, where no plan can be made', async () => {
    const root = makeRepository({
      'videos/rome.yaml': `${definition('${name}')}each: {from: ./rows.csv, id: "\${name}"}\n`,
      'videos/rows.csv': pointerTo(Buffer.from('name\nRome\n')),
    });
    for (const args of [['validate'], ['plan'], ['plan', '--no-lint'], ['list']]) {
      const { exitCode, stderr } = await reelform(root, args);
      expect({ args, exitCode }).toEqual({ args, exitCode: 1 });
      expect(stderr).toContain('videos/rome.yaml:');
      expect(stderr).toContain('"videos/rows.csv" is a Git LFS pointer');
      expect(stderr).toContain('git lfs pull; in a GitHub workflow, set lfs: true');
    }
    const { stdout } = await reelform(root, ['plan', '--json']);
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: { code: string }[] };
    expect(diagnostics.filter(({ code }) => code === 'lfs_pointer')).toMatchObject([
      { severity: 'error', file: 'videos/rome.yaml', line: 6, hint: expect.stringContaining('git lfs pull') },
    ]);
  });

  it('uploads and pays for nothing', async () => {
    const styleVersion: StyleVersion = { ...smallPackage().spec, id: 'tsv_stranger' };
    const service = await startInterfaceService({ styleVersions: [styleVersion], uploads: { styleVersion } });
    onTestFinished(() => service.close());
    const root = makeRepository({
      'reelform.yaml': `service: {url: "${service.url}"}\ntemplates: {small: tsv_stranger}\n`,
      'videos/rome.yaml': definition('Rome', '  (Footage)/USER/photo.png: http://127.0.0.1:9/a.png\n'),
    });
    const run = (args: readonly string[]) => reelform(root, args, { env: { REELFORM_TOKEN: service.token } });
    await run(['pull']);
    unfetch(root, PHOTO);
    const { exitCode, stderr } = await run(APPLY);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('lfs_pointer');
    expect(service.count('POST /v2/source_uploads')).toBe(0);
    expect(service.count('POST /v2/render_sessions')).toBe(0);
  });
});
