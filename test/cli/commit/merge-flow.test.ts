import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { markedComment } from '../../../src/cli/forge/write-comment.ts';
import { gitIn } from '../../support/git-repository.ts';
import type { SeenComment } from '../../support/github-server.ts';
import { BOT, COMMIT, LOCK, POST, startMergeFlow } from '../../support/merge-flow.ts';
import { type Ran, reelform } from '../../support/test-io.ts';

const PUSH = ['--commit=push'];
const STALE = {
  kind: 'answer',
  status: 200,
  body: { data: null, errors: [{ type: 'STALE_DATA', path: [], message: 'Expected branch to point to' }] },
} as const;

describe('apply --commit=push', () => {
  it.each(['github', 'git'] as const)(
    'commits only the lockfile, once, and nothing without changes: by %s',
    async (forge) => {
      const flow = await startMergeFlow();
      const merged = await flow.merge({ berlin: 'Berlin', rome: 'Rome' });
      expect(await flow.apply(PUSH, { forge })).toMatchObject({ exitCode: 0 });
      expect(Object.keys(await flow.lock())).toEqual(['berlin', 'rome']);
      expect(await flow.remote.git('diff', '--name-only', merged, 'main')).toBe(LOCK);
      expect(await flow.remote.git('log', '-1', '--format=%s|%(trailers)', 'main')).toBe(
        'Record 2 rendered videos|Rendered-By: reelform\n',
      );
      // Applying the commit of the lockfile does not loop.
      const again = await flow.apply(PUSH, { forge });
      expect(again).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('is already up to date') });
      expect([await flow.lockCommits(), flow.service.count(POST)]).toEqual([1, 2]);
    },
  );

  it('refuses an outdated checkout before it renders, so that a re-run reverts nothing', async () => {
    const flow = await startMergeFlow();
    const old = await flow.merge({ berlin: 'Berlin' });
    await flow.merge({ berlin: 'Berlin, later' });
    const refused = await flow.apply(PUSH, { root: await flow.checkout(old) });
    expect(refused).toMatchObject({ exitCode: 6, stderr: expect.stringContaining('checkout_stale') });
    expect(flow.service.count(POST)).toBe(0);
    const allowed = await flow.apply([...PUSH, '--allow-stale'], { root: await flow.checkout(old) });
    expect(allowed).toMatchObject({ exitCode: 0 });
    expect(Object.keys(await flow.lock())).toEqual(['berlin']);
  });

  it('names the rejection by a hook of the remote', async () => {
    const flow = await startMergeFlow();
    await flow.merge({ berlin: 'Berlin' });
    const hook = '#!/bin/sh\nfor word in one two three four; do echo "$word" >&2; done\nexit 1\n';
    writeFileSync(join(flow.remote.root, 'hooks/pre-receive'), hook, { mode: 0o755 });
    const refused = await flow.apply(PUSH, { forge: 'git' });
    expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('commit_refused') });
    expect(refused.stderr).toContain('(pre-receive hook declined); remote: one; remote: two  commit_refused');
    expect(refused.stderr).toContain('Allow this user or job to push to the branch');
  });

  it('asks to push a checkout that is ahead of its branch', async () => {
    const flow = await startMergeFlow();
    await flow.merge({ berlin: 'Berlin' });
    const root = await flow.checkout();
    await gitIn(root).commit({ 'notes.md': 'Not pushed' });
    const refused = await flow.apply(PUSH, { root });
    expect(refused).toMatchObject({
      exitCode: 6,
      stderr: expect.stringContaining('hint: Push your commits first: git push'),
    });
  });

  it('refuses uncommitted changes of definitions, including a removed one', async () => {
    const flow = await startMergeFlow();
    await flow.merge({ berlin: 'Berlin', rome: 'Rome' });
    const root = await flow.checkout();
    writeFileSync(join(root, 'notes.md'), 'No definition');
    rmSync(join(root, 'videos/rome.yaml'));
    const refused = await flow.apply(PUSH, { root });
    expect(refused).toMatchObject({
      exitCode: 6,
      stderr: expect.stringContaining('videos/rome.yaml has uncommitted changes'),
    });
    appendFileSync(join(root, 'videos/berlin.yaml'), '# Mine\n');
    expect((await flow.apply(PUSH, { root })).stderr).toContain(
      'videos/berlin.yaml and 1 more file have uncommitted changes',
    );
    expect(flow.service.count(POST)).toBe(0);
  });

  it('accepts a checkout that an earlier run left, without paying again', async () => {
    const flow = await startMergeFlow();
    await flow.merge({ berlin: 'Berlin' });
    const [root, other] = [await flow.checkout(), await flow.checkout()];
    for (const one of [root, root, other]) expect(await flow.apply(PUSH, { root: one })).toMatchObject({ exitCode: 0 });
    expect([await flow.lockCommits(), flow.service.count(POST)]).toEqual([1, 1]);
  });

  it('commits changes in the work tree that an earlier run could not commit', async () => {
    const flow = await startMergeFlow();
    await flow.merge({ berlin: 'Berlin' });
    const root = await flow.checkout();
    flow.github.protectedBranches.set('main', 'classic');
    expect(await flow.apply(PUSH, { root })).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('--commit=pr'),
    });
    flow.github.protectedBranches.clear();
    expect(await flow.apply(PUSH, { root })).toMatchObject({ exitCode: 0, stdout: '' });
    expect([Object.keys(await flow.lock()), flow.service.count(POST)]).toEqual([['berlin'], 1]);
  });

  it('retries if the branch moved or the response was lost', async () => {
    const flow = await startMergeFlow();
    await flow.merge({ berlin: 'Berlin' });
    flow.github.force(COMMIT, STALE, { kind: 'cut', afterDoing: true });
    flow.github.force('GET git/ref/heads/{path}', { kind: 'answer', status: 502 });
    expect(await flow.apply(PUSH)).toMatchObject({ exitCode: 0 });
    expect([await flow.lockCommits(), flow.github.count(COMMIT)]).toEqual([1, 2]);
  });

  it('commits during the run on request', async () => {
    const flow = await startMergeFlow();
    await flow.merge(Object.fromEntries(['a', 'b'].map((id) => [id, id])));
    const flags = [...PUSH, '--checkpoint=1', '--concurrency=1'];
    // A clock that jumps with each video, so that a save is always due.
    const now = (): number => Date.now() + flow.service.count(POST) * 1_500;
    expect(await flow.apply(flags, { now })).toMatchObject({ exitCode: 0 });
    expect(await flow.lockCommits()).toBeGreaterThan(1);
    expect(Object.keys(await flow.lock())).toHaveLength(2);
  });

  it('warns in CI of a journal that is lost with the runner', async () => {
    for (const journal of [false, true]) {
      const flow = await startMergeFlow({ journal });
      await flow.merge({ berlin: 'Berlin' });
      const told = async (env: Record<string, string>, ...flags: string[]) =>
        (await flow.apply(flags, { env: { ...flow.env(), ...env } })).stderr.includes('journal_local');
      expect(await told({ CI: 'true' }, ...PUSH)).toBe(!journal);
      expect(await told({ CI: '' }, ...PUSH)).toBe(false);
      expect(await told({ CI: 'true' })).toBe(false);
    }
  });

  it('applies with --expect-plan reviewed the plan shown in our comment on the merged pull request', async () => {
    const flow = await startMergeFlow();
    const merged = await flow.merge({ berlin: 'Berlin' });
    const pull = flow.github.open({ state: 'closed', pull: { headOwner: 'acme', headBranch: 'a', base: 'main' } });
    pull.pull!.mergedAs = merged;
    const planned = await reelform(await flow.checkout(), ['plan', '--json'], { env: flow.env() });
    const { plan_id: planId } = JSON.parse(planned.stdout) as { plan_id: string };
    const show = (user: string, tag: string): SeenComment =>
      flow.github.comment(
        pull.number,
        user,
        markedComment(tag, { plan_id: planId, head_sha: null, base_sha: null, approvals: null }, 'Plan'),
      );
    show('stranger', 'plan');
    show(BOT, 'other');
    const reviewed = async (expected: string): Promise<Ran> => {
      // With history, which is needed to find earlier merges.
      const root = await flow.checkout(await flow.remote.git('rev-parse', 'main'));
      return flow.apply([...PUSH, '--expect-plan', expected], { root });
    };
    expect(await reviewed('reviewed')).toMatchObject({ exitCode: 6, stderr: expect.stringContaining(planId) });
    expect(await flow.apply(['--expect-plan=reviewed'], { forge: 'git' })).toMatchObject({ exitCode: 1 });
    expect(flow.service.count(POST)).toBe(0);
    // A later merge without changed videos does not hide the review.
    await flow.merge({});
    expect(await reviewed('reviewed:other')).toMatchObject({ exitCode: 0 });
    expect(await reviewed('reviewed')).toMatchObject({ exitCode: 0 });
    expect(flow.service.count(POST)).toBe(1);
  });

  it('refuses conflicting options and a missing forge', async () => {
    const flow = await startMergeFlow();
    const root = await flow.checkout();
    const failing = async (flags: readonly string[], forge: 'github' | 'git' = 'git'): Promise<string> => {
      const { exitCode, stderr } = await flow.apply(flags, { root, forge });
      expect(exitCode).not.toBe(0);
      return stderr;
    };
    expect(await failing(['--checkpoint=2'])).toContain('options_conflict');
    expect(await failing(['--commit=pr'])).toContain('options_conflict');
    expect(await failing([...PUSH, '--refresh-only'])).toContain('options_conflict');
    expect(await failing([...PUSH, '--forge=github'])).toContain('forge_unknown');
  });
});
