import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { loadDesiredState } from '../../../src/cli/state/load-desired-state.ts';
import type { LockEntry } from '../../../src/reconciler/lock/lock.ts';
import { serialiseLock } from '../../../src/reconciler/lock/lock-format.ts';
import { versionOf } from '../../support/lock-branches.ts';
import { type MergeRepository, mergeRepository } from '../../support/merging-repository.ts';
import { CONFIG, definition, makeRepository } from '../../support/repository.ts';
import { reelform } from '../../support/test-io.ts';

const FILE = 'reelform.lock.json';
const lockText = (entries: Record<string, LockEntry>): string =>
  serialiseLock({ videos: new Map(Object.entries(entries)), extra: {} });

/** Creates a git repository of videos in the middle of a merge of these lockfiles. */
async function midMerge(
  texts: Readonly<Record<'base' | 'ours' | 'theirs', string>>,
  files: Readonly<Record<string, string>> = {},
): Promise<MergeRepository> {
  const repository = await mergeRepository({ 'reelform.yaml': CONFIG, ...files, [FILE]: texts.base });
  await repository.git('checkout', '--quiet', '-b', 'theirs');
  await repository.commit({ [FILE]: texts.theirs });
  await repository.git('checkout', '--quiet', 'main');
  await repository.commit({ [FILE]: texts.ours });
  await repository.git('merge', '--no-edit', 'theirs');
  return repository;
}

const texts = {
  base: lockText({ a: versionOf('a', 1) }),
  ours: lockText({ a: versionOf('a', 2), b: versionOf('b', 2) }),
  theirs: lockText({ a: versionOf('a', 3), c: versionOf('c', 3) }),
};
const merged = lockText({ a: versionOf('a', 3), b: versionOf('b', 2), c: versionOf('c', 3) });

describe('reelform lock merge', () => {
  test("resolves a conflict from git's versions of both sides", async () => {
    const { root, git } = await midMerge(texts);
    writeFileSync(join(root, FILE), '<<<<<<< HEAD\nwhat somebody made of it\n');
    const ran = await reelform(root, ['lock', 'merge']);
    expect({ ...ran, text: readFileSync(join(root, FILE), 'utf8') }).toEqual({
      exitCode: 0,
      stderr: `${FILE}: both sides changed 1 entry\n  a  theirs: it was rendered later\n`,
      stdout: `✓ ${FILE} is merged, 3 entries. Check the remaining changes with reelform plan, then: git add ${FILE}\n`,
      text: merged,
    });
    expect((await git('status', '--porcelain')).stdout).toContain(`UU ${FILE}`);
    expect((await reelform(root, ['lock', 'merge'])).stdout).toBe(
      `${FILE} has no conflict. To finish, run: git add ${FILE}\n`,
    );
  });

  test('prefers the entry that matches the definition', async () => {
    const root = makeRepository();
    onTestFinished(() => rmSync(root, { recursive: true }));
    const { desired } = await loadDesiredState(root);
    const fingerprint = desired.find(({ id }) => id === 'rome')!.fingerprint;
    const early = { ...versionOf('rome', 2), fingerprint };
    const marked = `<<<<<<< HEAD\n${lockText({ rome: early })}=======\n${lockText({ rome: versionOf('rome', 3) })}>>>>>>> x\n`;
    writeFileSync(join(root, FILE), marked);
    const ran = await reelform(root, ['lock', 'merge']);
    expect(ran.stderr).toContain('rome  ours  : it matches the definition');
    expect(readFileSync(join(root, FILE), 'utf8')).toBe(lockText({ rome: early }));
  });

  test('prefers the later entry if definitions have conflicts themselves', async () => {
    const repository = await midMerge(texts, { 'videos/a.yaml': '<<<<<<< HEAD\n' });
    const ran = await reelform(repository.root, ['lock', 'merge']);
    expect({ ...ran, text: readFileSync(join(repository.root, FILE), 'utf8') }).toMatchObject({
      exitCode: 0,
      text: merged,
    });
  });

  test('merges both sides if git left our version unchanged', async () => {
    const { root } = await midMerge(texts, { '.gitattributes': `${FILE} -merge\n` });
    expect(readFileSync(join(root, FILE), 'utf8')).toBe(texts.ours);
    expect((await reelform(root, ['lock', 'merge'])).exitCode).toBe(0);
    expect(readFileSync(join(root, FILE), 'utf8')).toBe(merged);
  });

  test('does nothing without a conflict or a lockfile', async () => {
    const root = makeRepository({ [FILE]: texts.ours });
    onTestFinished(() => rmSync(root, { recursive: true }));
    expect(await reelform(root, ['lock', 'merge'])).toEqual({
      exitCode: 0,
      stdout: `${FILE} has no conflict.\n`,
      stderr: '',
    });
    rmSync(join(root, FILE));
    expect((await reelform(root, ['lock', 'merge'])).exitCode).toBe(0);
    expect(existsSync(join(root, FILE))).toBe(false);
  });

  test('refuses an invalid lockfile without writing', async () => {
    for (const [text, code] of [
      ['{', 'lock_unreadable'],
      [`<<<<<<< HEAD\n${texts.ours}`, 'lock_conflict'],
      [`<<<<<<< HEAD\n{\n=======\n${texts.ours}>>>>>>> x\n`, 'lock_unreadable'],
    ] as const) {
      const root = makeRepository({ [FILE]: text });
      onTestFinished(() => rmSync(root, { recursive: true }));
      const ran = await reelform(root, ['lock', 'merge']);
      expect(ran.exitCode).toBe(1);
      expect(ran.stderr).toContain(code);
      expect(readFileSync(join(root, FILE), 'utf8')).toBe(text);
    }
  });

  test('does not treat a lockfile that one side removed as empty', async () => {
    const repository = await mergeRepository({ 'reelform.yaml': CONFIG, [FILE]: texts.base });
    await repository.git('checkout', '--quiet', '-b', 'theirs');
    await repository.git('rm', '--quiet', FILE);
    await repository.commit({});
    await repository.git('checkout', '--quiet', 'main');
    await repository.commit({ [FILE]: texts.ours });
    await repository.git('merge', '--no-edit', 'theirs');
    const ran = await reelform(repository.root, ['lock', 'merge']);
    expect(ran).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(`git checkout --ours -- ${FILE}`) });
  });

  test('requires three files or none', async () => {
    expect(await reelform('/', ['lock', 'merge', 'a'])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('options_conflict'),
    });
  });

  test('refuses to run during an apply', async () => {
    const root = makeRepository({ '.reelform/apply.pid': `${process.ppid} other\n` });
    onTestFinished(() => rmSync(root, { recursive: true }));
    expect((await reelform(root, ['lock', 'merge'])).stderr).toContain('already_running');
  });
});

