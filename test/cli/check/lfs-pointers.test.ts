import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { StyleVersion } from '../../../src/wire/style-version.ts';
import { startInterfaceService } from '../../support/interface-service.ts';
import { pointerTo } from '../../support/lfs-pointer.ts';
import { CONFIG, definition, makeRepository, NO_LINT } from '../../support/repository.ts';
import { smallPackage } from '../../support/small-package.ts';
import { reelform } from '../../support/test-io.ts';

const PHOTO = 'videos/images/photo.png';
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
        ...{ args, exitCode: 1 },
        text: expect.stringMatching(/"renders\/.*\.mp4" is a Git LFS pointer.*git lfs pull/s),
      });
    }
    expect(existsSync(join(root, 'out'))).toBe(false);
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

  it('refuses to draw with a font of a template, and to pack or push it', async () => {
    const root = makeRepository();
    const [font] = filesBelow(root, 'templates/small').filter((path) => /\.(?:ttf|otf|woff2)$/.test(path));
    unfetch(root, font!);
    for (const args of [APPLY, ['render', 'rome'], ['template', 'check', 'templates/small']]) {
      const { exitCode, stdout, stderr } = await reelform(root, args);
      expect({ args, exitCode, text: stdout + stderr }).toEqual({
        ...{ args, exitCode: 1 },
        text: expect.stringContaining(`"${font}" is a Git LFS pointer`),
      });
    }
  });

  it('names a data file, where no plan can be made', async () => {
    const root = makeRepository({
      'videos/rome.yaml': `${definition('${name}')}each: {from: ./rows.csv, id: "\${name}"}\n`,
      'videos/rows.csv': pointerTo(Buffer.from('name\nRome\n')),
    });
    const { exitCode, stderr } = await reelform(root, ['validate']);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('"videos/rows.csv" is a Git LFS pointer');
    expect(stderr).toContain('lfs_pointer');
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
