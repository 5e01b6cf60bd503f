import { existsSync, mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { makeRepository } from '../../support/repository.ts';
import { reelform } from '../../support/test-io.ts';

const MESSY = "title:   Rome\ntemplate: small\nresources:\n    t_01: 000000\n    c_01: '#eeada7'\n";
const NEAT = 'template: small\ntitle: Rome\nresources:\n  t_01: 000000\n  c_01: "#eeada7"\n';

function repository(files: Record<string, string> = {}): { root: string; read: (path: string) => string } {
  const root = makeRepository({ 'videos/rome.yaml': MESSY, ...files });
  onTestFinished(() => rmSync(root, { recursive: true }));
  return { root, read: (path) => readFileSync(join(root, path), 'utf8') };
}

describe('reelform fmt', () => {
  test('writes only files that are not formatted', async () => {
    const { root, read } = repository({
      'reelform.yaml': 'templates: {small: ./templates/small}\nservice: embedded\n',
    });
    const { mtimeMs } = statSync(join(root, 'videos/oslo.yaml'));
    expect(await reelform(root, ['fmt'])).toEqual({
      exitCode: 0,
      stdout: 'wrote  reelform.yaml\nwrote  videos/rome.yaml\n',
      stderr: '',
    });
    expect(read('reelform.yaml')).toBe('service: embedded\ntemplates: { small: ./templates/small }\n');
    expect(read('videos/rome.yaml')).toBe(NEAT);
    expect(statSync(join(root, 'videos/oslo.yaml')).mtimeMs).toBe(mtimeMs);
    expect((await reelform(root, ['fmt'])).stdout).toBe('✓ 4 files formatted.\n');
  });

  test('leaves the line breaks that git writes on Windows', async () => {
    const files = Object.fromEntries(
      ['oslo', 'berlin'].map((id) => [`videos/${id}.yaml`, NEAT.replaceAll('\n', '\r\n')]),
    );
    const { root, read } = repository(files);
    expect((await reelform(root, ['fmt'])).stdout).not.toContain('oslo');
    expect(read('videos/oslo.yaml')).toBe(files['videos/oslo.yaml']);
  });

  test('--check writes nothing and exits with 2', async () => {
    const { root, read } = repository();
    expect(await reelform(root, ['fmt', '--check'])).toEqual({
      exitCode: 2,
      stdout: 'not formatted  videos/rome.yaml\n',
      stderr: '',
    });
    expect(read('videos/rome.yaml')).toBe(MESSY);
    writeFileSync(join(root, 'videos/rome.yaml'), NEAT);
    expect((await reelform(root, ['fmt', '--check'])).exitCode).toBe(0);
  });

  test('resolves file names from the current folder', async () => {
    const { root, read } = repository({ 'videos/paris.yaml': MESSY, 'videos/_part.yaml': 'title:   P\n' });
    expect((await reelform(join(root, 'videos'), ['fmt', 'paris.yaml', '_part.yaml'])).exitCode).toBe(0);
    expect(read('videos/paris.yaml')).toBe(NEAT);
    expect(read('videos/_part.yaml')).toBe('title: P\n');
    expect(read('videos/rome.yaml')).toBe(MESSY);
  });

  test('reports unreadable files and formats the others', async () => {
    const { root, read } = repository({ 'videos/broken.yaml': 'title: [\n' });
    const ran = await reelform(root, [
      'fmt',
      'videos/broken.yaml',
      'videos/nobody.yaml',
      '../x.yaml',
      'videos/rome.yaml',
    ]);
    expect(ran.exitCode).toBe(1);
    for (const code of ['yaml_syntax', 'missing_file']) expect(ran.stderr).toContain(code);
    expect(read('videos/rome.yaml')).toBe(NEAT);
  });

  test('formats the others if one cannot be written', async () => {
    const { root, read } = repository({ 'videos/keys.yaml': '? title\n? template\n' });
    // The path is short enough for the file itself but too long for a temporary file next to it.
    const part = 'a'.repeat(100);
    let folder = 'videos/deep';
    while (root.length + folder.length < 4060) folder += `/${part.slice(0, 4069 - root.length - folder.length)}`;
    mkdirSync(join(root, folder), { recursive: true });
    writeFileSync(join(root, folder, 'b.yaml'), MESSY);
    const ran = await reelform(root, ['fmt', `${folder}/b.yaml`, 'videos/keys.yaml', 'videos/rome.yaml']);
    expect(ran).toMatchObject({ exitCode: 1, stdout: 'wrote  videos/keys.yaml\nwrote  videos/rome.yaml\n' });
    expect(ran.stderr).toContain('write_failed');
    expect(read('videos/rome.yaml')).toBe(NEAT);
    expect(read(`${folder}/b.yaml`)).toBe(MESSY);
    expect(read('videos/keys.yaml')).toBe('template:\ntitle:\n');
  });

  test('ignores files that are not definitions', async () => {
    const json = '{"style_version":{"id":"tsv_1"}}\n';
    const { root, read } = repository({ 'schemas/small.spec.json': json });
    const { exitCode, stderr } = await reelform(root, ['fmt', 'schemas/small.spec.json', 'videos/rome.yaml']);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('"schemas/small.spec.json" is not a definition');
    expect(read('schemas/small.spec.json')).toBe(json);
    expect(read('videos/rome.yaml')).toBe(NEAT);
  });

  test('removes temporary files of killed commands even if nothing is written', async () => {
    const { root } = repository();
    await reelform(root, ['fmt']);
    const left = join(root, 'videos/.unfinished-0123abcd-0000-4000-8000-000000000000');
    writeFileSync(left, 'half');
    await reelform(root, ['fmt'], { now: Date.now });
    expect(existsSync(left)).toBe(true);
    const past = Date.now() / 1000 - 3_600;
    utimesSync(left, past, past);
    await reelform(root, ['fmt', '--check'], { now: Date.now });
    expect(existsSync(left)).toBe(true);
    await reelform(root, ['fmt'], { now: Date.now });
    expect(existsSync(left)).toBe(false);
  });

  test('does not write during an apply', async () => {
    const { root, read } = repository();
    mkdirSync(join(root, '.reelform'), { recursive: true });
    writeFileSync(join(root, '.reelform/apply.pid'), `${process.ppid} other\n`);
    expect((await reelform(root, ['fmt'])).stderr).toContain('already_running');
    expect((await reelform(root, ['fmt', '--check'])).exitCode).toBe(2);
    expect(read('videos/rome.yaml')).toBe(MESSY);
  });
});