describe('reelform lock merge --install', () => {
  test('configures git once', async () => {
    const { root, git } = await mergeRepository({ 'reelform.yaml': CONFIG, '.gitattributes': '*.png binary' });
    expect(await reelform(root, ['lock', 'merge', '--install'])).toEqual({
      exitCode: 0,
      stderr: '',
      stdout:
        'set  .gitattributes: commit it\nset  merge.reelform.driver: for this clone; run it once in every other clone\n',
    });
    const attributes = `*.png binary\n${FILE} merge=reelform\n`;
    expect(readFileSync(join(root, '.gitattributes'), 'utf8')).toBe(attributes);
    const driver = await git('config', '--get', 'merge.reelform.driver');
    expect(driver.stdout).toBe('npx --no reelform lock merge %O %A %B\n');
    const again = await reelform(root, ['lock', 'merge', '--install']);
    expect(again.stdout).toBe('was set  .gitattributes\nwas set  merge.reelform.driver\n');
    expect(readFileSync(join(root, '.gitattributes'), 'utf8')).toBe(attributes);
  });

  test('keeps existing settings', async () => {
    const { root, git } = await mergeRepository({
      'reelform.yaml': CONFIG,
      '.gitattributes': '*.json -merge\n',
    });
    await git('config', 'merge.reelform.driver', 'mine %A');
    const ran = await reelform(root, ['lock', 'merge', '--install']);
    expect(ran.stdout).toBe(
      'left  .gitattributes has another value: unset\nleft  merge.reelform.driver has another value: mine %A\n',
    );
  });

  test('configures a repository in a subfolder', async () => {
    const { root, git } = await mergeRepository({ "it's/reelform.yaml": CONFIG });
    await reelform(join(root, "it's"), ['lock', 'merge', '--install']);
    expect((await git('config', '--get', 'merge.reelform.driver')).stdout).toBe(
      "npx --no --prefix './it'\\''s/' reelform lock merge %O %A %B\n",
    );
    expect((await git('check-attr', 'merge', '--', `it's/${FILE}`)).stdout).toContain('merge: reelform');
  });

  test('requires a git repository', async () => {
    const root = makeRepository();
    onTestFinished(() => rmSync(root, { recursive: true }));
    expect((await reelform(root, ['lock', 'merge', '--install'])).stderr).toContain('git_failed');
  });
});

