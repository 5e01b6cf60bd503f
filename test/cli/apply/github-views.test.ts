import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { applyFormat } from '../../../src/cli/apply/apply-options.ts';
import { openApplyView } from '../../../src/cli/apply/apply-view.ts';
import type { Io } from '../../../src/cli/io.ts';
import { documentOf, everyAction } from '../../report/example-plans.ts';
import { POST, startMergeFlow } from '../../support/merge-flow.ts';

/** Creates the files of a job step; returns functions that read them. */
function step(): { env: Record<string, string>; summary(): string; outputs(): Record<string, string> } {
  const folder = mkdtempSync(join(tmpdir(), 'reelform-step-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [summary, outputs] = [join(folder, 'summary'), join(folder, 'outputs')];
  for (const file of [summary, outputs]) writeFileSync(file, '');
  return {
    env: { GITHUB_STEP_SUMMARY: summary, GITHUB_OUTPUT: outputs },
    summary: () => readFileSync(summary, 'utf8'),
    outputs: () =>
      Object.fromEntries(
        [...readFileSync(outputs, 'utf8').matchAll(/^(\w+)<<(\S+)\n(.*)\n\2\n/gm)].map((match) => [match[1], match[3]]),
      ) as Record<string, string>,
  };
}

describe('apply --format github', () => {
  it('writes a summary with failures first, annotations and outputs', async () => {
    const flow = await startMergeFlow();
    const sha = await flow.merge({ berlin: 'Berlin @team', rome: 'Rome' });
    const text = 'Too long @all\n::error::x';
    const error = { code: 'text_too_long', title: 'Too long', detail: text, editable: 't_01', severity: 'error' };
    Object.defineProperty(flow.service, 'end', {
      get: () => (flow.service.count(POST) === 1 ? { status: 'failed', errors: [error] } : {}),
    });
    const { env, summary, outputs } = step();
    const root = await flow.checkout(sha);
    const job = { root, env: { ...flow.env('github'), ...env, GITHUB_WORKSPACE: root } };
    const ran = await flow.apply(['--commit=push', '--format=github', '--concurrency=1'], job);
    expect(ran.exitCode).toBe(4);
    expect(ran.stdout.split('\n').filter((line) => /^\s*::(?!stop-commands::|[0-9a-f-]{36}::$)/.test(line))).toEqual([
      '::error title=text_too_long,file=videos/berlin.yaml,line=4,endLine=4,col=9::berlin: not rendered: Too long @all%0A::error::x',
    ]);
    const commit = await flow.remote.git('rev-parse', 'main');
    const all = { rendered: '1', recorded: '0', failed: '1', lock_changed: 'true', commit, pull_request: '' };
    expect(outputs()).toEqual(all);
    expect(summary()).toMatch(/^### Reelform apply: 1 rendered, 1 failed\n/);
    const at = (words: string): number => summary().indexOf(words);
    for (const words of [commit, `blob/${sha}/videos/berlin.yaml#L4`, 'session-2.mp4'])
      expect(at(words)).toBeGreaterThan(0);
    // Failures come first.
    expect(at('berlin')).toBeLessThan(at('<code>rome'));
    expect(summary()).not.toContain('@all');
  });

  it('reports that nothing changed, and what prevented the start', async () => {
    const flow = await startMergeFlow();
    const root = await flow.checkout();
    const told = async (...flags: string[]): Promise<{ summary: string; failed?: string; stdout: string }> => {
      const { env, summary, outputs } = step();
      const { stdout } = await flow.apply([...flags, '--format=github'], {
        root,
        env: { ...flow.env('github'), ...env },
      });
      return { summary: summary(), ...outputs(), stdout };
    };
    expect(await told('--commit=push')).toMatchObject({
      summary: expect.stringMatching(
        /^### Reelform apply: no changes\n\nThe lockfile on its branch is already up to date.\n/,
      ),
      failed: '0',
      lock_changed: 'false',
      commit: '',
    });
    writeFileSync(join(root, 'videos/bad.yaml'), 'template: none\ntitle: None\n');
    expect(await told()).toMatchObject({
      summary: expect.stringContaining('### Reelform apply: 1 error\n'),
      stdout: expect.stringContaining('::error title=unknown_template,file=videos/bad.yaml,line=1,'),
    });
    rmSync(join(root, 'videos/bad.yaml'));
    await flow.merge({ berlin: 'Berlin' });
    expect(await told('--commit=push')).toMatchObject({
      summary: expect.stringContaining('checkout&#95;stale'),
      failed: '0',
    });
    for (const [other, message] of [
      [{ json: true }, '--format github and --json exclude each other'],
      [{ refreshOnly: true }, '--format github cannot be combined with --refresh-only'],
    ] as const) {
      expect(() => applyFormat({ format: 'github', ...other })).toThrow(message);
    }
  });

  it('reports an unexplained abort and closes no issue', async () => {
    const { github, ...flow } = await startMergeFlow();
    const root = await flow.checkout();
    const marker = '<!-- reelform:failed-renders:reelform.lock.json -->';
    const issue = github.open({ user: 'github-actions[bot]', body: `${marker}\nBerlin` });
    const { env, summary, outputs } = step();
    const written: string[] = [];
    const output = { write: (text: string) => void written.push(text) };
    const io = {
      stdout: output,
      stderr: output,
      cwd: root,
      env: { ...flow.env('github'), ...env },
      now: Date.now,
      after: setImmediate,
    };
    const view = await openApplyView({ format: 'github', reportFailures: true, color: false }, io as unknown as Io);
    view?.take({ kind: 'planned', document: documentOf(everyAction()) });
    await view?.close?.();
    expect(summary()).toContain('The run was aborted');
    expect(outputs()).toMatchObject({ rendered: '0', failed: '0' });
    expect(issue).toMatchObject({ state: 'open', body: expect.stringContaining('The run was aborted') });
  });
});
