import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { definition, makeFolder, makeRepository } from '../../support/repository.ts';
import { reelform } from '../../support/test-io.ts';

const BAD = { 'videos/rome.yaml': definition('Rome').replace('#EEADA7', 'red') };

describe('plan --format github', () => {
  it('writes the log, annotations, the summary and outputs', async () => {
    const workspace = makeFolder({ summary: 'Before.\n', outputs: '' });
    const root = makeRepository(BAD);
    const env = {
      GITHUB_STEP_SUMMARY: join(workspace, 'summary'),
      GITHUB_OUTPUT: join(workspace, 'outputs'),
      GITHUB_WORKSPACE: join(root, '..'),
    };
    const { stdout, exitCode } = await reelform(root, ['plan', '--format', 'github'], { env });
    expect(exitCode).toBe(1);
    const folder = root.split('/').at(-1);
    expect(stdout).toMatch(
      /^::stop-commands::([0-9a-f-]{36})\nCorrect these errors to plan\.\n::\1::\n::error title=invalid_color,file=/,
    );
    expect(stdout).toContain(`file=${folder}/videos/rome.yaml,line=5,endLine=5,col=9,endColumn=14::`);
    const summary = readFileSync(env.GITHUB_STEP_SUMMARY, 'utf8');
    expect(summary).toMatch(/^Before\.\n### Reelform plan: 1 error\n/);
    expect(summary).toContain('<code>videos/rome.yaml&#58;5&#58;9</code>');
    const outputs = readFileSync(env.GITHUB_OUTPUT, 'utf8');
    expect(outputs).toMatch(/^plan_id<<(reelform_[0-9a-f-]{36})\nsha256:[0-9a-f]{64}\n\1\nhas_changes<<\1\nfalse\n/);
    expect(outputs).toMatch(/\nerrors<<\S+\n1\n/);
  });

  it('reports a file that cannot be written and continues', async () => {
    const root = makeRepository();
    const env = { GITHUB_STEP_SUMMARY: join(root, 'no/such/folder'), GITHUB_OUTPUT: join(root, 'outputs') };
    const { stderr, exitCode } = await reelform(root, ['plan', '--format', 'github'], { env });
    expect(stderr).toContain('\nThe file in GITHUB_STEP_SUMMARY cannot be written: ENOENT\n');
    expect(exitCode).toBe(0);
    expect(readFileSync(env.GITHUB_OUTPUT, 'utf8')).toContain('renders<<');
  });
});

it('plan --format gitlab writes its report files', async () => {
  const root = makeRepository(BAD);
  expect((await reelform(root, ['plan', '--format', 'gitlab'])).exitCode).toBe(1);
  const read = (name: string): string => readFileSync(join(root, '.reelform/gitlab', name), 'utf8');
  expect(JSON.parse(read('terraform.json'))).toEqual({ create: 0, update: 0, delete: 0 });
  expect(JSON.parse(read('codequality.json'))).toMatchObject([
    { check_name: 'invalid_color' },
    { check_name: 'schema_outdated' },
  ]);
  expect(read('note.md')).toMatch(/^### Reelform plan: 1 error\n/);
});

describe('plan with a hardware encoder', () => {
  it.each(['text', 'json', 'markdown', 'html'])('says that bytes vary in %s', async (format) => {
    const root = makeRepository({ 'videos/rome.yaml': definition('Rome') });
    const args = ['plan', '--format', format];
    const { stdout } = await reelform(root, args, { env: { REELFORM_ENCODER: 'nvenc' } });
    const words = format === 'json' ? '"bytes_vary": "nvenc"' : /bytes[\s\u00a0]vary[\s\u00a0]\(nvenc\)/;
    expect(stdout).toEqual(typeof words === 'string' ? expect.stringContaining(words) : expect.stringMatching(words));
    expect((await reelform(root, args)).stdout).not.toMatch(/bytes.vary/);
  });

  it('says so of H.264 only', async () => {
    const gif = 'output:\n  format: gif\n';
    const ids = ['berlin', 'oslo', 'rome'];
    const root = makeRepository(Object.fromEntries(ids.map((id) => [`videos/${id}.yaml`, `${definition(id)}${gif}`])));
    const { stdout } = await reelform(root, ['plan', '--json'], { env: { REELFORM_ENCODER: 'nvenc' } });
    expect(JSON.parse(stdout).estimate).not.toHaveProperty('bytes_vary');
  });
});

describe('show PLANFILE', () => {
  it.each(['text', 'json', 'markdown', 'html'])(
    'prints the same as plan --format %s, outside of a repository',
    async (format) => {
      const root = makeRepository();
      const { stdout } = await reelform(root, ['plan', '--out', 'plan.json', '--format', format]);
      const elsewhere = makeFolder({ 'plan.json': readFileSync(join(root, 'plan.json')) });
      const shown = await reelform(elsewhere, ['show', 'plan.json', '--format', format]);
      expect(shown).toEqual({ exitCode: 0, stdout, stderr: '' });
      expect(stdout.length).toBeGreaterThan(100);
    },
  );

  it('treats an id as an id even if a file has that name', async () => {
    const root = makeRepository();
    mkdirSync(join(root, 'berlin.json'));
    writeFileSync(join(root, 'berlin'), '');
    for (const id of ['berlin', 'berlin.json']) {
      expect((await reelform(root, ['show', id])).stderr).toContain('The lockfile has no video');
    }
  });
});

it.each([
  [['plan', '--json', '--format', 'html'], '--format html and --json exclude each other'],
  [['show', '--format', 'html'], 'The lockfile cannot be combined with --format'],
])('%j is refused', async (args, words) => {
  const { stderr, exitCode } = await reelform(makeRepository(), args);
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining(words)]);
});

it('plan --json equals plan --format json', async () => {
  const root = makeRepository();
  const [a, b] = [
    await reelform(root, ['plan', '--json']),
    await reelform(root, ['plan', '--format', 'json', '--json']),
  ];
  expect(a).toEqual(b);
});
