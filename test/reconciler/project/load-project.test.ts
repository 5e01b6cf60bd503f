import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sha256 } from '../../../src/kernel/digest.ts';
import { loadProject, type Project } from '../../../src/reconciler/project/load-project.ts';
import { schemaFiles } from '../../../src/reconciler/project/schema-files.ts';
import { LAUNCH_SPEC } from '../../support/launch-spec.ts';
import { DEFINITION, placed } from '../../support/resolve.ts';
import { smallPackage, smallPackageFiles } from '../../support/small-package.ts';
import { temporaryRepository } from '../../support/temporary-repository.ts';

type Files = Record<string, string | Uint8Array>;

const SCHEMAS: Files = Object.fromEntries(schemaFiles('launch', LAUNCH_SPEC).map(({ path, text }) => [path, text]));
const REMOTE: Files = {
  'reelform.yaml': 'service: {url: "https://service.example"}\ntemplates: {launch: tsv_launch}\n',
  ...SCHEMAS,
  'images/hero.jpg': 'jpeg',
};
const SMALL: Files = {
  'reelform.yaml': 'templates: {small: ./templates/small}\n',
  ...Object.fromEntries([...smallPackageFiles()].map(([path, bytes]) => [`templates/small/${path}`, bytes])),
  'videos/a.yaml': 'template: small\ntitle: A\nresources: {t_01: Hi, c_01: 000000}\n',
};

function problems(project: Project): string[] {
  return project.diagnostics.map((diagnostic) => `${diagnostic.severity} ${placed(diagnostic, project.source)}`);
}

async function load(files: Files): Promise<Project> {
  return loadProject({ cwd: temporaryRepository(files) });
}

