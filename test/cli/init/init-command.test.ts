import { appendFileSync, existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { validateWorkflow } from '@action-validator/core';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { EXIT } from '../../../src/kernel/diagnostic.ts';
import { cloneOf, newRemote, newRepository } from '../../support/git-repository.ts';
import { temporaryRepository, writeFiles } from '../../support/temporary-repository.ts';
import { reelform } from '../../support/test-io.ts';

const read = (root: string, path: string): string => readFileSync(join(root, path), 'utf8');

describe('reelform init', () => {
  it('creates a repository that renders a video, and changes nothing the second time', async () => {
    const root = temporaryRepository({});
    const made = await reelform(root, ['init', 'videos', '--yes']);
    expect(made).toMatchObject({ exitCode: EXIT.ok, stderr: '' });
    expect(made.stdout).toBe(`✓ 19 files written
  reelform.yaml
  templates/card/animation.json
  templates/card/fonts/InstrumentSans-Medium.ttf
  templates/card/fonts/OFL-InstrumentSans.txt
  templates/card/template.yaml
  videos/hello.yaml
  schemas/card.spec.json
  schemas/card.schema.json
  .gitignore
  .gitattributes
  AGENTS.md
  .github/workflows/apply.yml
  .github/workflows/drift.yml
  .github/workflows/plan-comment.yml
  .github/workflows/plan.yml
  package.json
  package-lock.json
  vendor/reelform-0.1.0.tgz
  vendor/reelform-engine-0.1.0.tgz

Next
  cd videos
  npm install
  npx reelform plan                     show what would be rendered
  npx reelform apply                    render videos and record them
  git init --initial-branch=main        what is merged into it is rendered
  npx reelform lock merge --install     in each clone: git merges the lockfile entry by entry
  Commit all files including package-lock.json: the workflows run npm ci
`);
    const own = join(root, 'videos');
    // Smaller than created, to save time.
    appendFileSync(join(own, 'videos/hello.yaml'), 'output:\n  height: 90\n  fps: 10\n');
    const applied = await reelform(own, ['apply', '--auto-approve']);
    expect(applied.stdout).toContain('1 rendered');
    // No warning, such as an outdated schema or a lint finding.
    expect(applied.stderr).not.toMatch(/warning|error/);
    expect(existsSync(join(own, (await reelform(own, ['output', 'hello'])).stdout.trim()))).toBe(true);
    for (const command of [
      ['pull', '--check'],
      ['fmt', '--check'],
    ]) {
      expect([command, (await reelform(own, command)).exitCode]).toEqual([command, EXIT.ok]);
    }
    expect((await reelform(own, ['init', '--yes'])).stdout).toContain('0 files written');
    expect((await reelform(own, ['plan'])).stdout).toContain('No changes');
  });

  it('changes no existing file and adds no example to an existing configuration', async () => {
    const root = temporaryRepository({ 'reelform.yaml': 'templates: {}\n', '.gitignore': 'x\n', 'package.json': '{}' });
    symlinkSync('/nowhere', join(root, '.gitattributes'));
    const { stdout } = await reelform(root, ['init', '--ci', 'gitlab']);
    expect(stdout).toContain(
      '✓ 4 files written\n  AGENTS.md\n  .gitlab-ci.yml\n  vendor/reelform-0.1.0.tgz\n  vendor/reelform-engine-0.1.0.tgz\n',
    );
    expect(stdout).toContain('! 4 existing files left unchanged\n');
    expect(stdout).toContain(
      'npm install --save-dev --save-exact ./vendor/reelform-0.1.0.tgz ./vendor/reelform-engine-0.1.0.tgz\n',
    );
    expect([read(root, 'reelform.yaml'), read(root, '.gitignore')]).toEqual(['templates: {}\n', 'x\n']);
    expect(existsSync(join(root, 'templates'))).toBe(false);
  });

  it('prepares languages: configuration, catalogues, and a workflow that opens pull requests', async () => {
    const root = temporaryRepository({});
    const made = await reelform(root, ['init', 'site', '--yes', '--ci', 'github', '--locales', 'de, pt_br,en']);
    expect(made).toMatchObject({ exitCode: EXIT.ok, stderr: '' });
    const listed = made.stdout.split('\n').map((line) => line.trim());
    expect(listed).toEqual(expect.arrayContaining(['.github/workflows/translations.yml', 'locales/de.po', 'locales/pt-BR.po'])); // biome-ignore format: one expectation
    expect(read(root, 'site/reelform.yaml')).toContain('locales: { source: en, targets: [ de, pt-BR ] }\n');
    expect(read(root, 'site/locales/pt-BR.po')).toContain('msgctxt "hello#t_01"\nmsgid "Hello from a file"\nmsgstr ""');
    const own = join(root, 'site');
    for (const command of [['fmt', '--check'], ['validate'], ['locales', 'extract', '--check']]) {
      expect([command, (await reelform(own, command)).exitCode]).toEqual([command, EXIT.ok]);
    }
    expect((await reelform(own, ['plan'])).stdout).toContain(
      '2 videos wait for translation: de (3 texts), pt-BR (3 texts)',
    );
    const again = await reelform(root, ['init', 'site', '--locales', 'fr', '--ci', 'none']);
    expect(again.stdout).toContain('Add to reelform.yaml: locales: { source: en, targets: [fr] }');
    expect((await reelform(root, ['init', 'x', '--locales', 'german!'])).stderr).toContain('init_invalid');
    // In a folder of a repository, it concerns this folder only.
    const { root: other } = await newRepository();
    await reelform(other, ['init', 'ads', '--yes', '--template', 'none', '--locales', 'de']);
    const text = read(other, '.github/workflows/translations-ads.yml');
    expect(text).toContain('BRANCH: reelform/translations-ads\n');
    expect(text).toContain('      - "ads/**"');
    expect(validateWorkflow(text).errors).toEqual([]);
  });

  it('fetches the content of Git LFS in the workflows that draw, where .gitattributes uses the filter', async () => {
    const root = temporaryRepository({ '.gitattributes': '*.jpg filter=lfs diff=lfs merge=lfs -text\n' });
    await reelform(root, ['init', '--yes', '--template', 'none']);
    for (const [name, lfs] of [
      ['plan', true],
      ['apply', true],
      ['drift', undefined],
    ] as const) {
      const text = read(root, `.github/workflows/${name}.yml`);
      const { jobs } = parse(text) as { jobs: Record<string, { steps: { uses?: string; with?: object }[] }> };
      const steps = Object.values(jobs).flatMap((job) => job.steps);
      const checkout = steps.find(({ uses }) => uses?.startsWith('actions/checkout@'));
      expect([name, (checkout?.with as { lfs?: boolean } | undefined)?.lfs]).toEqual([name, lfs]);
      expect(validateWorkflow(text).errors).toEqual([]);
    }
    const plain = temporaryRepository({});
    await reelform(plain, ['init', '--yes', '--template', 'none']);
    expect(read(plain, '.github/workflows/plan.yml')).not.toContain('lfs');
    expect(read(plain, '.gitattributes')).toContain(
      'reelform.lock.json text eol=lf merge=reelform\n*.yaml text eol=lf\n',
    );
  });

  it('asks for missing options', async () => {
    const { root } = await newRepository();
    const answers = { interactive: true, answer: '' };
    const asked = await reelform(root, ['init', 'a', '--template', 'none'], answers);
    expect(asked.stdout).toContain('  ../.github/workflows/plan-a.yml\n');
    expect(read(root, 'a/reelform.yaml')).toContain('service: embedded\ntemplates: {}\n');
    const remote = await reelform(root, [
      'init',
      'b',
      '--ci',
      'none',
      '--template',
      'none',
      '--service',
      'https://a.test/b',
    ]);
    expect(remote.stdout).toContain('export REELFORM_TOKEN');
    // Without CI the journal is a local file.
    expect(read(root, 'b/reelform.yaml')).toContain('service: { url: "https://a.test/b" }\ntemplates: {}\n');
    for (const [flags, options] of [
      [['--service', 'ftp://a'], {}],
      [['--service', 'embedded', '--ci', 'none'], { interactive: true, answer: 'nonsense' }],
      [['--ci', 'none'], { interactive: true, answer: 'nonsense' }],
    ] as const) {
      const { exitCode, stderr } = await reelform(root, ['init', 'c', ...flags], options);
      expect([exitCode, stderr]).toEqual([EXIT.error, expect.stringContaining('init_invalid')]);
    }
    expect(existsSync(join(root, 'c'))).toBe(false);
    const unclear = await reelform(root, ['init', 'c'], { interactive: true, answer: 'ftp://u:canary@a?b=canary' });
    expect(unclear.stderr.match(/"ftp:\/\/a…?" is neither/g), unclear.stderr).toHaveLength(3);
    // A repository with GitLab jobs gets no GitHub workflows.
    const other = (await newRepository()).root;
    writeFileSync(join(other, '.gitlab-ci.yml'), '');
    const { stdout } = await reelform(other, ['init', 'd', '--yes', '--template', 'none']);
    expect(stdout).toContain('Include .gitlab-ci.yml');
  });

  it.each([
    ['Ctrl-C', '\x03'],
    ['Ctrl-D', '\x04'],
    ['Ctrl-C behind the beginning of an answer', 'emb\x03'],
  ])('exits at every question with %s, without writing', async (_, keys) => {
    const root = temporaryRepository({});
    for (const asked of ['Where should', 'Which CI', 'Which template']) {
      const questions: string[] = [];
      const ran = await reelform(root, ['init', 'own'], {
        interactive: true,
        keysFor(question) {
          questions.push(question);
          return question.startsWith(asked) ? keys : '\r';
        },
      });
      expect(ran).toMatchObject({ exitCode: EXIT.interrupted, stdout: '' });
      expect(ran.stderr).toBe('error interrupted: The prompt was cancelled; nothing was changed\n');
      expect(questions.at(-1)).toContain(asked);
    }
    expect(readdirSync(root)).toEqual([]);
    const made = await reelform(root, ['init', 'own'], { interactive: true, keysFor: () => '\r' });
    expect(made.stdout).toContain('19 files written');
  });

  it('writes workflows for the default branch and for a folder of a larger repository', async () => {
    const remote = await newRemote();
    const first = await cloneOf(remote);
    await first.git('checkout', '--quiet', '-b', 'trunk');
    await first.commit({ '.gitlab-ci.yml': 'test: {script: [make]}\n' });
    await first.git('push', '--quiet', 'origin', 'trunk');
    await remote.git('symbolic-ref', 'HEAD', 'refs/heads/trunk');
    const { root, git } = await cloneOf(remote);
    await git('checkout', '--quiet', '-b', 'begin');
    await reelform(root, ['init', 'site/my videos', '--ci', 'github', '--yes']);
    const files = readdirSync(join(root, '.github/workflows'));
    expect(files).toEqual(['apply', 'drift', 'plan-comment', 'plan'].map((name) => `${name}-site-my-videos.yml`));
    for (const file of files) {
      const text = read(root, `.github/workflows/${file}`);
      expect([file, validateWorkflow(text).errors, /\bmain\b/.test(text)]).toEqual([file, [], false]);
      const workflow = parse(text) as {
        defaults: object;
        jobs: Record<string, { steps: { with?: Record<string, string> }[] }>;
      };
      expect(workflow.defaults).toEqual({ run: { 'working-directory': 'site/my videos' } });
      const paths = Object.values(workflow.jobs).flatMap(({ steps }) => steps.flatMap((step) => step.with?.path ?? []));
      expect(paths.filter((path) => !/^(?:site\/my videos|\$\{\{ runner\.temp \}\})\//.test(path))).toEqual([]);
    }
    const apply = read(root, '.github/workflows/apply-site-my-videos.yml');
    expect(apply).toContain('branches: [trunk]\n');
    expect(apply).toContain('ref: trunk\n');
    const plan = read(root, '.github/workflows/plan-site-my-videos.yml');
    expect(plan).toMatch(/^ {2}pull_request:\n {4}paths:\n(?: {6}- .*\n)+ {4}# edited: .*\n {4}types: \[/m);
    // Pull requests are filtered by paths, so the comment about running for all of them is omitted.
    expect(plan).toMatch(/too\.\non:\n/);
    expect(plan).toContain('name: reelform-plan-site-my-videos-${{ github.run_attempt }}\n');

    // Existing GitLab jobs are kept, and our settings apply only to our jobs.
    const { stdout } = await reelform(root, ['init', 'b', '--ci', 'gitlab', '--yes']);
    expect(stdout).toContain('Include .gitlab-ci.yml of this folder');
    expect(read(root, 'b/.gitlab-ci.yml')).toContain('paths: ["b/.reelform/gitlab/plan"]\n');
    expect(read(root, 'b/.gitlab-ci.yml')).toContain(
      'comment gitlab --tag b --open-merge-requests --job plan-b --plan "b/".reelform/gitlab/plan/plan.json\n',
    );
    expect(read(root, 'b/.gitlab-ci.yml').match(/resource_group: .*/g)).toEqual([
      'resource_group: reelform-notes-b',
      'resource_group: reelform-apply-b',
    ]);
    expect(read(root, 'b/.gitignore')).toBe('node_modules/\nrenders/\n.reelform/\n.unfinished-*\n');
    const jobs = parse(read(root, 'b/.gitlab-ci.yml')) as Record<string, { extends?: string }>;
    expect(Object.entries(jobs).map(([name, { extends: from }]) => [name, from])).toEqual([
      ['.reelform-b', undefined],
      ...['plan-b', 'speech-b', 'notes-b', 'apply-b', 'drift-b'].map((name) => [name, '.reelform-b']),
    ]);
    // Taken names get a suffix. Only workflows that use the service get its token.
    writeFiles(root, { '.github/workflows/plan.yml': 'name: plan\non: push\njobs: {}\n' });
    await reelform(root, ['init', '--yes', '--ci', 'github', '--service', 'https://a.test']);
    expect(read(root, '.github/workflows/plan.yml')).toContain('jobs: {}');
    expect(read(root, '.github/workflows/plan-comment-reelform.yml')).toMatch(
      /workflows: \[plan-reelform\][\s\S]*--tag reelform /,
    );
    const tokens = ['plan', 'plan-comment', 'apply', 'drift'].map((name) => {
      const text = read(root, `.github/workflows/${name}-reelform.yml`);
      const { jobs } = parse(text) as { jobs: Record<string, { environment?: string }> };
      expect([name, validateWorkflow(text).errors]).toEqual([name, []]);
      return [
        Object.values(jobs).map(({ environment }) => environment),
        ...[...text.matchAll(/secrets\.(REELFORM_(?:READ_)?TOKEN)\b/g)].map(([, secret]) => secret),
      ];
    });
    // The token that spends is in an environment. A token that only reads needs none.
    expect(tokens).toEqual([
      [[undefined]],
      [[undefined, undefined]],
      [['reelform'], 'REELFORM_TOKEN'],
      [[undefined], 'REELFORM_READ_TOKEN'],
    ]);
    const service = ['--service', 'https://a.test', '--yes', '--template', 'none'];
    for (const folder of ['d', 'e f']) await reelform(root, ['init', folder, ...service]);
    expect(read(root, 'd/reelform.yaml')).toContain('journal: { git: reelform-journal-d }\n');
    expect(read(root, 'e f/reelform.yaml')).toContain('journal: { git: reelform-journal-e-f }\n');
    const { exitCode, stderr } = await reelform(root, ['init', 'c*', '--yes']);
    expect([exitCode, stderr]).toEqual([EXIT.error, expect.stringContaining('init_invalid')]);
    expect(existsSync(join(root, 'c*'))).toBe(false);
  });

  it('refuses a file in place of the folder', async () => {
    const root = temporaryRepository({});
    writeFiles(root, { file: '' });
    expect((await reelform(root, ['init', 'file', '--yes'])).exitCode).toBe(EXIT.error);
  });
});
