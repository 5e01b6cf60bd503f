import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { JOURNAL_HEADER } from '../../../src/reconciler/lock/journal.ts';
import { CONFIG, definition, makeRepository } from '../../support/repository.ts';
import { reelform, type TestIoOptions } from '../../support/test-io.ts';

interface PlanJson {
  readonly complete: boolean;
  readonly changes: readonly { readonly id: string; readonly action: string; readonly reason: string }[];
  readonly diagnostics: readonly { readonly code: string; readonly severity: string }[];
}

async function planned(root: string, flags: readonly string[], options?: TestIoOptions): Promise<PlanJson> {
  return JSON.parse((await reelform(root, ['plan', '--json', ...flags], options)).stdout) as PlanJson;
}

async function ids(root: string, flags: readonly string[], options?: TestIoOptions): Promise<string[]> {
  return (await planned(root, flags, options)).changes.map(({ id }) => id);
}

async function git(root: string, ...args: string[]): Promise<void> {
  const config = ['-c', 'user.name=t', '-c', 'user.email=t@example.com', '-c', 'commit.gpgsign=false'];
  await execa('git', ['-C', root, ...config, ...args]);
}

/** Creates a git repository whose current state is the commit `main`. */
async function makeGitRepository(files: Readonly<Record<string, string>> = {}): Promise<string> {
  const root = makeRepository({ '.gitignore': '.reelform/\nrenders/\n', ...files });
  await git(root, 'init', '-q', '-b', 'main');
  await git(root, 'add', '.');
  await git(root, 'commit', '-q', '-m', 'all');
  return root;
}

describe('--target and --exclude', () => {
  it.each([
    [['--target', 'rome'], ['rome']],
    [
      ['--target', 'rome', '--target', 'b*'],
      ['berlin', 'rome'],
    ],
    [['--exclude', '*o*'], ['berlin']],
    [['--target', '{berlin,rome}', '--exclude', 'berlin'], ['rome']],
  ])('%j plans %j and marks the plan as incomplete', async (flags, expected) => {
    const root = makeRepository();
    expect(await ids(root, flags)).toEqual(expected);
    expect((await planned(root, flags)).complete).toBe(false);
  });

  it('reads globs from files and stdin, one per line', async () => {
    const root = makeRepository({ 'wanted.txt': '# of this week\r\nrome\r\n\n  o*  \n' });
    expect(await ids(root, ['--target-file', 'wanted.txt'])).toEqual(['oslo', 'rome']);
    expect(await ids(root, ['--target-file', '-'], { input: 'rome\n' })).toEqual(['rome']);
    expect(await ids(root, ['--exclude-file', 'wanted.txt'])).toEqual(['berlin']);
  });

  it('treats an empty list as no videos, not as all', async () => {
    const root = makeRepository({ 'wanted.txt': '# nothing\n' });
    expect(await planned(root, ['--target-file', 'wanted.txt'])).toMatchObject({ complete: false, changes: [] });
    expect(await ids(root, ['--target-file', '-'], { input: '' })).toEqual([]);
    expect(await ids(root, ['--exclude-file', 'wanted.txt'])).toHaveLength(3);
  });

  it('finds a moved video by either of its ids', async () => {
    const root = makeRepository();
    await reelform(root, ['apply', '--auto-approve']);
    renameSync(join(root, 'videos/rome.yaml'), join(root, 'videos/roma.yaml'));
    expect(await ids(root, ['--target', 'rome'])).toEqual(['roma']);
    expect(await ids(root, ['--target', 'roma'])).toEqual(['roma']);
  });

  it.each([
    ['plan', ['--target', 'rom', '--target', 'oslo']],
    ['apply', ['--auto-approve', '--target', 'rom', '--target', 'oslo']],
    ['drift', ['--target', 'rom', '--target', 'oslo']],
    ['plan', ['--target-file', 'wanted.txt']],
    ['lint', ['rom', 'oslo']],
  ])('%s %j exits with 1 if a target matches nothing, without effect', async (command, flags) => {
    const root = makeRepository({ 'wanted.txt': 'oslo\nrom\n' });
    const { exitCode, stderr, stdout } = await reelform(root, [command, ...flags]);
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('unknown_video') });
    expect(stderr).toContain('No video id matches "rom"');
    expect(stderr).toContain('Did you mean rome?');
    // Lint has no effect, so it checks the videos that it knows.
    expect(stdout).toBe(command === 'lint' ? '1 video checked.\n' : '');
    expect(existsSync(join(root, 'renders'))).toBe(false);
  });

  it('warns of an exclude that matches nothing', async () => {
    const plan = await planned(makeRepository(), ['--exclude', 'rom', '--target', 'oslo']);
    expect(plan.changes).toMatchObject([{ id: 'oslo' }]);
    expect(plan.diagnostics).toContainEqual(expect.objectContaining({ code: 'unknown_video', severity: 'warning' }));
  });

  it('matches a video of the lockfile without a definition, and one that was never rendered', async () => {
    const root = makeRepository();
    await reelform(root, ['apply', '--auto-approve', '--target', 'rome']);
    rmSync(join(root, 'videos/rome.yaml'));
    expect(await ids(root, ['--target', 'rome'])).toEqual(['rome']);
    expect((await reelform(root, ['drift', '--target', 'oslo'])).exitCode).toBe(0);
  });

  it('applies only the selected videos', async () => {
    const root = makeRepository();
    expect((await reelform(root, ['apply', '--auto-approve', '--target', 'rome'])).stdout).toContain('1 rendered');
    expect(await ids(root, [])).toEqual(['berlin', 'oslo']);
  });

  it.each([
    [['--target-file', '-', '--exclude-file', '-'], 'options_conflict'],
    [['--target-file', 'nowhere.txt'], 'file_system'],
    [['--target'], 'argument missing'],
  ])('refuses %j', async (flags, expected) => {
    const { exitCode, stderr } = await reelform(makeRepository(), ['plan', ...flags]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(expected);
  });
});