describe('loadProject()', () => {
  it('reads a repository from any folder in it', async () => {
    const root = temporaryRepository({ ...REMOTE, 'videos/b.yaml': DEFINITION, 'videos/de/a.yaml': DEFINITION });
    const project = await loadProject({ cwd: join(root, 'videos/de') });
    expect(problems(project)).toEqual([]);
    expect(project.root).toBe(root);
    expect(project.videos.map(({ id, path }) => [id, path])).toEqual([
      ['b', 'videos/b.yaml'],
      ['de/a', 'videos/de/a.yaml'],
    ]);
    expect([...project.assets.values()]).toEqual([{ path: 'images/hero.jpg', sha256: sha256('jpeg'), sizeBytes: 4 }]);
    expect(project.templates.get('launch')).toEqual({
      name: 'launch',
      spec: LAUNCH_SPEC,
      package: null,
      files: null,
      addedFonts: new Map(),
      paths: ['schemas/launch.spec.json'],
    });
    expect(project.source('videos/b.yaml')).toBe(DEFINITION);
  });

  it('reads a template package', async () => {
    const { spec } = smallPackage();
    const schemas = Object.fromEntries(schemaFiles('small', spec).map(({ path, text }) => [path, text]));
    const project = await load({ ...SMALL, ...schemas });
    expect(problems(project)).toEqual([]);
    expect(project.videos).toMatchObject([{ id: 'a', scenes: [{ template: 'small' }] }]);
    expect(project.templates.get('small')).toMatchObject({ spec, package: { digest: smallPackage().digest } });
  });

  it('warns of schema files that do not match the package', async () => {
    const { spec } = smallPackage();
    const [specFile, schemaFile] = schemaFiles('small', spec);
    expect(problems(await load(SMALL))).toEqual(['warning schema_outdated reelform.yaml:1:20']);
    const old = { [specFile.path]: specFile.text, [schemaFile.path]: '{}' };
    const project = await load({ ...SMALL, ...old });
    expect(project.diagnostics).toMatchObject([{ code: 'schema_outdated', hint: 'Run reelform pull small' }]);
    expect(project.diagnostics[0]?.message).not.toContain('spec.json');
    expect(project.videos).toHaveLength(1);
  });

  it.each<[string, Files, string[]]>([
    [
      'an invalid configuration',
      {
        'reelform.yaml': 'service: {url: "https://service.example"}\ntemplates: {launch: tsv_launch}\nconcurency: 3\n',
      },
      ['error unknown_property reelform.yaml:3:1'],
    ],
    ['a configuration that is not YAML', { 'reelform.yaml': 'a: b: c' }, ['error yaml_syntax reelform.yaml:1:4']],
    [
      'a repository without definitions',
      {
        'reelform.yaml':
          'service: {url: "https://service.example"}\ntemplates: {launch: tsv_launch}\nvideos: clips/*.yaml\n',
      },
      ['warning no_videos reelform.yaml:1:1'],
    ],
    ['a definition that ends in .yml', { 'videos/x.yml': DEFINITION }, ['warning definition_ignored videos/x.yml:1:1']],
    ['a fragment that ends in .yml and is not read', { 'videos/_x.yml': 'title: x\n' }, []],
    [
      'data that ends in .yml',
      {
        'videos/rows.yml': '- {id: a}\n',
        'videos/a.yaml': `${DEFINITION}each: {from: ./rows.yml, id: "\${id}"}\n`,
      },
      [],
    ],
    [
      'a missing image',
      { 'videos/a.yaml': DEFINITION.replace('hero.jpg\n', 'hero.png\n') },
      ['error missing_file videos/a.yaml:6:28'],
    ],
    [
      'a missing image besides another error',
      { 'videos/a.yaml': `${DEFINITION.replace('images/hero', 'hero')}tittle: x` },
      ['error missing_file videos/a.yaml:6:28', 'error unknown_property videos/a.yaml:7:1'],
    ],
    [
      'a specification of another version',
      { 'reelform.yaml': 'service: {url: "https://service.example"}\ntemplates: {launch: tsv_2}\n' },
      ['error spec_missing reelform.yaml:2:21'],
    ],
    [
      'an invalid specification',
      { 'schemas/launch.spec.json': '{}' },
      ['error spec_invalid schemas/launch.spec.json:1:1'],
    ],
    [
      'a missing package',
      { 'reelform.yaml': 'templates: {launch: ./nope}\n' },
      ['error template_invalid reelform.yaml:1:21'],
    ],
    [
      'an empty file',
      { 'videos/images/hero.jpg': '', 'images/hero.jpg': '' },
      ['error missing_file videos/a.yaml:6:28'],
    ],
    [
      'a definition in Latin-1',
      { 'videos/b.yaml': new Uint8Array([0x61, 0xfc]) },
      ['error definition_invalid videos/b.yaml:1:1'],
    ],
  ])('reports %s', async (_, files, expected) => {
    const project = await load({ ...REMOTE, 'videos/a.yaml': DEFINITION, ...files });
    expect(problems(project).sort()).toEqual(expected);
  });

  it('reports a missing specification, but not the definitions that use it', async () => {
    const files = {
      'reelform.yaml': 'service: {url: "https://service.example"}\ntemplates: {launch: tsv_launch}\n',
      'videos/a.yaml': DEFINITION,
    };
    expect(problems(await load(files))).toEqual(['error spec_missing reelform.yaml:2:21']);
  });

  it('suggests an existing file with a similar name', async () => {
    const project = await load({ ...REMOTE, 'videos/a.yaml': DEFINITION.replace('hero.jpg\n', 'hero.png\n') });
    expect(project.diagnostics[0]?.hint).toBe('Did you mean images/hero.jpg?');
  });

  it('refuses links that leave the repository', async () => {
    const root = temporaryRepository({
      ...REMOTE,
      'videos/a.yaml': DEFINITION.replace('images/hero.jpg', 'images/out.jpg'),
    });
    const outside = temporaryRepository({ 'secret.jpg': '' });
    symlinkSync(join(outside, 'secret.jpg'), join(root, 'images/out.jpg'));
    expect(problems(await loadProject({ cwd: root }))).toEqual(['error path_outside videos/a.yaml:6:28']);
  });

  it('throws config_missing outside a repository', async () => {
    const root = temporaryRepository({});
    mkdirSync(join(root, 'a'));
    await expect(loadProject({ cwd: join(root, 'a') })).rejects.toMatchObject({ code: 'config_missing' });
  });
});