describe('reelform lock verify', () => {
  const entry = { ...versionOf('rome', 1), video_url: 'renders/rome-00000001.mp4' };
  const others = { 'videos/berlin.yaml': '', 'videos/oslo.yaml': '' };

  function repository(files: Record<string, string>): string {
    const root = makeRepository({ 'renders/rome-00000001.mp4': 'video', ...files });
    for (const path of Object.keys(others)) rmSync(join(root, path));
    onTestFinished(() => rmSync(root, { recursive: true }));
    return root;
  }

  test('accepts the result of an apply, and a repository without a lockfile', async () => {
    const root = repository({ [FILE]: lockText({ rome: entry }) });
    expect(await reelform(root, ['lock', 'verify'])).toEqual({
      exitCode: 0,
      stdout: `✓ ${FILE} is valid, 1 entry.\n`,
      stderr: '',
    });
    rmSync(join(root, FILE));
    expect((await reelform(root, ['lock', 'verify'])).stdout).toContain('0 entries');
  });

  test('reports edited formatting, missing outputs, and entries without a definition', async () => {
    const text = lockText({ gone: versionOf('gone', 1), rome: entry });
    const root = repository({ [FILE]: text.replace('{\n', '{\r\n') });
    const { exitCode, stdout } = await reelform(root, ['lock', 'verify', '--json']);
    expect({ exitCode, ...JSON.parse(stdout) }).toMatchObject({
      exitCode: 1,
      format_version: '1.0',
      valid: false,
      videos: 2,
      diagnostics: [
        { code: 'lock_form', severity: 'error', file: FILE, line: 1, column: 2 },
        { code: 'output_missing', severity: 'error' },
        { code: 'unknown_video', severity: 'warning' },
      ],
    });
    expect((await reelform(root, ['lock', 'verify'])).stderr).toContain('lock_form');
  });

  test('accepts the line breaks that git writes on Windows', async () => {
    const text = lockText({ gone: versionOf('gone', 1) });
    const root = repository({ [FILE]: text.replaceAll('\n', '\r\n') });
    const { exitCode, stderr } = await reelform(root, ['lock', 'verify', '--ignore-missing-outputs']);
    expect({ exitCode, form: stderr.includes('lock_form') }).toEqual({ exitCode: 0, form: false });
  });

  test('ignores outputs on request, and only warns of an entry without a definition', async () => {
    const root = repository({ [FILE]: lockText({ gone: versionOf('gone', 1) }) });
    expect((await reelform(root, ['lock', 'verify'])).exitCode).toBe(1);
    const { exitCode, stderr } = await reelform(root, ['lock', 'verify', '--ignore-missing-outputs']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.stringContaining('unknown_video') });
  });

  test('reports that invalid definitions were not compared', async () => {
    const root = repository({ [FILE]: lockText({ rome: entry }), 'videos/wrong.yaml': 'title: [' });
    expect(await reelform(root, ['lock', 'verify'])).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('were not compared'),
    });
  });

  test('refuses an unreadable lockfile', async () => {
    const root = repository({ [FILE]: '<<<<<<< HEAD\n' });
    expect(await reelform(root, ['lock', 'verify'])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('lock_conflict'),
    });
  });
});

describe('reelform lock migrate', () => {
  test('writes the current format once and lists the changes', async () => {
    const text = lockText({ a: versionOf('a', 1), b: versionOf('b', 1) });
    const { videos, ...rest } = JSON.parse(text) as { videos: Record<string, { title: string }> };
    const { title, ...fields } = videos.a!;
    const edited = JSON.stringify({ videos: { b: videos.b, a: { ...fields, title } }, ...rest });
    const root = makeRepository({ [FILE]: edited });
    onTestFinished(() => rmSync(root, { recursive: true }));
    expect(await reelform(root, ['lock', 'migrate'])).toEqual({
      exitCode: 0,
      stdout: `✓ ${FILE} now has the current format:\n  entries sorted\n  a: fields reordered\n`,
      stderr: '',
    });
    expect(readFileSync(join(root, FILE), 'utf8')).toBe(text);
    expect((await reelform(root, ['lock', 'migrate'])).stdout).toBe(`${FILE} already has the current format.\n`);
  });

  test('creates no lockfile, and refuses an unreadable one', async () => {
    const root = makeRepository({ 'videos/paris.yaml': definition('Paris') });
    onTestFinished(() => rmSync(root, { recursive: true }));
    expect((await reelform(root, ['lock', 'migrate'])).exitCode).toBe(0);
    expect(existsSync(join(root, FILE))).toBe(false);
    mkdirSync(join(root, FILE));
    expect((await reelform(root, ['lock', 'migrate'])).exitCode).toBe(1);
    rmSync(join(root, FILE), { recursive: true });
    writeFileSync(join(root, FILE), '{');
    expect(await reelform(root, ['lock', 'migrate'])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('lock_unreadable'),
    });
  });
});
