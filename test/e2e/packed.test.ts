import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { execa } from 'execa';
import { beforeAll, expect, it } from 'vitest';
import { packPackages, type Tarballs } from '../support/packed-packages.ts';

/** Files that the package's documents link to. */
const isLinked = (path: string): boolean =>
  /(?:^|\/)README\.md$|^templates\/\w+\.md$|^(?:deploy|docs|videos)\/|^\.github\/[\w-]+\.jpg$|^(?:action\.yml|reelform\.lock\.json)$/.test(
    path,
  );

const REPOSITORY = join(import.meta.dirname, '../..');

let tarballs: Tarballs;

beforeAll(async () => {
  tarballs = await packPackages();
});

// Both wait for npm and its downloads.
it.concurrent('the packed package works in an empty folder outside the repository', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'reelform-packed-'));
  const { stdout: listed } = await execa('tar', ['-tzf', tarballs.reelform]);
  const paths = listed.split('\n').map((path) => path.replace(/^package\//, ''));
  expect(paths).toEqual(
    expect.arrayContaining(['LICENSE', 'NOTICE', 'README.md', 'dist/cli/main.js', 'dist/types/index.d.ts']),
  );
  expect(
    paths.filter(
      (path) => !/^(?:dist|schemas|starter)\/|^(?:LICENSE|NOTICE|package\.json)$/.test(path) && !isLinked(path),
    ),
  ).toEqual([]);

  const user = join(folder, 'videos-of-a-user');
  mkdirSync(join(user, 'videos'), { recursive: true });
  writeFileSync(join(user, 'package.json'), '{"name": "a-user", "private": true}');
  await execa('npm', ['install', '--no-audit', '--no-fund', tarballs.reelform, tarballs.engine], { cwd: user });
  cpSync(join(REPOSITORY, 'templates/story'), join(user, 'templates/story'), { recursive: true });
  writeFileSync(join(user, 'reelform.yaml'), 'templates:\n  story: ./templates/story\n');
  const { style_version: spec } = JSON.parse(readFileSync(join(REPOSITORY, 'schemas/story.spec.json'), 'utf8')) as {
    style_version: { editables: Record<string, { input_type: string; example_text: string }> };
  };
  cpSync(join(REPOSITORY, 'templates/story/images/background.jpg'), join(user, 'photo.jpg'));
  const resources = Object.entries(spec.editables).map(
    ([key, { input_type, example_text }]) =>
      `  ${key}: ${JSON.stringify(input_type === 'image' ? 'photo.jpg' : example_text)}`,
  );
  writeFileSync(
    join(user, 'videos/first.yaml'),
    `template: story\ntitle: First\nresources:\n${resources.join('\n')}\n`,
  );

  const environment = { cwd: user, env: { CI: 'true', NO_COLOR: '1' } };
  const applied = await execa('npx', ['reelform', 'apply', '--auto-approve'], environment);
  expect(applied.stdout).toContain('1 rendered');
  const { stdout: url } = await execa('npx', ['reelform', 'output', 'first'], environment);
  expect(existsSync(join(user, url))).toBe(true);

  const imported = await execa(
    'node',
    ['--input-type=module', '-e', "import { parseLock } from 'reelform'; console.log(typeof parseLock)"],
    environment,
  );
  expect(imported.stdout).toBe('function');
});

it.concurrent('init from the tarball creates a repository in which npm ci, npm install and the first apply work', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'reelform-init-'));
  const environment = { cwd: folder, env: { CI: 'true', NO_COLOR: '1' } };
  const packages = [tarballs.reelform, tarballs.engine].map((tarball) => `--package=${tarball}`);
  await execa('npx', ['--yes', ...packages, 'reelform', 'init', 'own', '--yes'], environment);
  const own = { ...environment, cwd: join(folder, 'own') };
  const read = (path: string) => readFileSync(join(folder, 'own', path), 'utf8');
  const before = read('package-lock.json');
  expect(JSON.parse(read('package.json'))).toMatchObject({
    dependencies: { reelform: `file:vendor/${basename(tarballs.reelform)}` },
    optionalDependencies: { '@reelform/engine': `file:vendor/${basename(tarballs.engine)}` },
  });
  // As in CI: only committed files.
  await execa('npm', ['ci'], own);
  const { stdout } = await execa('npx', ['reelform', 'apply', '--auto-approve'], own);
  expect(stdout).toContain('1 rendered');
  await execa('npm', ['install'], own);
  expect(JSON.parse(read('package-lock.json'))).toMatchObject(JSON.parse(before) as object);
  // The clone and the new repository create the same files.
  await execa('node', [join(REPOSITORY, 'dist/cli/main.js'), 'init', 'second', '--yes'], environment);
  await execa('npx', ['reelform', 'init', '../third', '--yes'], own);
  for (const name of ['second', 'third']) {
    expect([name, readFileSync(join(folder, name, 'package.json'), 'utf8')]).toEqual([name, read('package.json')]);
  }
});
