import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { definition, makeFolder, makeRepository } from '../support/repository.ts';
import { reelform } from '../support/test-io.ts';

describe('reelform', () => {
  it('prints its version', async () => {
    expect(await reelform('/', ['--version'])).toEqual({ exitCode: 0, stdout: `${packageJson.version}\n`, stderr: '' });
  });

  it.each([
    [['plann']],
    [['plan', '--jsn']],
    [['apply', '--concurrency', '0']],
    [['apply', '--concurrency', 'x']],
    [[]],
  ])('explains the error in %j and exits with 1', async (args) => {
    const { exitCode, stdout, stderr } = await reelform('/', args);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toMatch(/unknown|Did you mean|invalid|Usage/);
  });

  it('reports a missing configuration', async () => {
    const root = makeFolder({});
    for (const command of ['plan', 'apply', 'validate', 'pull', 'show', 'output']) {
      const { exitCode, stderr } = await reelform(root, [command]);
      expect({ command, exitCode }).toEqual({ command, exitCode: 1 });
      expect(stderr).toContain('config_missing');
    }
  });
});

describe('reelform validate', () => {
  it('counts valid videos', async () => {
    const root = makeRepository();
    await reelform(root, ['pull']);
    expect(await reelform(root, ['validate'])).toEqual({
      exitCode: 0,
      stdout: '3 videos and 1 template are valid.\n',
      stderr: '',
    });
  });

  it('reports the errors of all files at once', async () => {
    const root = makeRepository({
      'videos/rome.yaml': definition('Rome').replace('t_01', 't_10'),
      'videos/oslo.yaml': 'template: smal\ntitle: Oslo\n',
      'videos/bad.yaml': 'template: [',
    });
    const { exitCode, stdout } = await reelform(root, ['validate', '--json']);
    const document = JSON.parse(stdout) as {
      valid: boolean;
      diagnostics: { code: string; file: string; line: number }[];
    };
    const codes = document.diagnostics
      .filter(({ code }) => code !== 'schema_outdated')
      .map(({ code, file }) => `${file} ${code}`);
    expect(exitCode).toBe(1);
    expect(document.valid).toBe(false);
    expect(codes).toEqual([
      'videos/bad.yaml yaml_syntax',
      'videos/oslo.yaml unknown_template',
      'videos/rome.yaml missing_editable',
      'videos/rome.yaml unknown_editable',
    ]);
  });
});

describe('reelform pull', () => {
  it('writes the specification and schema of each template, and nothing the second time', async () => {
    const root = makeRepository();
    expect(await reelform(root, ['pull', '--check'])).toMatchObject({ exitCode: 2 });
    expect(await reelform(root, ['pull'])).toEqual({
      exitCode: 0,
      stdout: 'wrote  schemas/small.spec.json\nwrote  schemas/small.schema.json\n',
      stderr: '',
    });
    expect(await reelform(root, ['pull', '--check'])).toEqual({
      exitCode: 0,
      stdout: '✓ 2 files under schemas/ are up to date.\n',
      stderr: '',
    });
    const { style_version } = JSON.parse(readFileSync(join(root, 'schemas/small.spec.json'), 'utf8')) as {
      style_version: { editables: Record<string, unknown> };
    };
    expect(Object.keys(style_version.editables)).toEqual(['t_01', 'c_01', '(Footage)/USER/photo.png']);
  });

  it('detects a changed template', async () => {
    const root = makeRepository();
    await reelform(root, ['pull']);
    const manifest = join(root, 'templates/small/template.yaml');
    writeFileSync(manifest, readFileSync(manifest, 'utf8').replace('Headline', 'Title'));
    const { stderr } = await reelform(root, ['validate']);
    expect(stderr).toContain('schema_outdated');
    expect(await reelform(root, ['pull', 'small', '--check'])).toMatchObject({
      exitCode: 2,
      stdout: expect.stringContaining('out of date'),
    });
  });

  it('works despite invalid definitions, and refuses unknown templates', async () => {
    const root = makeRepository({ 'videos/bad.yaml': 'template: [' });
    expect(await reelform(root, ['pull'])).toMatchObject({ exitCode: 0, stderr: '' });
    const { exitCode, stderr } = await reelform(root, ['pull', 'smal']);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('unknown_template');
    expect(stderr).toContain('small');
  });

  it('reports an invalid package', async () => {
    const root = makeRepository();
    rmSync(join(root, 'templates/small/animation.json'));
    const { exitCode, stderr } = await reelform(root, ['pull']);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('template_invalid');
  });
});

