import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { errorDiagnostics } from '../../src/cli/errors.ts';
import { makeFolder, makeRepository } from '../support/repository.ts';
import { reelform } from '../support/test-io.ts';

interface Told {
  readonly type?: string;
  readonly rendered?: number;
  readonly diagnostics: readonly { readonly code: string; readonly severity: string }[];
}

const ERROR = (code: string) => [expect.objectContaining({ code, severity: 'error', file: null })];

describe('a failed command with JSON output', () => {
  it.each([
    [['plan', '--json', '--replace', 'nobody'], 'unknown_video'],
    [['plan', '--json', '--replace', ''], 'unknown_video'],
    [['plan', '--json', '--target-file', 'nowhere'], 'file_system'],
    [['plan', '--json', '--changed-since', 'main'], 'git_failed'],
    [['drift', '--json', '--target-file', 'nowhere'], 'file_system'],
  ])('%j prints its document with the diagnostic %s', async (args, code) => {
    const { exitCode, stdout, stderr } = await reelform(makeRepository(), args);
    expect(exitCode).toBe(1);
    expect((JSON.parse(stdout) as Told).diagnostics).toEqual(ERROR(code));
    expect(stderr).toContain(`error ${code}: `);
  });

  it.each([
    [['--auto-approve', 'nowhere.json'], 'plan_invalid', ['version', 'outcome']],
    [['plan.json', '--target', 'rome'], 'options_conflict', ['version', 'outcome']],
    [['--auto-approve', '--replace', 'nobody'], 'unknown_video', ['version', 'outcome']],
    [[], 'not_approved', ['version', 'planned', 'outcome']],
  ])('apply --json %j ends its stream with an outcome that contains %s', async (args, code, types) => {
    const { exitCode, stdout } = await reelform(makeRepository(), ['apply', '--json', ...args]);
    expect(exitCode).toBe(1);
    const lines = stdout.trimEnd().split('\n');
    const told = lines.map((line) => JSON.parse(line) as Told);
    expect(told.map(({ type }) => type)).toEqual(types);
    expect(told.at(-1)).toMatchObject({ rendered: 0, diagnostics: ERROR(code) });
  });

  it('reports a missing repository', async () => {
    const { stdout } = await reelform(makeFolder({}), ['plan', '--json']);
    expect((JSON.parse(stdout) as Told).diagnostics).toEqual(ERROR('config_missing'));
  });

  it('reports a file system error', async () => {
    const root = makeRepository();
    writeFileSync(join(root, '.reelform'), 'a file where a folder should be');
    const { stdout } = await reelform(root, ['apply', '--auto-approve', '--json']);
    expect((JSON.parse(stdout.trimEnd().split('\n').at(-1)!) as Told).diagnostics).toEqual(ERROR('file_system'));
  });

  it('reports the videos finished before the error', async () => {
    const root = makeRepository();
    const { exitCode, stdout } = await reelform(root, ['apply', '--auto-approve', '--json', '--concurrency', '1'], {
      onStdout(text) {
        if (!text.includes('"video_rendered"')) return;
        // The lockfile can no longer be written.
        rmSync(join(root, 'reelform.lock.json'), { recursive: true, force: true });
        mkdirSync(join(root, 'reelform.lock.json/x'), { recursive: true });
      },
    });
    const told = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Told);
    const rendered = told.filter(({ type }) => type === 'video_rendered').length;
    expect(exitCode).toBe(1);
    expect(rendered).toBeGreaterThan(0);
    expect(told.at(-1)).toMatchObject({ type: 'outcome', rendered, diagnostics: ERROR('file_system') });
  });
});

describe('errorDiagnostics()', () => {
  it('omits internal errors, which are reported separately', () => {
    expect(errorDiagnostics(new TypeError('x is undefined'))).toEqual([]);
  });
});