describe('--replace', () => {
  it('renders unchanged videos again', async () => {
    const root = makeRepository();
    await reelform(root, ['apply', '--auto-approve']);
    expect((await planned(root, ['--replace', '{rome,oslo}'])).changes).toMatchObject([
      { id: 'oslo', action: 'update', reason: 'requested' },
      { id: 'rome', action: 'update', reason: 'requested' },
    ]);
    const { stdout } = await reelform(root, ['apply', '--auto-approve', '--replace', 'rome']);
    expect(stdout).toContain('1 rendered');
    expect(await ids(root, [])).toEqual([]);
  });

  it('refuses a glob that matches nothing', async () => {
    const { exitCode, stderr } = await reelform(makeRepository(), ['apply', '--auto-approve', '--replace', 'romme']);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('unknown_video');
    expect(stderr).toContain('Did you mean rome?');
  });
});

describe('--changed-since', () => {
  it('plans videos of files changed since the merge base, committed or not', async () => {
    const root = await makeGitRepository();
    await git(root, 'switch', '-q', '-c', 'branch');
    expect(await ids(root, ['--changed-since', 'main'])).toEqual([]);
    writeFileSync(join(root, 'videos/rome.yaml'), definition('Roma'));
    await git(root, 'commit', '-q', '-a', '-m', 'Roma');
    expect(await ids(root, ['--changed-since', 'main'])).toEqual(['rome']);
    writeFileSync(join(root, 'videos/turin.yaml'), definition('Turin'));
    expect(await ids(root, ['--changed-since', 'main'])).toEqual(['rome', 'turin']);
    writeFileSync(join(root, 'videos/images/photo.png'), readFileSync(join(root, 'templates/small/template.yaml')));
    expect(await ids(root, ['--changed-since', 'main'])).toEqual(['berlin', 'oslo', 'rome', 'turin']);
  });

  it('forgets only videos removed since the merge base', async () => {
    const root = await makeGitRepository({ 'videos/gone-before.yaml': definition('Before') });
    await reelform(root, ['apply', '--auto-approve']);
    await git(root, 'rm', '-q', 'videos/gone-before.yaml');
    await git(root, 'add', '.');
    await git(root, 'commit', '-q', '-m', 'rendered');
    rmSync(join(root, 'videos/rome.yaml'));
    expect((await planned(root, ['--changed-since', 'main'])).changes).toMatchObject([
      { id: 'rome', action: 'forget' },
    ]);
    expect(await ids(root, [])).toEqual(['gone-before', 'rome']);
  });

  it('includes the videos of changed rows, fragments and templates', async () => {
    const root = await makeGitRepository({
      'videos/_all.yaml': 'labels: {of: all}\n',
      'videos/shops.yaml': definition('${city}', 'extends: ./_all.yaml\neach: {from: data/shops.csv, id: "${slug}"}\n'),
      'data/shops.csv': 'slug,city\na,Aachen\nb,Bonn\n',
    });
    await reelform(root, ['apply', '--auto-approve']);
    writeFileSync(join(root, 'data/shops.csv'), 'slug,city\na,Ahaus\n');
    expect((await planned(root, ['--changed-since', 'main'])).changes).toMatchObject([
      { id: 'shops/a', action: 'update' },
      { id: 'shops/b', action: 'forget' },
    ]);
    await git(root, 'checkout', '-q', '--', 'data');
    writeFileSync(join(root, 'videos/_all.yaml'), 'labels: {of: some}\n');
    expect(await ids(root, ['--changed-since', 'main'])).toEqual(['shops/a', 'shops/b']);
    writeFileSync(join(root, 'templates/small/NOTES.md'), 'Nothing that a frame shows.');
    expect(await ids(root, ['--changed-since', 'main'])).toEqual(['shops/a', 'shops/b']);
  });

  it('fails for an unknown revision and without git', async () => {
    for (const root of [await makeGitRepository(), makeRepository()]) {
      const { exitCode, stderr } = await reelform(root, ['plan', '--changed-since', 'nowhere']);
      expect(exitCode).toBe(1);
      expect(stderr).toContain('git_failed');
    }
  });
});