const ENTRY = {
  fingerprint: `v1:${'a'.repeat(64)}`,
  title: 'Berlin',
  service: 'embedded',
  template: 'small',
  style_version: 'tsv_1',
  inputs: { t_01: 'Berlin' },
  session: 'rs_1',
  video_url: 'renders/berlin-aaaaaaaa.mp4',
  thumbnails: ['renders/berlin-aaaaaaaa.stillcut_01.jpg'],
  rendered_at: '2026-01-01T10:00:00.000Z',
};

describe('reelform show and output', () => {
  let root: string;
  beforeAll(() => {
    const lock = {
      lockfile_version: 1,
      videos: { berlin: ENTRY, oslo: { ...ENTRY, video_url: 'renders/oslo-aaaaaaaa.mp4' } },
    };
    root = makeFolder({ 'reelform.yaml': 'templates: {}\n', 'reelform.lock.json': JSON.stringify(lock) });
  });

  it('show lists the videos', async () => {
    expect((await reelform(root, ['show'])).stdout).toMatchInlineSnapshot(`
      "berlin  2026-01-01 10:00  renders/berlin-aaaaaaaa.mp4
      oslo    2026-01-01 10:00  renders/oslo-aaaaaaaa.mp4
      "
    `);
  });

  it('show ID prints one video in full', async () => {
    expect((await reelform(root, ['show', 'berlin'])).stdout).toMatchInlineSnapshot(`
      "berlin
        title        Berlin
        template     small (tsv_1)
        service      embedded
        session      rs_1
        fingerprint  v1:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
        rendered at  2026-01-01T10:00:00.000Z
        video        renders/berlin-aaaaaaaa.mp4
        still        renders/berlin-aaaaaaaa.stillcut_01.jpg

        filled with
        t_01         Berlin
      "
    `);
  });

  it('show --json prints the entry or the lockfile', async () => {
    expect(JSON.parse((await reelform(root, ['show', 'berlin', '--json'])).stdout)).toEqual(ENTRY);
    expect(
      Object.keys((JSON.parse((await reelform(root, ['show', '--json'])).stdout) as { videos: object }).videos),
    ).toEqual(['berlin', 'oslo']);
  });

  it('output prints URLs for scripts', async () => {
    expect((await reelform(root, ['output', 'berlin'])).stdout).toBe('renders/berlin-aaaaaaaa.mp4\n');
    expect((await reelform(root, ['output'])).stdout).toBe(
      'berlin\trenders/berlin-aaaaaaaa.mp4\noslo\trenders/oslo-aaaaaaaa.mp4\n',
    );
    expect(JSON.parse((await reelform(root, ['output', '--json'])).stdout)).toEqual({
      berlin: 'renders/berlin-aaaaaaaa.mp4',
      oslo: 'renders/oslo-aaaaaaaa.mp4',
    });
  });

  it.each(['show', 'output'])('%s ID refuses a video that is not in the lockfile', async (command) => {
    const { exitCode, stderr } = await reelform(root, [command, 'rome']);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('unknown_video');
  });

  it.each<[string, string]>([
    ['lock_unreadable', '{"lockfile_version": 1, "videos": '],
    ['lock_conflict', '{\n<<<<<<< HEAD\n"videos": {}\n=======\n>>>>>>> other\n}'],
    ['lock_newer', '{"lockfile_version": 2, "videos": {}}'],
  ])('refuse a lockfile with %s instead of treating it as empty', async (code, text) => {
    const broken = makeRepository({ 'reelform.lock.json': text });
    mkdirSync(join(broken, 'renders'));
    for (const args of [['show'], ['output'], ['plan'], ['apply', '--auto-approve']]) {
      const { exitCode, stderr } = await reelform(broken, args);
      expect({ args, exitCode }).toEqual({ args, exitCode: 1 });
      expect(stderr).toContain(code);
    }
    expect(readFileSync(join(broken, 'reelform.lock.json'), 'utf8')).toBe(text);
  });
});