describe('--max-renders', () => {
  it('exits with 5 if the plan renders more, and names the option that allows it', async () => {
    const root = makeRepository();
    for (const command of [['plan'], ['apply', '--auto-approve']]) {
      const { exitCode, stderr } = await reelform(root, [...command, '--max-renders', '2']);
      expect(exitCode).toBe(5);
      expect(stderr).toContain('The plan renders 3 videos, but the limit is 2');
      expect(stderr).toContain('--max-renders 3');
    }
    expect(await reelform(root, ['plan', '--max-renders', '3'])).toMatchObject({ exitCode: 0 });
    expect(await reelform(root, ['plan', '--max-renders', '1', '--target', 'rome'])).toMatchObject({ exitCode: 0 });
    const { stderr } = await reelform(root, ['plan', '--max-renders', '0', '--target', 'rome']);
    expect(stderr).toContain('The plan renders 1 video, but the limit is 0');
  });

  it('can be set in reelform.yaml and is overridden by the flag', async () => {
    const root = makeRepository({ 'reelform.yaml': `${CONFIG}max_renders: 2\n` });
    expect((await planned(root, [])).diagnostics).toContainEqual(
      expect.objectContaining({ code: 'too_many_renders', severity: 'error' }),
    );
    expect(await reelform(root, ['plan', '--max-renders', '3'])).toMatchObject({ exitCode: 0 });
  });

  it.each(['-1', '1.5', 'many', ''])('refuses %j', async (count) => {
    expect(await reelform(makeRepository(), ['plan', `--max-renders=${count}`])).toMatchObject({ exitCode: 1 });
  });
});

describe('planning with a broken git repository', () => {
  it('succeeds', async () => {
    const root = makeRepository({ '.git': 'gitdir: /nowhere/at/all\n' });
    expect(await ids(root, [])).toHaveLength(3);
  });
});

describe('an unreachable journal on a branch', () => {
  it('is reported, and the plan is made without it', async () => {
    const root = await makeGitRepository({ 'reelform.yaml': `${CONFIG}journal: {git: reelform-journal}\n` });
    await git(root, 'remote', 'add', 'origin', join(root, 'nowhere.git'));
    const { exitCode, stdout, stderr } = await reelform(root, ['plan']);
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(/warning {2}The journal cannot be read, so the plan ignores pending renders: .* git_failed/);
    expect(stdout).toContain('3 to create');
  });

  it('is read as last fetched, and in CI without a warning', async () => {
    const root = await makeGitRepository({ 'reelform.yaml': `${CONFIG}journal: {git: reelform-journal}\n` });
    await git(root, 'remote', 'add', 'origin', join(root, 'nowhere.git'));
    await git(root, 'checkout', '-q', '--orphan', 'journal');
    await git(root, 'rm', '-q', '-r', '--cached', '.');
    writeFileSync(join(root, 'journal.ndjson'), JOURNAL_HEADER);
    await git(root, 'add', 'journal.ndjson');
    await git(root, 'commit', '-q', '-m', 'Journal');
    await git(root, 'update-ref', 'refs/remotes/origin/reelform-journal', 'journal');
    await git(root, 'checkout', '-q', '-f', 'main');
    const here = await reelform(root, ['plan']);
    expect(here.stderr).toMatch(/so the plan uses the last fetched journal: .* git_failed/);
    expect((await reelform(root, ['plan'], { env: { CI: 'true' } })).stderr).not.toContain('git_failed');
  });
});
